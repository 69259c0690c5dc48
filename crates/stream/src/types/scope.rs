//! Names: which scope declares what, and how a path is resolved.
use super::check::Checker;
use super::expr::is_tuple;
use super::ty::{FunTy, Ty};
use super::unify::substitute;
use crate::core::VarId;
use crate::source::{Diagnostic, Result, Span};
use crate::syntax::ast::{Ident, Item, TypeDef, TypeExpr, TypeKind};
use rustc_hash::FxHashMap;
use std::rc::Rc;

pub type ScopeId = usize;
pub type DefId = usize;

#[derive(Clone, Debug)]
pub enum Entity {
    Def(DefId),
    Local(VarId, Ty),
    Input(u32, Ty),
    Module(ScopeId),
    /// Declared wrongly, which has been said.
    Failed,
}

#[derive(Clone)]
pub enum TypeEntity {
    Alias(Rc<TypeDef>, ScopeId),
    Param(Ty),
}

#[derive(Default)]
pub struct Scope {
    pub parent: Option<ScopeId>,
    /// The outermost scope of the texts this one belongs to.
    pub root: ScopeId,
    pub values: FxHashMap<Rc<str>, Entity>,
    pub types: FxHashMap<Rc<str>, TypeEntity>,
    imports: Vec<(ScopeId, Rc<str>)>,
}

impl Checker<'_> {
    pub fn new_scope(&mut self, parent: ScopeId) -> ScopeId {
        let root = self.scopes[parent].root;
        self.scopes.push(Scope { parent: Some(parent), root, ..Scope::default() });
        self.scopes.len() - 1
    }

    /// A scope for a text of its own, inside the library's.
    pub fn new_root(&mut self, parent: Option<ScopeId>) -> ScopeId {
        let id = self.scopes.len();
        self.scopes.push(Scope { parent, root: id, ..Scope::default() });
        id
    }

    pub fn declare(&mut self, scope: ScopeId, name: &Ident, entity: Entity) -> Result<()> {
        if self.scopes[scope].values.insert(name.name.clone(), entity).is_some() {
            return Err(Diagnostic::new(format!("`{}` is defined twice", name.name), name.span)
                .hint("rename one of them, or put one into a module"));
        }
        Ok(())
    }

    /// Declares everything in a list of items but inputs and outputs, which are the caller's.
    pub fn declare_items(&mut self, scope: ScopeId, items: &[Item]) -> Result<Vec<DefId>> {
        let mut defs = Vec::new();
        for item in items {
            match item {
                Item::Def(def) => {
                    let id = self.add_def(def.clone(), scope);
                    let declared = self.declare(scope, &def.name, Entity::Def(id));
                    self.note(declared);
                    defs.push(id);
                }
                Item::Type(def) => {
                    let declared = self.declare_type(scope, def);
                    self.note(declared);
                }
                Item::Module(name, items) => {
                    let inner = self.module_scope(scope, name)?;
                    defs.extend(self.declare_items(inner, items)?);
                }
                Item::AnnotationDef(..) => {}
                _ => {}
            }
        }
        for item in items {
            let done = match item {
                Item::Import(path) => self.import(scope, path),
                Item::AnnotationDef(name, params) => self.declare_annotation(scope, name, params),
                _ => Ok(()),
            };
            self.note(done);
        }
        Ok(defs)
    }

    fn declare_type(&mut self, scope: ScopeId, def: &Rc<TypeDef>) -> Result<()> {
        let entity = TypeEntity::Alias(def.clone(), scope);
        if self.scopes[scope].types.insert(def.name.name.clone(), entity).is_some() {
            return Err(Diagnostic::new(format!("type `{}` is defined twice", def.name.name), def.name.span));
        }
        Ok(())
    }

    fn module_scope(&mut self, scope: ScopeId, name: &Ident) -> Result<ScopeId> {
        let inner = self.new_scope(scope);
        self.declare(scope, name, Entity::Module(inner))?;
        Ok(inner)
    }

    fn import(&mut self, scope: ScopeId, path: &[Ident]) -> Result<()> {
        let mut at = scope;
        for (index, name) in path.iter().enumerate() {
            let found = if index == 0 { self.lookup(at, name)? } else { self.member(at, name) };
            match found {
                Some(Entity::Module(module)) => at = module,
                Some(_) => return Err(Diagnostic::new(format!("`{}` is not a module", name.name), name.span)),
                None => return Err(Diagnostic::new(format!("there is no module `{}`", name.name), name.span)),
            }
        }
        let name = path.last().map(|name| name.name.clone()).unwrap_or_default();
        self.scopes[scope].imports.push((at, name));
        Ok(())
    }

    /// What a module declares under a name.
    pub fn member(&self, module: ScopeId, name: &Ident) -> Option<Entity> {
        self.scopes[module].values.get(&name.name).cloned()
    }

    /// What a name means here: the innermost declaration, then what was imported, then outwards.
    pub fn lookup(&self, scope: ScopeId, name: &Ident) -> Result<Option<Entity>> {
        let mut at = Some(scope);
        while let Some(id) = at {
            let scope = &self.scopes[id];
            if let Some(entity) = scope.values.get(&name.name) {
                return Ok(Some(entity.clone()));
            }
            if let Some(entity) = self.imported(scope, name)? {
                return Ok(Some(entity));
            }
            at = scope.parent;
        }
        Ok(None)
    }

    fn imported(&self, scope: &Scope, name: &Ident) -> Result<Option<Entity>> {
        let mut found = scope.imports.iter().filter_map(|(id, module)| Some((self.member(*id, name)?, module)));
        let Some((entity, first)) = found.next() else { return Ok(None) };
        match found.next() {
            Some((_, second)) => {
                let message = format!("`{}` is ambiguous: both `{first}` and `{second}` are imported", name.name);
                Err(Diagnostic::new(message, name.span).hint(format!("write `{first}.{}`", name.name)))
            }
            None => Ok(Some(entity)),
        }
    }

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
