//! Names: how items declare them, and what each means where it is used.
use super::check::Checker;
use super::scope::{DefId, Entity, Scope, ScopeId, TypeEntity};
use crate::source::{Diagnostic, Result};
use crate::syntax::ast::{Ident, Item, TypeDef};
use std::rc::Rc;

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
}
