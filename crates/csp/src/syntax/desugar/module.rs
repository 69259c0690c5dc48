//! Modules: what one declares is known outside as `M::x`, and what it does not export has a name nobody can write.

use super::*;
use rustc_hash::FxHashMap;

/// Replaces modules and instances by their declarations.
pub fn flatten(decls: Vec<Decl>, symbols: &mut Symbols, errors: &mut Vec<Diagnostic>) -> Vec<Decl> {
    let mut modules: FxHashMap<Symbol, Module> = FxHashMap::default();
    for decl in &decls {
        if let DeclKind::Module(m) = &decl.kind {
            modules.insert(m.name, m.clone());
        }
    }
    let mut out = Vec::new();
    for decl in decls {
        match &decl.kind {
            DeclKind::Module(m) if m.params.is_empty() => {
                out.extend(opened(m, m.name, &[], decl.span, symbols, errors))
            }
            DeclKind::Module(_) => {}
            DeclKind::Instance(name, of, args) => match modules.get(of) {
                Some(m) if m.params.len() == args.len() => {
                    out.extend(opened(m, *name, args, decl.span, symbols, errors))
                }
                Some(m) => {
                    let message =
                        format!("this module takes {} argument(s) and is given {}", m.params.len(), args.len());
                    errors.push(error(decl.span, message));
                }
                None => {
                    let message = format!("there is no module {}", symbols.name(*of));
                    errors.push(error(decl.span, message).hint("modules are declared with module M ... endmodule"));
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
    name: Symbol,
    args: &[Expr],
    span: Span,
    symbols: &mut Symbols,
    errors: &mut Vec<Diagnostic>,
) -> Vec<Decl> {
    let private = flatten(m.private.clone(), symbols, errors);
    let exports = flatten(m.exports.clone(), symbols, errors);
    let prefix = symbols.name(name).to_owned();
    let mut rewrite = Rewrite::renaming(symbols);
    let mut params = Vec::new();
    for pat in &m.params {
        crate::eval::free::pattern_names(pat, &mut params);
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
