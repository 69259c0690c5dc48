//! Definitions: their types, checked once, when first needed.
use super::check::{Checker, Progress, Typed};
use super::scope::{DefId, Entity, ScopeId, TypeEntity};
use crate::core::{Core, CoreDef, CoreRef, Lambda, Shape, VarId};
use crate::source::{Diagnostic, Result};
use crate::syntax::ast::{Def, Expr, ExprKind, Item, Param};
use crate::ty::{FunTy, Scheme, Ty, is_tuple};
use crate::value::{Builtin, builtin};
use std::rc::Rc;

/// What the head of a definition says.
struct Head {
    scope: ScopeId,
    type_params: Vec<(u32, Rc<str>)>,
    params: Option<Vec<(VarId, Ty)>>,
    result: Option<Ty>,
}

impl Checker<'_> {
    /// The type of a definition, checking it if that has not been done.
    pub fn scheme(&mut self, id: DefId) -> Result<Scheme> {
        match &self.defs[id].progress {
            Progress::Done(scheme) | Progress::Busy(Some(scheme)) => return Ok(scheme.clone()),
            Progress::Busy(None) => {
                let name = &self.defs[id].def.name;
                return Err(Diagnostic::new(
                    format!("`{}` is recursive and needs a result type", name.name),
                    name.span,
                )
                .hint(format!("write `def {}(…): Type = …`", name.name)));
            }
            Progress::Failed => return Err(Diagnostic::follow_up()),
            Progress::Todo => {}
        }
        let checked = stacker::maybe_grow(128 * 1024, 1024 * 1024, || self.check_def(id));
        if checked.is_err() {
            self.defs[id].progress = Progress::Failed;
        }
        let checked = self.note(checked);
        checked.ok_or_else(Diagnostic::follow_up)
    }

    fn check_def(&mut self, id: DefId) -> Result<Scheme> {
        let def = self.defs[id].def.clone();
        self.check_annotations(self.defs[id].scope, &def.annotations)?;
        let head = self.head(&def, self.defs[id].scope)?;
        let early = self.early_scheme(&def, &head);
        self.defs[id].progress = Progress::Busy(early.clone());
        let (core, result) = self.body(&def, &head)?;
        // Uses inside the body saw the early type; what they found out must agree with the body.
        if let (Some(early), None, None) = (&early, &head.params, &head.result) {
            self.equal(&result, &early.ty, def.body.span)?;
        }
        self.defs[id].progress = Progress::Todo;
        let scheme = self.generalise(id, head.type_params.clone(), &whole_type(&def, &head, result));
        self.defs[id].core = Some(core);
        self.defs[id].progress = Progress::Done(scheme.clone());
        Ok(scheme)
    }

    /// The type with everything filled in that is known. What is still open, and is not open in what surrounds the
    /// definition either, is a parameter of it: an alias of a generic function is generic.
    fn generalise(&mut self, id: DefId, mut params: Vec<(u32, Rc<str>)>, ty: &Ty) -> Scheme {
        let mut ty = self.unifier.zonk(ty);
        let mut open = Vec::new();
        open_types(&ty, &mut open);
        if !open.is_empty() {
            let around = self.open_around(self.defs[id].scope);
            open.retain(|var| !around.contains(var));
        }
        for var in open {
            let param = (self.unifier.param(), Rc::from(format!("T{}", params.len() + 1)));
            ty = ty.map(&mut |part| matches!(part, Ty::Var(own) if *own == var).then(|| param_type(&param)));
            params.push(param);
        }
        Scheme { params, ty }
    }

    /// The types that are still open in the definitions under way and in the parameters that can be seen.
    fn open_around(&self, scope: ScopeId) -> Vec<u32> {
        let mut open = Vec::new();
        for state in &self.defs {
            if let Progress::Busy(Some(scheme)) = &state.progress {
                open_types(&self.unifier.zonk(&scheme.ty), &mut open);
            }
        }
        let mut at = Some(scope);
        while let Some(id) = at {
            for entity in self.scopes[id].values.values() {
                if let Entity::Local(_, ty) = entity {
                    open_types(&self.unifier.zonk(ty), &mut open);
                }
            }
            at = self.scopes[id].parent;
        }
        open
    }

    fn head(&mut self, def: &Def, outer: ScopeId) -> Result<Head> {
        let scope = self.new_scope(outer);
        let mut type_params = Vec::new();
        for name in &def.type_params {
            let id = self.unifier.param();
            let ty = Ty::Param(id, name.name.clone());
            self.scopes[scope].types.insert(name.name.clone(), TypeEntity::Param(ty));
            type_params.push((id, name.name.clone()));
        }
        let params = match &def.params {
            Some(params) => Some(self.params(def, scope, params)?),
            None => None,
        };
        let result = match &def.result {
            Some(ty) => Some(self.resolve_type(scope, ty)?),
            None => None,
        };
        Ok(Head { scope, type_params, params, result })
    }

    fn params(&mut self, def: &Def, scope: ScopeId, params: &[Param]) -> Result<Vec<(VarId, Ty)>> {
        let mut out = Vec::new();
        for param in params {
            let Some(ty) = &param.ty else {
                return Err(Diagnostic::new(format!("parameter `{}` needs a type", param.name.name), param.name.span)
                    .hint(format!("write `{}: Events[Int]`, for example", param.name.name)));
            };
            let ty = self.resolve_type(scope, ty)?;
            let liftable = def.liftable || def.annotations.iter().any(|a| &*a.name.name == "liftable");
            if liftable && ty.is_events() {
                let message = format!("`{}` is liftable, so `{}` cannot be a stream", def.name.name, param.name.name);
                return Err(Diagnostic::new(message, param.name.span).hint("give it the type of the events"));
            }
            out.push((self.declare_param(scope, param, ty.clone())?, ty));
        }
        Ok(out)
    }

    pub fn declare_param(&mut self, scope: ScopeId, param: &Param, ty: Ty) -> Result<VarId> {
        let var = self.fresh_var();
        if &*param.name.name != "_" {
            self.declare(scope, &param.name, Entity::Local(var, ty))?;
        }
        Ok(var)
    }

    /// The type that recursive uses see, if the head determines it.
    fn early_scheme(&mut self, def: &Def, head: &Head) -> Option<Scheme> {
        let result = match (&head.result, &head.params) {
            (Some(result), _) => result.clone(),
            (None, None) if head.type_params.is_empty() => self.outline(&def.body),
            _ => return None,
        };
        Some(Scheme { params: head.type_params.clone(), ty: whole_type(def, head, result) })
    }

    /// The outline of an expression's type, as far as its syntax gives it.
    fn outline(&mut self, body: &Expr) -> Ty {
        match &body.kind {
            ExprKind::Tuple(items) if items.len() > 1 => {
                Ty::Tuple(Rc::new(items.iter().map(|_| self.unifier.fresh()).collect()))
            }
            ExprKind::Record(fields) if !is_tuple(fields.iter().map(|(name, _)| &*name.name)) => {
                let mut types: Vec<(Rc<str>, Ty)> =
                    fields.iter().map(|(name, _)| (name.name.clone(), self.unifier.fresh())).collect();
                types.sort_by(|a, b| a.0.cmp(&b.0));
                Ty::Record(Rc::new(types))
            }
            _ => self.unifier.fresh(),
        }
    }

    fn body(&mut self, def: &Def, head: &Head) -> Result<(CoreRef, Ty)> {
        if let ExprKind::Extern(name) = &def.body.kind {
            let Some(result) = head.result.clone() else {
                return Err(Diagnostic::new("a built-in needs a result type", def.name.span));
            };
            let op = Builtin::by_name(&name.name)
                .ok_or_else(|| Diagnostic::new(format!("there is no built-in `{}`", name.name), name.span))?;
            return self.builtin_body(def, head, op).map(|core| (core, result));
        }
        let typed = self.infer(head.scope, &def.body, head.result.as_ref())?;
        let (core, result) = match &head.result {
            Some(wanted) => (self.coerce(typed, wanted, def.body.span)?, wanted.clone()),
            None => (typed.core, typed.ty),
        };
        let core = match &head.params {
            None => core,
            Some(params) => {
                let strict = def.params.iter().flatten().map(|param| param.strict).collect();
                let params = params.iter().map(|(var, _)| *var).collect();
                let name = def.name.name.clone();
                Rc::new(Core::Lambda(Rc::new(Lambda { name, params, strict, body: core, span: def.name.span })))
            }
        };
        Ok((core, result))
    }

    fn builtin_body(&mut self, def: &Def, head: &Head, op: Builtin) -> Result<CoreRef> {
        let given = head.params.as_ref().map_or(0, Vec::len);
        if op.arity() != usize::MAX && op.arity() != given {
            let message = format!("the built-in `{}` takes {} parameters, {given} declared", op.name(), op.arity());
            return Err(Diagnostic::new(message, def.name.span));
        }
        Ok(Rc::new(match (op, given) {
            (Builtin::Nil, _) => Core::Call(Rc::new(Core::Builtin(op)), Vec::new(), def.name.span),
            (op, 0) => Core::Const(builtin::constant(op)),
            (op, _) => Core::Builtin(op),
        }))
    }

    /// `{ items value }`.
    pub fn block(&mut self, outer: ScopeId, items: &[Item], value: &Expr, wanted: Option<&Ty>) -> Result<Typed> {
        let scope = self.new_scope(outer);
        let defs = self.declare_items(scope, items)?;
        let checked: Vec<bool> = defs.iter().map(|id| self.scheme(*id).is_ok()).collect();
        if checked.contains(&false) {
            return Err(Diagnostic::follow_up());
        }
        let value = self.infer(scope, value, wanted)?;
        if defs.is_empty() {
            return Ok(value);
        }
        let defs = Rc::new(self.core_defs(&defs));
        Ok(Typed::new(Core::Block(defs, value.core), value.ty))
    }

    /// The checked definitions, ready to be expanded.
    pub fn core_defs(&self, defs: &[DefId]) -> Vec<CoreDef> {
        let finished = defs.iter().filter_map(|id| {
            let state = &self.defs[*id];
            let Progress::Done(scheme) = &state.progress else { return None };
            let shape = shape(&self.unifier.zonk(&scheme.ty));
            let name = state.def.name.clone();
            Some(CoreDef { var: state.var, name: name.name, value: state.core.clone()?, span: name.span, shape })
        });
        finished.collect()
    }
}

/// The types that are still open in a type, in the order they occur.
fn open_types(ty: &Ty, out: &mut Vec<u32>) {
    ty.any(&mut |part| {
        if let Ty::Var(var) = part
            && !out.contains(var)
        {
            out.push(*var);
        }
        false
    });
}

fn param_type((id, name): &(u32, Rc<str>)) -> Ty {
    Ty::Param(*id, name.clone())
}

fn shape(ty: &Ty) -> Shape {
    match ty {
        Ty::Events(_) => Shape::Stream,
        Ty::Tuple(items) => Shape::Fields(None, items.iter().map(shape).collect()),
        Ty::Record(fields) => {
            let names = fields.iter().map(|(name, _)| name.clone()).collect();
            Shape::Fields(Some(names), fields.iter().map(|(_, ty)| shape(ty)).collect())
        }
        _ => Shape::Value,
    }
}

fn whole_type(def: &Def, head: &Head, result: Ty) -> Ty {
    match &head.params {
        None => result,
        Some(params) => {
            let params = params.iter().map(|(_, ty)| ty.clone()).collect();
            let liftable = def.liftable || def.annotations.iter().any(|a| &*a.name.name == "liftable");
            Ty::Fun(Rc::new(FunTy { params, result, liftable }))
        }
    }
}
