//! Expressions.
use super::check::{Checker, Typed};
use super::scope::{Entity, ScopeId};
use crate::core::{Core, CoreRef, Lambda};
use crate::source::{Diagnostic, Result, Span};
use crate::syntax::ast::{Arg, Expr, ExprKind, Ident, Param, StrPart, TypeExpr};
use crate::time::TimeUnit;
use crate::ty::{FunTy, Ty, is_tuple, tuple_place};
use crate::value::{Builtin, Value, int};
use num_bigint::BigInt;
use std::rc::Rc;

/// What a path of names leads to.
pub enum Place {
    Value(Typed, Option<usize>),
    Module(ScopeId),
}

impl Checker<'_> {
    /// The type of an expression and its core; `wanted` helps where the expression alone does not determine it.
    pub fn infer(&mut self, scope: ScopeId, expr: &Expr, wanted: Option<&Ty>) -> Result<Typed> {
        stacker::maybe_grow(128 * 1024, 1024 * 1024, || self.infer_inner(scope, expr, wanted))
    }

    fn infer_inner(&mut self, scope: ScopeId, expr: &Expr, wanted: Option<&Ty>) -> Result<Typed> {
        match &expr.kind {
            ExprKind::Int(value) => Ok(Typed::new(Core::Const(int::from_big(value.clone())), Ty::Int)),
            ExprKind::Duration(value, unit) => self.duration(value, unit),
            ExprKind::Float(value) => Ok(Typed::new(Core::Const(Value::Float(*value)), Ty::Float)),
            ExprKind::Str(parts) => self.string(scope, parts, expr.span),
            ExprKind::Name(_) | ExprKind::Root | ExprKind::Member(..) => match self.place(scope, expr)? {
                Place::Value(typed, _) => Ok(typed),
                Place::Module(_) => Err(Diagnostic::new("a module is not a value", expr.span)),
            },
            ExprKind::Apply(callee, types) => self.apply_types(scope, callee, types, expr.span).map(|(typed, _)| typed),
            ExprKind::Call(callee, args) => self.call(scope, callee, args, expr.span),
            ExprKind::Tuple(items) => self.tuple(scope, items),
            ExprKind::Record(fields) => self.record(scope, fields),
            ExprKind::Block(items, value) => self.block(scope, items, value, wanted),
            ExprKind::Lambda(params, body) => self.lambda(scope, params, body, wanted, expr.span),
            ExprKind::If { is_static, cond, then, other } => match other {
                Some(other) => self.conditional(scope, *is_static, [&**cond, &**then, &**other]),
                None => self.if_then(scope, cond, then, expr.span),
            },
            ExprKind::Extern(name) => {
                Err(Diagnostic::new("`extern` is only allowed as the whole body of a definition", name.span))
            }
        }
    }

    fn duration(&mut self, value: &BigInt, unit: &Ident) -> Result<Typed> {
        let wanted = TimeUnit::by_name(&unit.name).ok_or_else(|| {
            Diagnostic::new(format!("there is no unit of time `{}`", unit.name), unit.span)
                .hint("the units are fs, ps, ns, us, ms, s, min, h and d")
        })?;
        let Some(base) = self.options.base_time else {
            return Err(Diagnostic::new("a unit of time needs to know the unit of the timestamps", unit.span)
                .hint("give it with `--base-time ns`, for example"));
        };
        let (scaled, divisor) = (value * BigInt::from(wanted.femtoseconds()), base.femtoseconds());
        if &scaled % &divisor != BigInt::from(0) {
            let message = format!("{value}{} is not a whole number of {base}", unit.name);
            return Err(Diagnostic::new(message, unit.span));
        }
        Ok(Typed::new(Core::Const(int::from_big(scaled / divisor)), Ty::Int))
    }

    /// A string is the concatenation of its parts, so that lifting applies as for any call.
    fn string(&mut self, scope: ScopeId, parts: &[StrPart], span: Span) -> Result<Typed> {
        let literal = |text: &str| Typed::new(Core::Const(Value::str(text)), Ty::Str);
        match parts {
            [] => return Ok(literal("")),
            [StrPart::Text(text)] => return Ok(literal(text)),
            _ => {}
        }
        let mut whole: Option<Expr> = None;
        for part in parts {
            let part = string_part(part, span);
            whole = Some(match whole {
                None => part,
                Some(before) => library_call("String", "concat", vec![before, part], span),
            });
        }
        self.infer(scope, &whole.expect("there are parts"), None)
    }

    /// Follows a path of names through modules to a value, and through the fields of that.
    pub fn place(&mut self, scope: ScopeId, expr: &Expr) -> Result<Place> {
        match &expr.kind {
            ExprKind::Name(name) => match self.lookup(scope, name)? {
                Some(entity) => self.entity(entity),
                None => Err(self.unknown_name(scope, name)),
            },
            ExprKind::Root => Ok(Place::Module(self.scopes[scope].root)),
            ExprKind::Member(base, name) => match self.place(scope, base)? {
                Place::Module(module) => {
                    let found = if matches!(base.kind, ExprKind::Root) {
                        self.lookup(module, name)?
                    } else {
                        self.member(module, name)
                    };
                    match found {
                        Some(entity) => self.entity(entity),
                        None => Err(Diagnostic::new(format!("the module has no member `{}`", name.name), name.span)),
                    }
                }
                Place::Value(typed, _) => Ok(Place::Value(self.field(typed, name)?, None)),
            },
            _ => Ok(Place::Value(self.infer(scope, expr, None)?, None)),
        }
    }

    fn entity(&mut self, entity: Entity) -> Result<Place> {
        Ok(match entity {
            Entity::Failed => return Err(Diagnostic::follow_up()),
            Entity::Module(scope) => Place::Module(scope),
            Entity::Local(var, ty) => Place::Value(Typed::new(Core::Var(var), ty), None),
            Entity::Input(index, ty) => Place::Value(Typed::new(Core::Input(index), ty), None),
            Entity::Def(id) => {
                let scheme = self.scheme(id)?;
                let (ty, _) = self.unifier.instantiate(&scheme);
                Place::Value(Typed::new(Core::Var(self.defs[id].var), ty), Some(id))
            }
        })
    }

    fn unknown_name(&self, scope: ScopeId, name: &Ident) -> Diagnostic {
        let diagnostic = Diagnostic::new(format!("`{}` is not defined", name.name), name.span);
        match self.nearest(scope, &name.name) {
            Some(near) => diagnostic.hint(format!("did you mean `{near}`?")),
            None => diagnostic,
        }
    }

    /// The visible name that differs in the fewest letters, if those are few.
    fn nearest(&self, scope: ScopeId, name: &str) -> Option<Rc<str>> {
        let mut best: Option<(usize, Rc<str>)> = None;
        let mut at = Some(scope);
        while let Some(id) = at {
            for known in self.scopes[id].values.keys() {
                let far = distance(name, known);
                let closer = best.as_ref().is_none_or(|(least, old)| (far, known) < (*least, old));
                if far <= 1 + name.len() / 4 && closer {
                    best = Some((far, known.clone()));
                }
            }
            at = self.scopes[id].parent;
        }
        best.map(|(_, name)| name)
    }

    fn field(&mut self, base: Typed, name: &Ident) -> Result<Typed> {
        let head = self.unifier.head(&base.ty);
        let (inner, lifted) = match &head {
            Ty::Events(inner) => (self.unifier.head(inner), true),
            _ => (head.clone(), false),
        };
        let Some((index, ty)) = find_field(&inner, &name.name) else {
            let shown = self.unifier.zonk(&head);
            return Err(Diagnostic::new(format!("a value of type {shown} has no member `{}`", name.name), name.span));
        };
        if lifted {
            let core = Core::Lift(Rc::new(Core::Project(index)), vec![(true, base.core)], name.span);
            return Ok(Typed::new(core, Ty::events(ty)));
        }
        Ok(Typed::new(Core::Field(base.core, index), ty))
    }

    /// `f[Int]`: a use of a definition with its type arguments given.
    pub fn apply_types(
        &mut self,
        scope: ScopeId,
        callee: &Expr,
        types: &[TypeExpr],
        span: Span,
    ) -> Result<(Typed, Option<usize>)> {
        let Place::Value(typed, Some(id)) = self.place(scope, callee)? else {
            return Err(Diagnostic::new("only a definition takes type arguments", span));
        };
        let scheme = self.scheme(id)?;
        // Inferred type parameters come after the declared ones, and need not be given.
        let declared = self.defs[id].def.type_params.len();
        if types.len() != declared && types.len() != scheme.params.len() {
            let message = format!("{declared} type arguments are needed, {} given", types.len());
            return Err(Diagnostic::new(message, span));
        }
        let (ty, fresh) = self.unifier.instantiate(&scheme);
        for (fresh, given) in fresh.iter().zip(types) {
            let given_ty = self.resolve_type(scope, given)?;
            self.equal(&given_ty, fresh, given.span)?;
        }
        Ok((Typed { core: typed.core, ty }, Some(id)))
    }

    fn tuple(&mut self, scope: ScopeId, items: &[Expr]) -> Result<Typed> {
        if items.is_empty() {
            return Ok(Typed::new(Core::Const(Value::Unit), Ty::Unit));
        }
        let (mut cores, mut types) = (Vec::new(), Vec::new());
        for item in items {
            let typed = self.infer(scope, item, None)?;
            cores.push(typed.core);
            types.push(typed.ty);
        }
        Ok(Typed::new(Core::Fields(None, cores), Ty::Tuple(Rc::new(types))))
    }

    fn record(&mut self, scope: ScopeId, fields: &[(Ident, Expr)]) -> Result<Typed> {
        let mut sorted: Vec<&(Ident, Expr)> = fields.iter().collect();
        sorted.sort_by(|a, b| a.0.name.cmp(&b.0.name));
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0].0.name == pair[1].0.name) {
            return Err(Diagnostic::new(format!("field `{}` is given twice", pair[1].0.name), pair[1].0.span));
        }
        let (mut cores, mut types) = (Vec::new(), Vec::new());
        for (name, value) in sorted {
            let typed = self.infer(scope, value, None)?;
            cores.push(typed.core);
            types.push((name.name.clone(), typed.ty));
        }
        if is_tuple(types.iter().map(|(name, _)| &**name)) {
            let (cores, types) = in_tuple_order(cores, types);
            return Ok(Typed::new(Core::Fields(None, cores), Ty::Tuple(Rc::new(types))));
        }
        let names: Rc<[Rc<str>]> = types.iter().map(|(name, _)| name.clone()).collect();
        Ok(Typed::new(Core::Fields(Some(names), cores), Ty::Record(Rc::new(types))))
    }

    fn lambda(
        &mut self,
        outer: ScopeId,
        params: &[Param],
        body: &Expr,
        wanted: Option<&Ty>,
        span: Span,
    ) -> Result<Typed> {
        let scope = self.new_scope(outer);
        let expected = match wanted.map(|ty| self.unifier.head(ty)) {
            Some(Ty::Fun(fun)) if fun.params.len() == params.len() => Some(fun),
            _ => None,
        };
        let (mut vars, mut types) = (Vec::new(), Vec::new());
        for (index, param) in params.iter().enumerate() {
            let ty = match (&param.ty, &expected) {
                (Some(ty), _) => self.resolve_type(scope, ty)?,
                (None, Some(fun)) => fun.params[index].clone(),
                (None, None) => {
                    return Err(Diagnostic::new(
                        format!("parameter `{}` needs a type", param.name.name),
                        param.name.span,
                    ));
                }
            };
            vars.push(self.declare_param(scope, param, ty.clone())?);
            types.push(ty);
        }
        let result = expected.map(|fun| fun.result.clone());
        let body = self.infer(scope, body, result.as_ref())?;
        let strict = params.iter().map(|param| param.strict).collect();
        let lambda = Lambda { name: "lambda".into(), params: vars, strict, body: body.core, span };
        let ty = Ty::Fun(Rc::new(FunTy { params: types, result: body.ty, liftable: true }));
        Ok(Typed::new(Core::Lambda(Rc::new(lambda)), ty))
    }

    fn conditional(&mut self, scope: ScopeId, is_static: bool, parts: [&Expr; 3]) -> Result<Typed> {
        let cond = self.infer(scope, parts[0], None)?;
        let then = self.infer(scope, parts[1], None)?;
        let then_ty = then.ty.clone();
        let other = self.infer(scope, parts[2], Some(&then_ty))?;
        let streams = [&cond, &then, &other].map(|t| self.unifier.head(&t.ty).is_events());
        if is_static || streams == [false; 3] {
            return self.static_conditional(cond, then, other, parts);
        }
        let result = self.unifier.fresh();
        let mut args = Vec::new();
        for (index, (typed, wanted)) in
            [(cond, Ty::Bool), (then, result.clone()), (other, result.clone())].into_iter().enumerate()
        {
            args.push((streams[index], self.coerce_element(typed, &wanted, parts[index].span)?));
        }
        let span = parts[0].span.to(parts[2].span);
        Ok(Typed::new(Core::Lift(Rc::new(Core::Builtin(Builtin::Ite)), args, span), Ty::events(result)))
    }

    fn static_conditional(&mut self, cond: Typed, then: Typed, other: Typed, parts: [&Expr; 3]) -> Result<Typed> {
        let cond = self.coerce(cond, &Ty::Bool, parts[0].span)?;
        let (then_ty, other_ty) = (self.unifier.head(&then.ty), self.unifier.head(&other.ty));
        let wanted = if other_ty.is_events() && !then_ty.is_events() { other.ty.clone() } else { then.ty.clone() };
        let then = self.coerce(then, &wanted, parts[1].span)?;
        let other = self.coerce(other, &wanted, parts[2].span)?;
        Ok(Typed::new(Core::If(cond, then, other), wanted))
    }

    /// `if c then x` of the 2018 dialect, a function of its prelude.
    fn if_then(&mut self, scope: ScopeId, cond: &Expr, then: &Expr, span: Span) -> Result<Typed> {
        let root = Expr { kind: ExprKind::Root, span };
        let name = Ident { name: "__ifThen".into(), span };
        let callee = Expr { kind: ExprKind::Member(Box::new(root), name), span };
        let args = [cond, then].map(|value| Arg { name: None, value: value.clone() });
        self.call(scope, &callee, &args, span)
    }
}

fn find_field(ty: &Ty, name: &str) -> Option<(usize, Ty)> {
    match ty {
        Ty::Tuple(items) => {
            let index = name.strip_prefix('_')?.parse::<usize>().ok()?.checked_sub(1)?;
            Some((index, items.get(index)?.clone()))
        }
        Ty::Record(fields) => {
            let index = fields.iter().position(|(field, _)| &**field == name)?;
            Some((index, fields[index].1.clone()))
        }
        _ => None,
    }
}

fn in_tuple_order(cores: Vec<CoreRef>, types: Vec<(Rc<str>, Ty)>) -> (Vec<CoreRef>, Vec<Ty>) {
    let mut fields: Vec<(CoreRef, (Rc<str>, Ty))> = cores.into_iter().zip(types).collect();
    fields.sort_by_key(|(_, (name, _))| tuple_place(name));
    fields.into_iter().map(|(core, (_, ty))| (core, ty)).unzip()
}

fn string_part(part: &StrPart, span: Span) -> Expr {
    match part {
        StrPart::Text(text) => Expr { kind: ExprKind::Str(vec![StrPart::Text(text.clone())]), span },
        StrPart::Expr(value, None) => {
            let root = Expr { kind: ExprKind::Root, span };
            let callee = ExprKind::Member(Box::new(root), Ident { name: "toString".into(), span });
            let args = vec![Arg { name: None, value: value.clone() }];
            Expr { kind: ExprKind::Call(Box::new(Expr { kind: callee, span }), args), span }
        }
        StrPart::Expr(value, Some(format)) => {
            let format = Expr { kind: ExprKind::Str(vec![StrPart::Text(format.clone())]), span };
            library_call("String", "format", vec![format, value.clone()], span)
        }
    }
}

fn library_call(module: &str, function: &str, args: Vec<Expr>, span: Span) -> Expr {
    let root = Expr { kind: ExprKind::Root, span };
    let module = Expr { kind: ExprKind::Member(Box::new(root), Ident { name: module.into(), span }), span };
    let callee = Expr { kind: ExprKind::Member(Box::new(module), Ident { name: function.into(), span }), span };
    let args = args.into_iter().map(|value| Arg { name: None, value }).collect();
    Expr { kind: ExprKind::Call(Box::new(callee), args), span }
}

/// Insertions, deletions and replacements between two names.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let change = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = change.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
