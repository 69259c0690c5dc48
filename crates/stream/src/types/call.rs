//! Calls: arguments in order, and whether the function is lifted.
use super::check::{Checker, Typed};
use super::expr::Place;
use super::scope::{DefId, Entity, ScopeId};
use crate::core::{Core, CoreRef};
use crate::source::{Diagnostic, Result, Span};
use crate::syntax::Dialect;
use crate::syntax::ast::{Arg, Expr, ExprKind, Ident, StrPart};
use crate::ty::{FunTy, Ty};
use crate::value::format::misfit;
use std::rc::Rc;

impl Checker<'_> {
    pub fn call(&mut self, scope: ScopeId, callee: &Expr, args: &[Arg], span: Span) -> Result<Typed> {
        let (function, id) = self.callee(scope, callee, args.len())?;
        let Ty::Fun(fun) = self.unifier.head(&function.ty) else {
            let shown = self.unifier.zonk(&function.ty);
            return Err(Diagnostic::new(format!("a value of type {shown} is not a function"), callee.span));
        };
        let args = self.in_order(id, &fun, args, span)?;
        let typed = self.infer_args(scope, &args, &fun)?;
        self.check_format(id, &typed, &args)?;
        if let Some(function) = self.old_meaning(scope, id, callee, &typed)? {
            return self.finish_call(function, typed, &args, span);
        }
        self.finish_call(function, typed, &args, span)
    }

    /// A format that is written out must fit the type of the value.
    fn check_format(&self, id: Option<DefId>, typed: &[Typed], args: &[&Expr]) -> Result<()> {
        let Some(state) = id.map(|id| &self.defs[id]).filter(|state| self.scopes[state.scope].root == 0) else {
            return Ok(());
        };
        if !matches!(&*state.def.name.name, "format" | "formatInt" | "formatFloat") || args.len() != 2 {
            return Ok(());
        }
        let ExprKind::Str(parts) = &args[0].kind else { return Ok(()) };
        let [StrPart::Text(format)] = parts.as_slice() else { return Ok(()) };
        let ty = match self.unifier.zonk(&typed[1].ty) {
            Ty::Events(inner) => (*inner).clone(),
            ty => ty,
        };
        match misfit(format, &ty) {
            Some(why) => Err(Diagnostic::new(why, args[0].span)),
            None => Ok(()),
        }
    }

    fn finish_call(&mut self, function: Typed, typed: Vec<Typed>, args: &[&Expr], span: Span) -> Result<Typed> {
        let Ty::Fun(fun) = self.unifier.head(&function.ty) else { unreachable!("checked by the caller") };
        self.assume_streams(&fun, &typed);
        let streams: Vec<bool> = typed.iter().map(|t| self.unifier.head(&t.ty).is_events()).collect();
        let wants_streams = fun.params.iter().any(|ty| self.unifier.head(ty).is_events());
        if fun.liftable && !wants_streams && streams.contains(&true) {
            return self.lifted_call(function.core, &fun, typed, &streams, args, span);
        }
        let mut cores = Vec::new();
        for ((typed, wanted), arg) in typed.into_iter().zip(&fun.params).zip(args) {
            cores.push(self.coerce(typed, wanted, arg.span)?);
        }
        Ok(Typed::new(Core::Call(function.core, cores, span), fun.result.clone()))
    }

    /// Beside a stream, an argument of unknown type is a definition that uses itself, and so is a stream, too.
    fn assume_streams(&mut self, fun: &FunTy, typed: &[Typed]) {
        if !fun.liftable || !typed.iter().any(|t| self.unifier.head(&t.ty).is_events()) {
            return;
        }
        for arg in typed {
            if matches!(self.unifier.head(&arg.ty), Ty::Var(_)) {
                let events = Ty::events(self.unifier.fresh());
                self.unifier.unify(&arg.ty, &events);
            }
        }
    }

    fn lifted_call(
        &mut self,
        function: CoreRef,
        fun: &FunTy,
        typed: Vec<Typed>,
        streams: &[bool],
        args: &[&Expr],
        span: Span,
    ) -> Result<Typed> {
        let mut cores = Vec::new();
        for (index, typed) in typed.into_iter().enumerate() {
            let core = self.coerce_element(typed, &fun.params[index], args[index].span)?;
            cores.push((streams[index], core));
        }
        Ok(Typed::new(Core::Lift(function, cores, span), Ty::events(fun.result.clone())))
    }

    /// Requires that a value, or the events of a stream, have a type.
    pub fn coerce_element(&mut self, typed: Typed, wanted: &Ty, span: Span) -> Result<CoreRef> {
        match self.unifier.head(&typed.ty) {
            Ty::Events(inner) => {
                self.equal(&inner, wanted, span)?;
                Ok(typed.core)
            }
            _ => self.coerce(typed, wanted, span),
        }
    }

    fn callee(&mut self, scope: ScopeId, callee: &Expr, count: usize) -> Result<(Typed, Option<DefId>)> {
        if let ExprKind::Apply(inner, types) = &callee.kind {
            return self.apply_types(scope, inner, types, callee.span);
        }
        if let Some(found) = self.by_arity(scope, callee, count)? {
            return Ok(found);
        }
        match self.place(scope, callee)? {
            Place::Value(typed, id) => Ok((typed, id)),
            Place::Module(_) => Err(Diagnostic::new("a module is not a function", callee.span)),
        }
    }

    /// In the 2018 dialect functions such as `merge` take any number of arguments; the prelude has one
    /// definition for each number, with the number behind the name.
    fn by_arity(&mut self, scope: ScopeId, callee: &Expr, count: usize) -> Result<Option<(Typed, Option<DefId>)>> {
        let ExprKind::Name(name) = &callee.kind else { return Ok(None) };
        if self.options.dialect != Dialect::Tessla2018 {
            return Ok(None);
        }
        let Some(Entity::Def(id)) = self.lookup(scope, name)? else { return Ok(None) };
        let user = self.scopes[self.defs[id].scope].root == self.user_root;
        if user || self.defs[id].def.params.as_ref().is_some_and(|params| params.len() == count) {
            return Ok(None);
        }
        let numbered = Ident { name: format!("{}{count}", name.name).into(), span: name.span };
        if self.lookup(scope, &numbered)?.is_none() {
            return Ok(None);
        }
        let expr = Expr { kind: ExprKind::Name(numbered), span: callee.span };
        match self.place(scope, &expr)? {
            Place::Value(typed, id) => Ok(Some((typed, id))),
            Place::Module(_) => Ok(None),
        }
    }

    /// In the 2018 dialect `default` takes a stream as well as a value, and `merge` of streams of one type keeps values.
    fn old_meaning(
        &mut self,
        scope: ScopeId,
        id: Option<DefId>,
        callee: &Expr,
        typed: &[Typed],
    ) -> Result<Option<Typed>> {
        let Some(id) = id.filter(|_| self.options.dialect == Dialect::Tessla2018) else { return Ok(None) };
        let (name, root) = (self.defs[id].def.name.name.clone(), self.scopes[self.defs[id].scope].root);
        let meaning = match &*name {
            "default" if root == 0 && self.unifier.head(&typed[1].ty).is_events() => "defaultFrom".to_owned(),
            "merge" | "merge3" | "merge4" if root != 0 && root != self.user_root && self.one_type(typed) => {
                format!("mergeValues{}", name.trim_start_matches("merge"))
            }
            _ => return Ok(None),
        };
        let name = Ident { name: meaning.into(), span: callee.span };
        match self.place(scope, &Expr { kind: ExprKind::Name(name), span: callee.span })? {
            Place::Value(typed, _) => Ok(Some(typed)),
            Place::Module(_) => Ok(None),
        }
    }

    /// Whether all arguments are streams of the same type.
    fn one_type(&mut self, typed: &[Typed]) -> bool {
        let types: Vec<Ty> = typed.iter().map(|typed| self.unifier.zonk(&typed.ty)).collect();
        types.iter().all(|ty| ty.is_events() && *ty == types[0])
    }

    /// The arguments in the order of the parameters.
    fn in_order<'e>(&self, id: Option<DefId>, fun: &FunTy, args: &'e [Arg], span: Span) -> Result<Vec<&'e Expr>> {
        let mut slots: Vec<Option<&Expr>> = vec![None; fun.params.len()];
        let name = id.map(|id| self.defs[id].def.name.name.clone());
        let shown = name.as_deref().unwrap_or("the function");
        if args.len() != fun.params.len() {
            let message = format!("`{shown}` takes {} arguments, {} given", fun.params.len(), args.len());
            return Err(Diagnostic::new(message, span));
        }
        let first = args.iter().take_while(|arg| arg.name.is_none()).count();
        for (index, arg) in args.iter().enumerate() {
            let at = match &arg.name {
                None if index < first => index,
                None => continue,
                Some(name) => self
                    .param_index(id, name)
                    .ok_or_else(|| Diagnostic::new(format!("`{shown}` has no parameter `{}`", name.name), name.span))?,
            };
            if slots[at].replace(&arg.value).is_some() {
                return Err(Diagnostic::new("this parameter is given twice", arg.value.span));
            }
        }
        // After a named argument, unnamed ones take the places that are left, in order.
        for arg in args[first..].iter().filter(|arg| arg.name.is_none()) {
            if let Some(free) = slots.iter_mut().find(|slot| slot.is_none()) {
                *free = Some(&arg.value);
            }
        }
        Ok(slots.into_iter().flatten().collect())
    }

    fn param_index(&self, id: Option<DefId>, name: &Ident) -> Option<usize> {
        self.defs[id?].def.params.as_ref()?.iter().position(|param| param.name.name == name.name)
    }

    /// Infers the types of the arguments. Lambdas come last, when the others have determined the types of their parameters.
    fn infer_args(&mut self, scope: ScopeId, args: &[&Expr], fun: &Rc<FunTy>) -> Result<Vec<Typed>> {
        let mut typed: Vec<Option<Typed>> = args.iter().map(|_| None).collect();
        for later in [false, true] {
            for (index, arg) in args.iter().enumerate() {
                if is_open_lambda(arg) != later {
                    continue;
                }
                if later {
                    self.anticipate(&typed, fun);
                }
                typed[index] = Some(self.infer(scope, arg, Some(&fun.params[index]))?);
            }
        }
        Ok(typed.into_iter().flatten().collect())
    }

    /// Unifies the parameters with the arguments typed so far; mismatches are reported later.
    fn anticipate(&mut self, typed: &[Option<Typed>], fun: &FunTy) {
        for (typed, param) in typed.iter().zip(&fun.params) {
            let Some(typed) = typed else { continue };
            let (found, wanted) = (self.unifier.head(&typed.ty), self.unifier.head(param));
            match (&found, &wanted) {
                (Ty::Events(inner), wanted) if fun.liftable && !wanted.is_events() => self.unifier.unify(inner, wanted),
                (found, Ty::Events(inner)) if !found.is_events() => self.unifier.unify(found, inner),
                (found, wanted) => self.unifier.unify(found, wanted),
            };
        }
    }
}

/// A lambda with a parameter whose type is to be inferred.
fn is_open_lambda(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Lambda(params, _) if params.iter().any(|param| param.ty.is_none()))
}
