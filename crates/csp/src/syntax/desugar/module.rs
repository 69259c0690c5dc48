//! Modules: what one declares is known outside as `M::x`, and what it does not export has a name nobody can write.

use super::*;
use rustc_hash::FxHashMap;

/// The state of flattening. There can be very many instances of instances, so it checks the clock.
pub struct Flattening<'a> {
    pub symbols: &'a mut Symbols,
    pub errors: Vec<Diagnostic>,
    pub meter: &'a Meter,
}

/// Replaces modules and instances by their declarations.
pub fn flatten(decls: Vec<Decl>, work: &mut Flattening) -> Vec<Decl> {
    flatten_in(decls, &FxHashMap::default(), work)
}

/// The modules that can be instantiated, by the names they have where they are.
type Modules = FxHashMap<Symbol, Module>;

fn flatten_in(decls: Vec<Decl>, around: &Modules, work: &mut Flattening) -> Vec<Decl> {
    let mut modules = around.clone();
    for decl in &decls {
        if let DeclKind::Module(m) = &decl.kind {
            check_names(m, decl.span, &decls, work.symbols, &mut work.errors);
            modules.insert(m.name, m.clone());
            nested_modules(m, work.symbols.name(m.name).to_owned(), work.symbols, &mut modules);
        }
    }
    let mut out = Vec::new();
    for decl in decls {
        match &decl.kind {
            DeclKind::Module(m) if m.params.is_empty() => {
                out.extend(opened(m, (m.name, &[]), decl.span, &modules, work))
            }
            DeclKind::Module(_) => {}
            DeclKind::Instance(name, of, args) => match modules.get(of) {
                Some(m) if m.params.len() == args.len() => {
                    let m = m.clone();
                    out.extend(opened(&m, (*name, args), decl.span, &modules, work))
                }
                Some(m) => {
                    let message =
                        format!("this module takes {} argument(s) and is given {}", m.params.len(), args.len());
                    work.errors.push(error(decl.span, message));
                }
                None => {
                    let message = format!("there is no module {}", work.symbols.name(*of));
                    work.errors
                        .push(error(decl.span, message).hint("modules are declared with module M ... endmodule"));
                }
            },
            _ => out.push(decl),
        }
    }
    out
}

/// The declarations of one module under the name of an instance of it.
fn opened(
    m: &Module,
    (name, args): (Symbol, &[Expr]),
    span: Span,
    around: &Modules,
    work: &mut Flattening,
) -> Vec<Decl> {
    if let Err(limit) = work.meter.check_time() {
        let message = limit.to_string();
        if work.errors.last().is_none_or(|last| last.message != message) {
            work.errors.push(error(span, message));
        }
        return Vec::new();
    }
    // A module cannot be made of itself.
    let mut inside = around.clone();
    inside.remove(&m.name);
    for d in m.private.iter().chain(&m.exports) {
        if let DeclKind::Module(inner) = &d.kind {
            inside.insert(inner.name, inner.clone());
        }
    }
    let private = flatten_in(m.private.clone(), &inside, work);
    let exports = flatten_in(m.exports.clone(), &inside, work);
    let prefix = work.symbols.name(name).to_owned();
    let mut rewrite = Rewrite::renaming(work.symbols);
    let mut params = Vec::new();
    for pat in &m.params {
        crate::syntax::names::pattern_names(pat, &mut params);
    }
    params.iter().for_each(|p| rewrite.rename(*p, &format!("{prefix}::{{}} (parameter)"), false));
    for decl in &private {
        add_names(&mut rewrite, decl, &format!("{prefix}::{{}} (private)"));
    }
    for decl in &exports {
        add_names(&mut rewrite, decl, &format!("{prefix}::{{}}"));
    }
    let mut out = Vec::new();
    for (pat, arg) in m.params.iter().zip(args) {
        let pat = rewrite.bound_pattern(pat);
        out.push(Decl { span, kind: DeclKind::Pattern(pat, arg.clone()) });
    }
    out.extend(private.iter().chain(&exports).map(|d| rewrite.decl(d)));
    out
}

fn add_names(rewrite: &mut Rewrite, decl: &Decl, shape: &str) {
    let constructors: Vec<Symbol> = match &decl.kind {
        DeclKind::Channel(names, _) => names.iter().map(|(n, _)| *n).collect(),
        DeclKind::Datatype(_, ctors) => ctors.iter().map(|c| c.name).collect(),
        _ => Vec::new(),
    };
    for (name, _) in declared_names(decl) {
        rewrite.rename(name, shape, constructors.contains(&name));
    }
}

/// Modules inside others, by their long names: `instance I = Outer::Inner(1)`.
fn nested_modules(m: &Module, prefix: String, symbols: &mut Symbols, out: &mut Modules) {
    for decl in &m.exports {
        if let DeclKind::Module(inner) = &decl.kind {
            let long = format!("{prefix}::{}", symbols.name(inner.name));
            out.insert(symbols.intern(&long), inner.clone());
            nested_modules(inner, long, symbols, out);
        }
    }
}

/// What a module may not contain, and names it may not have.
fn check_names(m: &Module, span: Span, beside: &[Decl], symbols: &Symbols, errors: &mut Vec<Diagnostic>) {
    let name = symbols.name(m.name);
    if beside.iter().any(|d| declared_names(d).iter().any(|(n, _)| *n == m.name)) {
        errors.push(error(span, format!("{name} is a module and something else")).hint("rename one of the two"));
    }
    let modules = beside.iter().filter(|d| matches!(&d.kind, DeclKind::Module(other) if other.name == m.name));
    if modules.count() > 1 {
        errors.push(error(span, format!("there are two modules {name}")).hint("rename one of the two"));
    }
    let mut seen: Vec<Symbol> = Vec::new();
    for decl in m.private.iter().chain(&m.exports) {
        let what = match &decl.kind {
            DeclKind::Assert(_) => "assertions",
            DeclKind::Print(_) => "prints",
            _ => {
                for (n, at) in declared_names(decl) {
                    if seen.contains(&n) {
                        errors.push(error(at, format!("{} is defined twice in module {name}", symbols.name(n))));
                    }
                    seen.push(n);
                }
                continue;
            }
        };
        errors.push(error(decl.span, format!("{what} cannot stand in a module")).hint("move it to the top level"));
    }
}
