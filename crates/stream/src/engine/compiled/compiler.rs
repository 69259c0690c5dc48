//! From the code of a function to closures: what is known about its locals, and the simple parts.
use super::{Compiled, Ctx, Eval, Place, Test};
use crate::code::{Code, Func};
use crate::flow::{Arg, Events, Pasts};
use crate::value::builtin::{apply1, size_of_table};
use crate::value::{Builtin, Function, Items, Value, share};
use std::rc::Rc;

/// Parts within each other before more stack is asked for.
const DEEP: usize = 64;

/// What is known about a local while a function is compiled.
#[derive(Clone)]
struct Binding {
    place: Place,
    /// Whether its value may be moved away by its last use.
    owned: bool,
    /// Whether it surely has a value.
    present: bool,
}

impl Binding {
    fn local(slot: usize) -> Binding {
        Binding { place: Place::Local(slot), owned: true, present: true }
    }

    /// An argument of a function on events, of which some are always there.
    fn event(arg: Arg, required: &[u32]) -> Binding {
        let present = required.contains(&arg.node);
        let place = if present { Place::Stream(arg.node as usize) } else { Place::Event(arg.node) };
        Binding { place, owned: arg.take, present }
    }
}

/// A function that is being compiled.
pub struct Compiler {
    bindings: Vec<Binding>,
    /// Slots below this one are parameters that streams have; the others are locals.
    streams: usize,
    depth: usize,
}

impl Compiler {
    /// A function that is called: its parameters are locals.
    pub fn called(func: &Func) -> Compiled {
        Compiler::with(Vec::new(), func)
    }

    /// A function on the current values of streams.
    pub fn signal(func: &Func, args: &[Arg]) -> Compiled {
        let bind = |arg: &Arg| Binding { place: Place::Stream(arg.node as usize), owned: arg.take, present: true };
        Compiler::with(args.iter().map(bind).collect(), func)
    }

    /// A function on the events of streams; the required ones have one whenever it runs.
    pub fn events(func: &Func, events: &Events) -> Compiled {
        Compiler::with(events.lift.args.iter().map(|arg| Binding::event(*arg, &events.required)).collect(), func)
    }

    /// The same, with the current value of a stream in the place of `last` of it.
    pub fn on_pasts(func: &Func, events: &Events, pasts: &Pasts) -> Compiled {
        let bind = |arg: &Arg| match pasts.all.iter().find(|past| past.node == arg.node) {
            Some(past) => Binding { place: Place::Stream(past.value as usize), owned: false, present: past.required },
            None if arg.node == pasts.trigger => Binding::event(*arg, &[pasts.trigger]),
            None => Binding::event(*arg, &events.required),
        };
        Compiler::with(events.lift.args.iter().map(bind).collect(), func)
    }

    fn with(mut bindings: Vec<Binding>, func: &Func) -> Compiled {
        let streams = bindings.len();
        let locals = func.locals as usize - streams;
        bindings.extend((0..locals).map(Binding::local));
        let body = Compiler { bindings, streams, depth: 0 }.eval(&func.body);
        Compiled { locals, body }
    }

    fn binding(&self, slot: u32) -> &Binding {
        &self.bindings[slot as usize]
    }

    /// Whether a local surely has a value.
    pub fn is_present(&self, slot: u32) -> bool {
        self.binding(slot).present
    }

    /// Where a local is.
    pub fn place_of(&self, slot: u32) -> Place {
        self.binding(slot).place.clone()
    }

    /// Where the value of code is, if it is somewhere already; a failure or an absent value in the place of an option does
    /// not count.
    pub fn place(&self, code: &Code) -> Option<Place> {
        match code {
            Code::Const(value) => Some(Place::Const(value.clone())),
            Code::Captured(index) => Some(Place::Captured(*index as usize)),
            Code::Local { slot, .. } => Some(self.place_of(*slot)),
            Code::Unwrap { slot, .. } if self.is_present(*slot) => Some(self.place_of(*slot)),
            Code::Field(base, index) => match self.place(base)? {
                Place::Field(..) => None,
                root => Some(Place::Field(Box::new(root), *index as usize)),
            },
            _ => None,
        }
    }

    /// Compiles with locals known to have a value; what is known afterwards is what was known before.
    pub fn assuming<R>(&mut self, slots: &[u32], compile: impl FnOnce(&mut Self) -> R) -> R {
        let before: Vec<Binding> = slots.iter().map(|slot| self.binding(*slot).clone()).collect();
        for slot in slots {
            let binding = &mut self.bindings[*slot as usize];
            if let Place::Event(node) = binding.place {
                binding.place = Place::Stream(node as usize);
            }
            binding.present = true;
        }
        let result = compile(self);
        for (slot, binding) in slots.iter().zip(before) {
            self.bindings[*slot as usize] = binding;
        }
        result
    }

    /// Compiles code; deep code gets its stack in pieces when it runs.
    pub fn eval(&mut self, code: &Code) -> Eval {
        self.depth += 1;
        let deep = self.depth.is_multiple_of(DEEP);
        let eval = if deep { super::stack::on_enough_stack(|| self.part(code)) } else { self.part(code) };
        self.depth -= 1;
        if !deep {
            return eval;
        }
        Box::new(move |ctx| super::stack::on_enough_stack(|| eval(ctx)))
    }

    fn part(&mut self, code: &Code) -> Eval {
        match code {
            Code::Const(value) => constant(value.clone()),
            Code::Captured(index) => {
                let index = *index as usize;
                Box::new(move |ctx| ctx.captures[index].clone())
            }
            Code::Local { slot, take } => self.local(*slot, *take),
            Code::Unwrap { slot, take } if self.is_present(*slot) => self.local(*slot, *take),
            Code::Unwrap { slot, take } => or_else(self.local(*slot, *take), || Value::error("getSome of None")),
            Code::Boxed { slot, take } => boxed(self.local(*slot, *take)),
            Code::Present(_) | Code::And(_) | Code::Or(_) => self.truth(code),
            Code::Op1(op, arg) => self.op1(*op, arg, code),
            Code::Op2(op, args) => self.op2(*op, args, code),
            Code::Op(op, args) => self.op(*op, args),
            Code::If(parts) => self.branch(parts, |failed| failed),
            Code::Choose(parts) => self.branch(parts, Value::into_unknown),
            Code::Unbox(option) => unbox(self.eval(option)),
            Code::Let(slot, parts) => self.bind(*slot, parts),
            Code::Strict(slots, body) => self.strict(slots, body),
            Code::Fields(names, items) => self.fields(names.clone(), items),
            Code::Field(base, index) => self.field(base, *index as usize, code),
            Code::Call(..) | Code::CallSelf(_) | Code::CallValue(..) => self.call(code),
            Code::Closure(func, captures) => self.closure(*func, captures),
            Code::Own => {
                Box::new(|ctx: &mut Ctx<'_>| Value::Fun(Rc::new(Function::Code(ctx.own, ctx.captures.into()))))
            }
        }
    }

    /// A local: moved away by its last use if it may be, copied otherwise.
    fn local(&self, slot: u32, take: bool) -> Eval {
        let Binding { place, owned, .. } = self.binding(slot).clone();
        match place {
            Place::Local(slot) if take && owned => Box::new(move |ctx| {
                let at = ctx.base + slot;
                std::mem::take(&mut ctx.cells[at])
            }),
            Place::Stream(node) if !(take && owned) => Box::new(move |ctx| ctx.cells[node].clone()),
            place if take && owned => Box::new(move |ctx| ctx.take(&place)),
            place => Box::new(move |ctx| ctx.get(&place).clone()),
        }
    }

    /// A condition as a value.
    pub fn truth(&mut self, code: &Code) -> Eval {
        let test = self.test(code);
        Box::new(move |ctx| match test(ctx) {
            Ok(truth) => Value::Bool(truth),
            Err(failure) => Value::Error(failure),
        })
    }

    fn op1(&mut self, op: Builtin, arg: &Code, code: &Code) -> Eval {
        match (op, self.place(arg)) {
            (Builtin::Not, _) => self.truth(code),
            (Builtin::SetSize | Builtin::MapSize, Some(table)) => Box::new(move |ctx| size_of_table(ctx.get(&table))),
            _ => {
                let arg = self.eval(arg);
                Box::new(move |ctx| apply1(op, arg(ctx)))
            }
        }
    }

    /// Binds a local. One that is only another name of a value is given that value's place.
    fn bind(&mut self, slot: u32, parts: &[Code; 2]) -> Eval {
        if let Some(binding) = self.other_name(parts) {
            return self.bound(slot, binding, |inner| inner.eval(&parts[1]));
        }
        let value = self.eval(&parts[0]);
        let (slot, body) = self.with_local(slot, &parts[1]);
        Box::new(move |ctx| {
            let value = value(ctx);
            ctx.with(slot, value, &body)
        })
    }

    /// Compiles with a slot that stands for something.
    fn bound<R>(&mut self, slot: u32, binding: Binding, compile: impl FnOnce(&mut Self) -> R) -> R {
        let before = std::mem::replace(&mut self.bindings[slot as usize], binding);
        let result = compile(self);
        self.bindings[slot as usize] = before;
        result
    }

    /// A body in which a slot is bound to a local, and which one.
    pub fn with_local(&mut self, slot: u32, body: &Code) -> (usize, Eval) {
        let local = slot as usize - self.streams;
        (local, self.bound(slot, Binding::local(local), |inner| inner.eval(body)))
    }

    /// The binding of a local whose value is only another name, as long as nothing moves the value away under the new name's
    /// feet: either this is the old name's last use, or the value never moves. A field of a value is one, too.
    fn other_name(&self, [value, body]: &[Code; 2]) -> Option<Binding> {
        if let Code::Field(base, _) = value {
            let (Code::Local { slot, .. } | Code::Unwrap { slot, .. }) = **base else { return None };
            let stays = !self.binding(slot).owned || !body.names(slot);
            let place = self.place(value).filter(|_| stays)?;
            return Some(Binding { place, owned: false, present: true });
        }
        let (Code::Local { slot, take } | Code::Unwrap { slot, take }) = value else { return None };
        let binding = self.binding(*slot);
        (binding.present && (*take || !binding.owned)).then(|| binding.clone())
    }

    /// A condition in which a local is another name.
    pub fn test_under_other_name(&mut self, slot: u32, parts: &[Code; 2]) -> Option<Test> {
        let binding = self.other_name(parts)?;
        Some(self.bound(slot, binding, |inner| inner.test(&parts[1])))
    }

    fn strict(&mut self, slots: &[u32], body: &Code) -> Eval {
        let places: Box<[Place]> = slots.iter().map(|slot| self.place_of(*slot)).collect();
        let body = self.eval(body);
        Box::new(move |ctx| match places.iter().find(|place| matches!(ctx.get(place), Value::Error(_))) {
            Some(place) => ctx.get(place).clone(),
            None => body(ctx),
        })
    }

    fn fields(&mut self, names: Option<Rc<[Rc<str>]>>, items: &[Code]) -> Eval {
        let items: Box<[Eval]> = items.iter().map(|item| self.eval(item)).collect();
        Box::new(move |ctx| {
            let items = Items::make(items.len(), |at| items[at](ctx));
            share::record(names.as_ref(), items)
        })
    }

    fn field(&mut self, base: &Code, index: usize, code: &Code) -> Eval {
        if let Some(place) = self.place(code) {
            return Box::new(move |ctx| ctx.get(&place).clone());
        }
        let base = self.eval(base);
        Box::new(move |ctx| match base(ctx) {
            Value::Fields(fields) => fields.items[index].clone(),
            failed => failed,
        })
    }
}

fn constant(value: Value) -> Eval {
    Box::new(move |_| value.clone())
}

/// A value, or another one where there is none.
fn or_else(eval: Eval, other: impl Fn() -> Value + 'static) -> Eval {
    Box::new(move |ctx| match eval(ctx) {
        Value::Absent => other(),
        value => value,
    })
}

/// An unboxed option as an option.
fn boxed(eval: Eval) -> Eval {
    Box::new(move |ctx| match eval(ctx) {
        Value::Absent => Value::None,
        value => Value::some(value),
    })
}

/// An option, unboxed.
fn unbox(eval: Eval) -> Eval {
    Box::new(move |ctx| match eval(ctx) {
        Value::None => Value::Absent,
        Value::Some(value) => Rc::unwrap_or_clone(value),
        failed => failed.into_unknown(),
    })
}
