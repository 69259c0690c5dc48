//! Type annotations: what they say, and how they meet what was inferred.

use super::scheme::Scheme;
use super::{Checker, Class, Type, builtin};
use crate::source::Span;
use crate::syntax::*;
use rustc_hash::FxHashMap;

/// The annotations of some declarations, by name.
pub(super) type Annotations<'d> = FxHashMap<Symbol, (&'d TypeScheme, Span)>;

/// The variables of an annotation.
struct Variables {
    known: FxHashMap<Symbol, Type>,
    /// Whether they stand for every type, or for one that is to be found.
    rigid: bool,
}

/// Whether an annotation speaks of extendable types, which are inferred and not checked.
fn is_flexible(scheme: &TypeScheme, symbols: &Symbols) -> bool {
    let inferred = |class: &Symbol| matches!(symbols.name(*class), "Yieldable" | "Inputable");
    scheme.constraints.iter().any(|(class, ..)| inferred(class)) || extends(&scheme.body)
}

fn extends(ty: &TypeExpr) -> bool {
    match ty {
        TypeExpr::Extendable(..) => true,
        TypeExpr::Name(..) => false,
        TypeExpr::Set(a) | TypeExpr::Seq(a) => extends(a),
        TypeExpr::Map(a, b) | TypeExpr::Dot(a, b) | TypeExpr::Dotable(a, b) => extends(a) || extends(b),
        TypeExpr::Tuple(items) => items.iter().any(extends),
        TypeExpr::Function(args, to) => args.iter().any(extends) || extends(to),
    }
}

impl Checker<'_> {
    pub(super) fn annotations<'d>(&mut self, decls: &'d [Decl]) -> Annotations<'d> {
        let mut out: Annotations = FxHashMap::default();
        for decl in decls {
            let DeclKind::Annotation(names, scheme) = &decl.kind else { continue };
            for (name, span) in names {
                if out.insert(*name, (scheme, *span)).is_some() {
                    let text = self.name(*name);
                    self.error(*span, format!("{text} has two annotations")).hint = Some("keep one of them".into());
                }
            }
        }
        out
    }

    /// Applies the annotations of names about to be checked. The definition sees variables that stand for every type;
    /// those who use the name see the general type, which is the answer.
    pub(super) fn annotate(&mut self, names: &[(Symbol, Type)], annotations: &Annotations) -> Vec<(Symbol, Scheme)> {
        let mut out = Vec::new();
        for (name, ty) in names {
            let Some(&(scheme, span)) = annotations.get(name) else { continue };
            let rigid = !is_flexible(scheme, self.symbols) && !self.constructors.contains_key(name);
            let inside = self.annotated_type(scheme, rigid);
            self.unify(&inside.ty, ty, span);
            if rigid {
                let general = self.annotated_type(scheme, false);
                self.constraints.truncate(self.constraints.len() - general.constraints.len());
                out.push((*name, general));
            }
        }
        out
    }

    /// The type of an annotation, with what it says of its variables.
    fn annotated_type(&mut self, scheme: &TypeScheme, rigid: bool) -> Scheme {
        let mut vars = Variables { known: FxHashMap::default(), rigid };
        let ty = self.annotation(&scheme.body, &mut vars);
        let before = self.constraints.len();
        for (class, var, span) in &scheme.constraints {
            self.annotated_class(*class, *var, *span, &vars.known);
        }
        let constraints = self.constraints[before..].to_vec();
        let mut numbers: Vec<u32> =
            vars.known.values().filter_map(|t| if let Type::Var(v) = t { Some(*v) } else { None }).collect();
        numbers.sort_unstable();
        Scheme { vars: numbers, constraints, ty }
    }

    fn annotated_class(&mut self, class: Symbol, var: Symbol, span: Span, vars: &FxHashMap<Symbol, Type>) {
        let class = match self.symbols.name(class) {
            "Eq" => Class::Eq,
            "Ord" => Class::Ord,
            "Set" => Class::Set,
            "Complete" => Class::Complete,
            "Yieldable" | "Inputable" => return,
            other => {
                let message = format!("there is no class {other}");
                self.error(span, message).hint = Some("the classes are Eq, Ord, Set, Complete and Yieldable".into());
                return;
            }
        };
        match vars.get(&var).cloned() {
            Some(Type::Rigid(_, id)) => {
                // What can be ordered or put into a set can be compared.
                self.given.extend([(class, id), (Class::Eq, id)]);
            }
            Some(ty) => self.constrain(class, &ty, span),
            None => {}
        }
    }

    fn annotation(&mut self, ty: &TypeExpr, vars: &mut Variables) -> Type {
        match ty {
            TypeExpr::Set(a) => Type::Set(Box::new(self.annotation(a, vars))),
            TypeExpr::Seq(a) => Type::Seq(Box::new(self.annotation(a, vars))),
            TypeExpr::Map(a, b) => Type::Map(Box::new(self.annotation(a, vars)), Box::new(self.annotation(b, vars))),
            TypeExpr::Dot(a, b) => Type::Dot(Box::new(self.annotation(a, vars)), Box::new(self.annotation(b, vars))),
            TypeExpr::Dotable(a, b) | TypeExpr::Extendable(a, b) => {
                Type::Dotable(Box::new(self.annotation(a, vars)), Box::new(self.annotation(b, vars)))
            }
            TypeExpr::Tuple(items) => Type::Tuple(items.iter().map(|t| self.annotation(t, vars)).collect()),
            TypeExpr::Function(args, to) => {
                let args = args.iter().map(|t| self.annotation(t, vars)).collect();
                Type::Function(args, Box::new(self.annotation(to, vars)))
            }
            TypeExpr::Name(name, span) => self.named_type(*name, *span, vars),
        }
    }

    /// A type by name: a built-in one, a datatype, a nametype, or a variable if it is written small.
    fn named_type(&mut self, name: Symbol, span: Span, vars: &mut Variables) -> Type {
        if let Some(ty) = builtin::named(self.symbols.name(name)) {
            return ty;
        }
        if let Some(scheme) = self.globals.get(&name).cloned()
            && let Type::Set(of) = self.resolve(&scheme.ty)
        {
            return *of;
        }
        if !self.symbols.name(name).starts_with(char::is_lowercase) {
            let text = self.name(name);
            self.error(span, format!("there is no type {text}"));
            return self.fresh();
        }
        if let Some(ty) = vars.known.get(&name) {
            return ty.clone();
        }
        let mut ty = self.fresh();
        if let (true, Type::Var(id)) = (vars.rigid, &ty) {
            ty = Type::Rigid(name, *id);
        }
        vars.known.insert(name, ty.clone());
        ty
    }
}
