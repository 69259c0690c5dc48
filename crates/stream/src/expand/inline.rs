//! Calls inside functions: unfolded in place, or real calls where a function is recursive.
use super::codegen::stream_inside;
use super::env::Closure;
use super::eval::{function, is_lazy, project};
use super::expander::Expander;
use super::generated::{FnCtx, GenEnv, GenParent, Part, statics};
use crate::code::Code;
use crate::core::Lambda;
use crate::source::{Diagnostic, Result, Span};
use crate::value::{Builtin, Fields, Function, MacroId, Value};
use std::rc::Rc;

/// The most nested inlined calls; no specification written by hand comes near.
const MAX_INLINE: usize = 200;

impl Expander {
    /// Applies a function to arguments, both as far as they are known.
    pub fn call_part(&mut self, callee: Part, args: Vec<Part>, depth: usize, span: Span) -> Result<Part> {
        match callee {
            Part::Static(Value::Fun(fun)) => match &*fun {
                Function::Builtin(op) => self.call_builtin(*op, args, depth, span),
                Function::Project(index) => self.call_project(*index, args, depth),
                Function::Macro(id) => self.call_macro(*id, args, depth, span),
                Function::Lifted(_) | Function::Code(..) => Err(stream_inside(span)),
            },
            Part::Static(failed) => Ok(Part::Static(failed)),
            Part::Lambda(lambda, env) => self.call_lambda(&lambda, &env, args, depth, span),
            Part::Code(code) => {
                let args = self.codes(args, depth)?;
                Ok(Part::Code(Code::CallValue(Box::new(code), args)))
            }
        }
    }

    fn call_project(&mut self, index: usize, mut args: Vec<Part>, depth: usize) -> Result<Part> {
        match args.remove(0) {
            Part::Static(value) => Ok(Part::Static(project(&value, index))),
            part => Ok(Part::Code(Code::Field(Box::new(self.code(part, depth)?), index as u32))),
        }
    }

    fn call_builtin(&mut self, op: Builtin, args: Vec<Part>, depth: usize, span: Span) -> Result<Part> {
        if op.is_stream() {
            return Err(stream_inside(span));
        }
        if let Some(values) = statics(&args)
            && !is_lazy(op)
        {
            return self.apply_now(op, values).map(Part::Static);
        }
        let mut codes = self.codes(args, depth)?.into_vec();
        Ok(Part::Code(match (op, codes.len()) {
            (Builtin::And | Builtin::Or, _) => {
                let second = codes.remove(1);
                let pair = Box::new([codes.remove(0), second]);
                if op == Builtin::And { Code::And(pair) } else { Code::Or(pair) }
            }
            (Builtin::Ite | Builtin::StaticIte, _) => {
                let parts: [Code; 3] = codes.try_into().expect("a conditional has three parts");
                Code::If(Box::new(parts))
            }
            (op, 1) => unary(op, codes.remove(0)),
            (op, 2) if op != Builtin::ListMap => {
                let second = codes.remove(1);
                Code::Op2(op, Box::new([codes.remove(0), second]))
            }
            (op, _) => Code::Op(op, codes.into_boxed_slice()),
        }))
    }

    fn call_macro(&mut self, id: MacroId, args: Vec<Part>, depth: usize, span: Span) -> Result<Part> {
        let closure = self.macro_of(id);
        if let Some(values) = statics(&args) {
            return self.call_macro_now(&closure, values).map(Part::Static);
        }
        let key = (Rc::as_ptr(&closure.lambda) as usize, Rc::as_ptr(&closure.env) as usize);
        if self.generated.inlining.contains(&key) {
            let func = self.static_function(&closure)?;
            let args = self.codes(args, depth)?;
            return Ok(Part::Code(Code::Call(func, args)));
        }
        let env = GenEnv::new(GenParent::Static(closure.env.clone()), depth);
        self.inline(&closure.lambda, &env, key, args, span)
    }

    fn call_lambda(
        &mut self,
        lambda: &Rc<Lambda>,
        outer: &Rc<GenEnv>,
        args: Vec<Part>,
        depth: usize,
        span: Span,
    ) -> Result<Part> {
        let key = (Rc::as_ptr(lambda) as usize, Rc::as_ptr(outer) as usize);
        if self.generated.stack[depth].own == Some(key) {
            let args = self.codes(args, depth)?;
            return Ok(Part::Code(Code::CallSelf(args)));
        }
        if self.generated.inlining.contains(&key) || outer.depth != depth {
            let closure = match self.under_way(lambda, outer, depth) {
                Some(own) => own,
                None => self.closure(lambda, outer, depth)?,
            };
            let args = self.codes(args, depth)?;
            return Ok(Part::Code(Code::CallValue(Box::new(closure), args)));
        }
        let env = GenEnv::new(GenParent::Gen(outer.clone()), depth);
        self.inline(lambda, &env, key, args, span)
    }

    /// A function that is being generated around this one, which captures it: functions may call each other.
    pub fn under_way(&mut self, lambda: &Rc<Lambda>, outer: &Rc<GenEnv>, depth: usize) -> Option<Code> {
        let key = (Rc::as_ptr(lambda) as usize, Rc::as_ptr(outer) as usize);
        let at = self.generated.stack[..=depth].iter().position(|ctx| ctx.own == Some(key))?;
        match self.carry(Part::Code(Code::Own), at, depth) {
            Part::Code(code) => Some(code),
            _ => None,
        }
    }

    /// Unfolds a call: parameters become locals or known values, and the body stands in for the call.
    fn inline(
        &mut self,
        lambda: &Rc<Lambda>,
        env: &Rc<GenEnv>,
        key: (usize, usize),
        args: Vec<Part>,
        span: Span,
    ) -> Result<Part> {
        if self.generated.inlining.len() >= MAX_INLINE {
            return Err(Diagnostic::new(format!("the calls in `{}` nest too deeply", lambda.name), span));
        }
        let mut strict = Vec::new();
        for (index, arg) in args.into_iter().enumerate() {
            let part = self.named(arg, env);
            if let (true, Part::Code(Code::Local { slot, .. })) = (lambda.strict[index], &part) {
                strict.push(*slot);
            }
            env.bind(lambda.params[index], part);
        }
        self.generated.inlining.push(key);
        let body = self.gen_core(&lambda.body, env)?;
        self.generated.inlining.pop();
        let body = if strict.is_empty() || is_strict_already(&body) {
            body
        } else {
            Part::Code(Code::Strict(strict.into_boxed_slice(), Box::new(self.code(body, env.depth)?)))
        };
        self.close(body, env)
    }

    /// A macro that sees no locals, as a function of its own.
    fn static_function(&mut self, closure: &Closure) -> Result<u32> {
        let key = (Rc::as_ptr(&closure.lambda) as usize, Rc::as_ptr(&closure.env) as usize);
        if let Some(func) = self.generated.memo.get(&key) {
            return Ok(*func);
        }
        let id = self.generated.reserve();
        self.generated.memo.insert(key, id);
        let depth = self.generated.stack.len();
        self.generated.stack.push(FnCtx::default());
        // Inside, a call of the same macro is a real call.
        let saved = std::mem::replace(&mut self.generated.inlining, vec![key]);
        let env = GenEnv::new(GenParent::Static(closure.env.clone()), depth);
        self.function_body(&closure.lambda, &env, id)?;
        self.generated.inlining = saved;
        self.generated.stack.pop();
        Ok(id)
    }

    /// A lambda that sees locals, as a closure made by the function at `depth`.
    pub fn closure(&mut self, lambda: &Rc<Lambda>, outer: &Rc<GenEnv>, depth: usize) -> Result<Code> {
        let key = (Rc::as_ptr(lambda) as usize, Rc::as_ptr(outer) as usize);
        let id = self.generated.reserve();
        let inner = self.generated.stack.len();
        // Captures are passed from function to function, so the new one stands right inside `depth`.
        let deeper = self.generated.stack.split_off(depth + 1);
        self.generated.stack.push(FnCtx { own: Some(key), ..FnCtx::default() });
        let saved = std::mem::take(&mut self.generated.inlining);
        let env = GenEnv::new(GenParent::Gen(outer.clone()), depth + 1);
        self.function_body(lambda, &env, id)?;
        self.generated.inlining = saved;
        let ctx = self.generated.stack.pop().expect("pushed above");
        self.generated.stack.extend(deeper);
        debug_assert_eq!(self.generated.stack.len(), inner);
        if ctx.captures.is_empty() {
            return Ok(Code::Const(function(Function::Code(id, Box::new([])))));
        }
        Ok(Code::Closure(id, ctx.captures.into_boxed_slice()))
    }

    fn function_body(&mut self, lambda: &Rc<Lambda>, env: &Rc<GenEnv>, id: u32) -> Result<()> {
        for var in &lambda.params {
            let slot = self.generated.new_local(env.depth);
            env.bind(*var, Part::Code(Code::local(slot)));
        }
        let part = self.gen_core(&lambda.body, env)?;
        let part = self.close(part, env)?;
        let body = self.code(part, env.depth)?;
        let locals = self.generated.stack[env.depth].locals;
        self.generated.fill(id, lambda.params.len() as u32, locals, body);
        Ok(())
    }

    /// A value known now, in the form it has while events are processed: macros become functions.
    pub fn run_time_value(&mut self, value: &Value) -> Result<Value> {
        Ok(match value {
            Value::Fun(fun) => match &**fun {
                Function::Macro(id) => {
                    let closure = self.macro_of(*id);
                    function(Function::Code(self.static_function(&closure)?, Box::new([])))
                }
                Function::Lifted(_) => return Err(stream_inside(Span::default())),
                _ => value.clone(),
            },
            Value::Stream(_) => return Err(stream_inside(Span::default())),
            Value::Fields(fields) => {
                let items = fields.items.iter().map(|item| self.run_time_value(item)).collect::<Result<_>>()?;
                Value::Fields(Rc::new(Fields { names: fields.names.clone(), items }))
            }
            Value::Some(inner) => Value::some(self.run_time_value(inner)?),
            Value::List(items) => {
                let items = items.iter().map(|item| self.run_time_value(item)).collect::<Result<_>>()?;
                Value::List(Rc::new(items))
            }
            other => other.clone(),
        })
    }
}

/// Operations on one value; those on options need no box where the option is unboxed.
fn unary(op: Builtin, arg: Code) -> Code {
    match (op, arg) {
        (Builtin::IsSome, Code::Boxed { slot, .. }) => Code::Present(slot),
        (Builtin::IsNone, Code::Boxed { slot, .. }) => Code::Op1(Builtin::Not, Box::new(Code::Present(slot))),
        (Builtin::GetSome, Code::Boxed { slot, take }) => Code::Unwrap { slot, take },
        (op, arg) => Code::Op1(op, Box::new(arg)),
    }
}

/// Built-in operations fail with their arguments anyway.
fn is_strict_already(body: &Part) -> bool {
    matches!(body, Part::Code(Code::Op1(..) | Code::Op2(..)))
}
