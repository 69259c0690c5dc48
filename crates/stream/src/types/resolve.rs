//! Type expressions: the type that each denotes.
use super::check::Checker;
use super::scope::{Entity, ScopeId, TypeEntity};
use super::unify::substitute;
use crate::source::{Diagnostic, Result, Span};
use crate::syntax::ast::{Ident, TypeExpr, TypeKind};
use crate::ty::{FunTy, Ty, is_tuple};
use std::rc::Rc;

impl Checker<'_> {
    /// The type that a type expression denotes.
    pub fn resolve_type(&mut self, scope: ScopeId, ty: &TypeExpr) -> Result<Ty> {
        match &ty.kind {
            TypeKind::Tuple(items) if items.is_empty() => Ok(Ty::Unit),
            TypeKind::Tuple(items) => Ok(Ty::Tuple(Rc::new(self.resolve_types(scope, items)?))),
            TypeKind::Record(fields) => {
                let mut resolved = Vec::new();
                for (name, ty) in fields {
                    resolved.push((name.name.clone(), self.resolve_type(scope, ty)?));
                }
                if is_tuple(resolved.iter().map(|(name, _)| &**name)) {
                    resolved.sort_by_key(|(name, _): &(Rc<str>, Ty)| (name.len(), name.clone()));
                    return Ok(Ty::Tuple(Rc::new(resolved.into_iter().map(|(_, ty)| ty).collect())));
                }
                resolved.sort_by(|a, b| a.0.cmp(&b.0));
                Ok(Ty::Record(Rc::new(resolved)))
            }
            TypeKind::Fun(params, result) => {
                let params = self.resolve_types(scope, params)?;
                let result = self.resolve_type(scope, result)?;
                Ok(Ty::Fun(Rc::new(FunTy { params, result, liftable: true })))
            }
            TypeKind::Named(path, args) => {
                let args = self.resolve_types(scope, args)?;
                self.named_type(scope, path, args, ty.span)
            }
        }
    }

    fn resolve_types(&mut self, scope: ScopeId, types: &[TypeExpr]) -> Result<Vec<Ty>> {
        types.iter().map(|ty| self.resolve_type(scope, ty)).collect()
    }

    fn named_type(&mut self, scope: ScopeId, path: &[Ident], args: Vec<Ty>, span: Span) -> Result<Ty> {
        let (name, modules) = path.split_last().expect("a path has a name");
        let mut at = Some(scope);
        for module in modules {
            match self.lookup(at.unwrap_or(scope), module)? {
                Some(Entity::Module(id)) => at = Some(id),
                _ => return Err(Diagnostic::new(format!("there is no module `{}`", module.name), module.span)),
            }
        }
        while let Some(id) = at {
            if let Some(entity) = self.scopes[id].types.get(&name.name).cloned() {
                return self.use_type(entity, name, args, span);
            }
            at = self.scopes[id].parent;
        }
        builtin_type(&name.name, &args).ok_or_else(|| self.bad_type(name, args.len(), span))
    }

    fn use_type(&mut self, entity: TypeEntity, name: &Ident, args: Vec<Ty>, span: Span) -> Result<Ty> {
        let (def, scope) = match entity {
            TypeEntity::Param(ty) => return Ok(ty),
            TypeEntity::Alias(def, scope) => (def, scope),
        };
        if def.params.len() != args.len() {
            return Err(arity(name, def.params.len(), args.len(), span));
        }
        let Some(body) = &def.body else {
            return builtin_type(&name.name, &args).ok_or_else(|| self.bad_type(name, args.len(), span));
        };
        if self.type_depth > 100 {
            return Err(Diagnostic::new(format!("type `{}` is defined by itself", name.name), def.name.span));
        }
        self.type_depth += 1;
        let inner = self.new_scope(scope);
        let params: Vec<(u32, Rc<str>)> = def.params.iter().map(|p| (self.unifier.param(), p.name.clone())).collect();
        for (id, name) in &params {
            self.scopes[inner].types.insert(name.clone(), TypeEntity::Param(Ty::Param(*id, name.clone())));
        }
        let ty = self.resolve_type(inner, body);
        self.type_depth -= 1;
        Ok(substitute(&ty?, &params, &args))
    }

    fn bad_type(&self, name: &Ident, args: usize, span: Span) -> Diagnostic {
        const ARITIES: [(&str, usize); 11] = [
            ("Int", 0),
            ("Float", 0),
            ("Bool", 0),
            ("String", 0),
            ("Unit", 0),
            ("CTF", 0),
            ("Events", 1),
            ("Option", 1),
            ("List", 1),
            ("Set", 1),
            ("Map", 2),
        ];
        match ARITIES.iter().find(|(known, _)| *known == &*name.name) {
            Some((_, wanted)) => arity(name, *wanted, args, span),
            None => Diagnostic::new(format!("there is no type `{}`", name.name), name.span),
        }
    }
}

fn arity(name: &Ident, wanted: usize, found: usize, span: Span) -> Diagnostic {
    Diagnostic::new(format!("type `{}` takes {wanted} type arguments, {found} given", name.name), span)
}

fn builtin_type(name: &str, args: &[Ty]) -> Option<Ty> {
    Some(match (name, args) {
        ("Int", []) => Ty::Int,
        ("Float", []) => Ty::Float,
        ("Bool", []) => Ty::Bool,
        ("String", []) => Ty::Str,
        ("Unit", []) => Ty::Unit,
        ("CTF", []) => Ty::Ctf,
        ("Events", [t]) => Ty::Events(Rc::new(t.clone())),
        ("Option", [t]) => Ty::Option(Rc::new(t.clone())),
        ("List", [t]) => Ty::List(Rc::new(t.clone())),
        ("Set", [t]) => Ty::Set(Rc::new(t.clone())),
        ("Map", [k, v]) => Ty::Map(Rc::new((k.clone(), v.clone()))),
        _ => return None,
    })
}
