//! The state of a check, and its two basic judgements: types are equal, and an expression fits a type.
use super::scope::{DefId, Scope, ScopeId};
use super::unify::Unifier;
use crate::core::{Core, CoreRef, VarId};
use crate::options::Options;
use crate::source::{Diagnostic, Result, SourceMap, Span};
use crate::syntax::ast::{Annotation, Arg, Def, Ident, Param};
use crate::ty::{Scheme, Ty};
use rustc_hash::FxHashMap;
use std::rc::Rc;

pub struct Checker<'a> {
    pub sources: &'a SourceMap,
    pub options: &'a Options,
    pub unifier: Unifier,
    pub scopes: Vec<Scope>,
    pub defs: Vec<DefState>,
    pub annotations: FxHashMap<Rc<str>, Vec<(Rc<str>, Ty)>>,
    /// The errors found in the user's text so far.
    pub errors: Vec<Diagnostic>,
    pub warnings: Vec<Diagnostic>,
    pub type_depth: usize,
    /// The scope of the user's text.
    pub user_root: ScopeId,
    next_var: VarId,
}

pub struct DefState {
    pub def: Rc<Def>,
    pub scope: ScopeId,
    pub var: VarId,
    pub progress: Progress,
    pub core: Option<CoreRef>,
}

pub enum Progress {
    Todo,
    /// Under way; the type if it is known before the body is.
    Busy(Option<Scheme>),
    Done(Scheme),
    /// Wrong, and the error has been reported.
    Failed,
}

/// A checked expression.
pub struct Typed {
    pub core: CoreRef,
    pub ty: Ty,
}

impl Typed {
    pub fn new(core: Core, ty: Ty) -> Typed {
        Typed { core: Rc::new(core), ty }
    }
}

impl<'a> Checker<'a> {
    pub fn new(sources: &'a SourceMap, options: &'a Options) -> Self {
        Checker {
            sources,
            options,
            unifier: Unifier::default(),
            scopes: Vec::new(),
            defs: Vec::new(),
            annotations: FxHashMap::default(),
            errors: Vec::new(),
            warnings: Vec::new(),
            type_depth: 0,
            user_root: 0,
            next_var: 0,
        }
    }

    pub fn fresh_var(&mut self) -> VarId {
        self.next_var += 1;
        self.next_var
    }

    pub fn add_def(&mut self, def: Rc<Def>, scope: ScopeId) -> DefId {
        let var = self.fresh_var();
        self.defs.push(DefState { def, scope, var, progress: Progress::Todo, core: None });
        self.defs.len() - 1
    }

    /// Collects an error; the check continues without the part that failed.
    pub fn note<T>(&mut self, result: Result<T>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                if !error.is_follow_up() && !self.errors.contains(&error) {
                    self.errors.push(error);
                }
                None
            }
        }
    }

    pub fn declare_annotation(&mut self, scope: ScopeId, name: &Ident, params: &[Param]) -> Result<()> {
        let mut types = Vec::new();
        for param in params {
            let Some(ty) = &param.ty else {
                return Err(Diagnostic::new(format!("parameter `{}` needs a type", param.name.name), param.name.span));
            };
            types.push((param.name.name.clone(), self.resolve_type(scope, ty)?));
        }
        if self.annotations.insert(name.name.clone(), types).is_some() {
            return Err(Diagnostic::new(format!("annotation `@{}` is defined twice", name.name), name.span));
        }
        Ok(())
    }

    /// Annotations must be declared, have as many arguments as declared, and those must be values of the declared types.
    pub fn check_annotations(&mut self, scope: ScopeId, annotations: &[Annotation]) -> Result<()> {
        for annotation in annotations {
            let name = &annotation.name;
            let Some(params) = self.annotations.get(&name.name).cloned() else {
                return Err(Diagnostic::new(format!("there is no annotation `@{}`", name.name), name.span)
                    .hint(format!("declare it with `def @{}`", name.name)));
            };
            if annotation.args.len() != params.len() {
                let (wanted, given) = (params.len(), annotation.args.len());
                let message = format!("`@{}` takes {wanted} arguments, {given} given", name.name);
                return Err(Diagnostic::new(message, name.span));
            }
            for (index, arg) in annotation.args.iter().enumerate() {
                self.annotation_argument(scope, &params, index, arg)?;
            }
        }
        Ok(())
    }

    fn annotation_argument(&mut self, scope: ScopeId, params: &[(Rc<str>, Ty)], index: usize, arg: &Arg) -> Result<()> {
        let at = match &arg.name {
            None => Some(index),
            Some(name) => params.iter().position(|(param, _)| *param == name.name),
        };
        let Some(wanted) = at.map(|at| &params[at].1) else {
            return Err(Diagnostic::new("the annotation has no parameter of this name", arg.value.span));
        };
        let typed = self.infer(scope, &arg.value, Some(wanted))?;
        if self.unifier.head(&typed.ty).is_events() {
            return Err(Diagnostic::new("an argument of an annotation must be a constant", arg.value.span));
        }
        self.coerce(typed, wanted, arg.value.span).map(drop)
    }

    /// Requires that two types are equal.
    pub fn equal(&mut self, found: &Ty, wanted: &Ty, span: Span) -> Result<()> {
        if self.unifier.unify(found, wanted) {
            return Ok(());
        }
        Err(self.mismatch(found, wanted, span))
    }

    pub fn mismatch(&self, found: &Ty, wanted: &Ty, span: Span) -> Diagnostic {
        let (found, wanted) = (self.unifier.zonk(found), self.unifier.zonk(wanted));
        let diagnostic = Diagnostic::new(format!("expected {wanted}, found {found}"), span);
        match (&found, &wanted) {
            (Ty::Events(inner), other) if **inner == *other => {
                diagnostic.hint("this is a stream; a single value is needed here")
            }
            (Ty::Int, Ty::Float) => diagnostic.hint("write the number with a fraction, or use `intToFloat`"),
            (Ty::Float, Ty::Int) => {
                diagnostic.hint("operators on floats end in a dot, as in `+.`; see also `floatToInt`")
            }
            _ => diagnostic,
        }
    }

    /// Requires that an expression fits where `wanted` is needed; a value can stand for a stream, and a
    /// liftable function for one on streams.
    pub fn coerce(&mut self, typed: Typed, wanted: &Ty, span: Span) -> Result<CoreRef> {
        let (found, target) = (self.unifier.head(&typed.ty), self.unifier.head(wanted));
        match (&found, &target) {
            (Ty::Events(_) | Ty::Var(_), _) => {}
            (_, Ty::Events(inner)) => {
                let value = self.coerce(typed, &inner.clone(), span)?;
                return Ok(Rc::new(Core::ToStream(value)));
            }
            (Ty::Fun(from), Ty::Fun(to)) if from.liftable && self.lifts(&to.params) && !self.lifts(&from.params) => {
                let params: Vec<Ty> = from.params.iter().map(|ty| Ty::events(ty.clone())).collect();
                let same = params.len() == to.params.len()
                    && params.iter().zip(&to.params).all(|(a, b)| self.unifier.unify(a, b))
                    && self.unifier.unify(&Ty::events(from.result.clone()), &to.result);
                if same {
                    return Ok(Rc::new(Core::LiftFun(typed.core, params.len())));
                }
            }
            _ => {}
        }
        self.equal(&typed.ty, wanted, span)?;
        Ok(typed.core)
    }

    fn lifts(&self, params: &[Ty]) -> bool {
        params.iter().any(|ty| self.unifier.head(ty).is_events())
    }
}
