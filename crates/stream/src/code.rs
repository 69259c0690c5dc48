//! Code of functions on values: a compact tree over numbered locals.
//!
//! Parameters of functions lifted over options are kept unboxed: a local holds the value, or nothing.
use crate::value::{Builtin, Value};
use std::rc::Rc;

/// A function.
#[derive(Clone, Debug)]
pub struct Func {
    pub params: u32,
    /// Parameters and local bindings.
    pub locals: u32,
    pub body: Code,
}

#[derive(Clone, Debug)]
pub enum Code {
    Const(Value),
    /// A local; `take` if no one needs it afterwards.
    Local {
        slot: u32,
        take: bool,
    },
    /// An unboxed option, as an option.
    Boxed {
        slot: u32,
        take: bool,
    },
    /// The value of an unboxed option that has one.
    Unwrap {
        slot: u32,
        take: bool,
    },
    /// Whether an unboxed option has a value.
    Present(u32),
    /// A value that the running closure captured.
    Captured(u32),
    Op1(Builtin, Box<Code>),
    Op2(Builtin, Box<[Code; 2]>),
    Op(Builtin, Box<[Code]>),
    And(Box<[Code; 2]>),
    Or(Box<[Code; 2]>),
    If(Box<[Code; 3]>),
    /// As `If`, with options unboxed: a failed condition leaves open whether there is a value.
    Choose(Box<[Code; 3]>),
    /// An option, unboxed.
    Unbox(Box<Code>),
    /// Binds a local.
    Let(u32, Box<[Code; 2]>),
    /// The first failure among these locals, else the body.
    Strict(Box<[u32]>, Box<Code>),
    Fields(Option<Rc<[Rc<str>]>>, Box<[Code]>),
    Field(Box<Code>, u32),
    Call(u32, Box<[Code]>),
    /// Calls the running closure again.
    CallSelf(Box<[Code]>),
    CallValue(Box<Code>, Box<[Code]>),
    Closure(u32, Box<[Code]>),
    /// The running closure, as a value.
    Own,
}

impl Code {
    pub fn local(slot: u32) -> Code {
        Code::Local { slot, take: false }
    }

    /// The same, for an option, with the option unboxed: its value, or nothing.
    pub fn unboxed(self) -> Code {
        match self {
            Code::Const(Value::None) => Code::Const(Value::Absent),
            Code::Const(Value::Some(value)) => Code::Const((*value).clone()),
            Code::Op1(Builtin::OptionSome, value) => *value,
            Code::Boxed { slot, take } => Code::Local { slot, take },
            Code::If(parts) => {
                let [cond, then, other] = *parts;
                Code::Choose(Box::new([cond, then.unboxed(), other.unboxed()]))
            }
            Code::Let(slot, parts) => {
                let [value, body] = *parts;
                Code::Let(slot, Box::new([value, body.unboxed()]))
            }
            other => Code::Unbox(Box::new(other)),
        }
    }

    /// Every part, in the order of evaluation.
    pub fn parts(&self) -> &[Code] {
        match self {
            Code::Op1(_, a) | Code::Unbox(a) | Code::Strict(_, a) | Code::Field(a, _) => std::slice::from_ref(a),
            Code::Op2(_, parts) | Code::And(parts) | Code::Or(parts) | Code::Let(_, parts) => &parts[..],
            Code::If(parts) | Code::Choose(parts) => &parts[..],
            Code::Op(_, parts) | Code::Fields(_, parts) | Code::Call(_, parts) => parts,
            Code::CallSelf(parts) | Code::Closure(_, parts) => parts,
            Code::CallValue(..) => &[],
            _ => &[],
        }
    }

    /// How many parts it has.
    pub fn size(&self) -> usize {
        let called = match self {
            Code::CallValue(callee, args) => callee.size() + args.iter().map(Code::size).sum::<usize>(),
            _ => 0,
        };
        1 + called + self.parts().iter().map(Code::size).sum::<usize>()
    }

    /// Whether an operation that may grow its argument occurs in it.
    pub fn grows(&self) -> Option<Builtin> {
        let own = match self {
            Code::Op1(op, _) | Code::Op2(op, _) | Code::Op(op, _) if op.grows() => Some(*op),
            Code::CallValue(callee, args) => callee.grows().or_else(|| args.iter().find_map(Code::grows)),
            _ => None,
        };
        own.or_else(|| self.parts().iter().find_map(Code::grows))
    }

    /// The functions it calls or makes closures of.
    pub fn callees(&self, out: &mut Vec<u32>) {
        match self {
            Code::Call(func, _) | Code::Closure(func, _) => out.push(*func),
            Code::Const(Value::Fun(f)) => {
                if let crate::value::Function::Code(func, _) = &**f {
                    out.push(*func);
                }
            }
            Code::CallValue(callee, args) => {
                callee.callees(out);
                args.iter().for_each(|arg| arg.callees(out));
            }
            _ => {}
        }
        self.parts().iter().for_each(|part| part.callees(out));
    }

    /// Visits every local that is named.
    pub fn each_slot(&mut self, visit: &impl Fn(&mut u32)) {
        match self {
            Code::Local { slot, .. } | Code::Boxed { slot, .. } | Code::Unwrap { slot, .. } | Code::Present(slot) => {
                visit(slot)
            }
            Code::Strict(slots, body) => {
                slots.iter_mut().for_each(visit);
                body.each_slot(visit);
            }
            Code::Let(slot, parts) => {
                visit(slot);
                parts.iter_mut().for_each(|part| part.each_slot(visit));
            }
            Code::CallValue(callee, args) => {
                callee.each_slot(visit);
                args.iter_mut().for_each(|arg| arg.each_slot(visit));
            }
            Code::Op1(_, a) | Code::Unbox(a) | Code::Field(a, _) => a.each_slot(visit),
            Code::Op2(_, parts) | Code::And(parts) | Code::Or(parts) => {
                parts.iter_mut().for_each(|part| part.each_slot(visit));
            }
            Code::If(parts) | Code::Choose(parts) => parts.iter_mut().for_each(|part| part.each_slot(visit)),
            Code::Op(_, parts)
            | Code::Fields(_, parts)
            | Code::Call(_, parts)
            | Code::CallSelf(parts)
            | Code::Closure(_, parts) => parts.iter_mut().for_each(|part| part.each_slot(visit)),
            Code::Const(_) | Code::Captured(_) | Code::Own => {}
        }
    }

    /// Whether unboxed code surely has no value when this parameter has none.
    pub fn requires(&self, slot: u32) -> bool {
        match self {
            Code::Const(value) => value.is_absent(),
            Code::Local { slot: own, .. } => *own == slot,
            Code::Choose(parts) => match parts[0].without(slot) {
                Some(true) => parts[1].requires(slot),
                Some(false) => parts[2].requires(slot),
                // A condition that fails leaves open whether there is a value.
                None => parts[0].cannot_fail() && parts[1].requires(slot) && parts[2].requires(slot),
            },
            Code::Let(_, parts) => parts[1].requires(slot),
            _ => false,
        }
    }

    /// Whether a condition only asks which parameters have a value.
    fn cannot_fail(&self) -> bool {
        match self {
            Code::Const(Value::Bool(_)) | Code::Present(_) => true,
            Code::Op1(Builtin::Not, inner) => inner.cannot_fail(),
            Code::And(parts) | Code::Or(parts) => parts.iter().all(Code::cannot_fail),
            _ => false,
        }
    }

    /// The value of a condition when this parameter has no value, if that decides it.
    fn without(&self, slot: u32) -> Option<bool> {
        match self {
            Code::Const(Value::Bool(value)) => Some(*value),
            Code::Present(own) if *own == slot => Some(false),
            Code::Op1(Builtin::Not, inner) => inner.without(slot).map(|value| !value),
            Code::And(parts) if parts[0].without(slot) == Some(false) => Some(false),
            Code::Or(parts) if parts[0].without(slot) == Some(true) => Some(true),
            _ => None,
        }
    }

    /// This code, with a local bound to a value: in the place of its only use if that comes first anyway.
    pub fn with_first(mut self, slot: u32, value: Code) -> Code {
        let uses = self.uses(slot);
        match self.first_use(slot) {
            Some(place) if uses == 1 => {
                *place = value;
                self
            }
            _ => Code::Let(slot, Box::new([value, self])),
        }
    }

    /// Whether a local is named.
    pub fn names(&self, local: u32) -> bool {
        let here = match self {
            Code::Local { slot, .. } | Code::Boxed { slot, .. } | Code::Unwrap { slot, .. } => *slot == local,
            Code::Present(slot) | Code::Let(slot, _) => *slot == local,
            Code::Strict(slots, _) => slots.contains(&local),
            Code::CallValue(callee, args) => callee.names(local) || args.iter().any(|arg| arg.names(local)),
            _ => false,
        };
        here || self.parts().iter().any(|part| part.names(local))
    }

    /// How often a local is named.
    fn uses(&mut self, slot: u32) -> u32 {
        let count = std::cell::Cell::new(0);
        self.each_slot(&|own| count.set(count.get() + u32::from(*own == slot)));
        count.get()
    }

    /// The place of a local, if its value is the first thing that is needed, on every path.
    fn first_use(&mut self, slot: u32) -> Option<&mut Code> {
        if matches!(self, Code::Local { slot: own, .. } if *own == slot) {
            return Some(self);
        }
        match self {
            Code::Op1(_, inner) | Code::Unbox(inner) | Code::Field(inner, _) => inner.first_use(slot),
            // Which of two conditions comes first makes no difference.
            Code::And(parts) | Code::Or(parts) => parts.iter_mut().find_map(|part| part.first_use(slot)),
            Code::Op2(_, parts) | Code::Let(_, parts) => parts[0].first_use(slot),
            Code::If(parts) | Code::Choose(parts) => parts[0].first_use(slot),
            _ => None,
        }
    }

    /// The parameter of this number is an option that always has a value, and is given as that value.
    pub fn always_present(&mut self, param: u32) {
        self.parts_mut().into_iter().for_each(|part| part.always_present(param));
        match *self {
            Code::Present(slot) if slot == param => *self = Code::Const(Value::Bool(true)),
            Code::Unwrap { slot, take } if slot == param => *self = Code::Local { slot, take },
            Code::Boxed { slot, .. } if slot == param => {
                *self = Code::Op1(Builtin::OptionSome, Box::new(Code::local(slot)));
            }
            _ => {}
        }
    }

    /// Computes what a later argument needs of the first one before the first one is handed over: in
    /// `Map.add(m, k, Map.get(m, k) + 1)` the map is then read, and given away last. Adds locals as needed.
    pub fn settle(&mut self, locals: &mut u32) {
        self.parts_mut().into_iter().for_each(|part| part.settle(locals));
        let (Code::Op(..) | Code::Op2(..)) = self else { return };
        let mut parts = self.parts_mut();
        let Some((Code::Local { slot, .. }, rest)) = parts.split_first_mut() else { return };
        let mut bound = Vec::new();
        for part in rest {
            if !matches!(part, Code::Local { .. } | Code::Const(_)) && part.uses(*slot) > 0 {
                let value = std::mem::replace(*part, Code::local(*locals));
                bound.push((*locals, value));
                *locals += 1;
            }
        }
        for (slot, value) in bound.into_iter().rev() {
            let body = std::mem::replace(self, Code::Const(Value::Unit));
            *self = Code::Let(slot, Box::new([value, body]));
        }
    }

    fn parts_mut(&mut self) -> Vec<&mut Code> {
        match self {
            Code::Op1(_, a) | Code::Unbox(a) | Code::Strict(_, a) | Code::Field(a, _) => vec![a],
            Code::Op2(_, parts) | Code::And(parts) | Code::Or(parts) | Code::Let(_, parts) => {
                parts.iter_mut().collect()
            }
            Code::If(parts) | Code::Choose(parts) => parts.iter_mut().collect(),
            Code::Op(_, parts) | Code::Fields(_, parts) | Code::Call(_, parts) => parts.iter_mut().collect(),
            Code::CallSelf(parts) | Code::Closure(_, parts) => parts.iter_mut().collect(),
            Code::CallValue(callee, args) => std::iter::once(&mut **callee).chain(args.iter_mut()).collect(),
            _ => Vec::new(),
        }
    }

    /// Marks the last use of every local on every path, so that values can be updated in place.
    pub fn mark_last_uses(&mut self) {
        self.mark(&mut Vec::new());
    }

    /// Walks the code in reverse order of evaluation; `live` are the locals needed afterwards.
    fn mark(&mut self, live: &mut Vec<u32>) {
        match self {
            Code::Local { slot, take } | Code::Boxed { slot, take } | Code::Unwrap { slot, take } => {
                *take = !live.contains(slot);
                insert(live, *slot);
            }
            Code::Present(slot) => insert(live, *slot),
            Code::If(parts) | Code::Choose(parts) => {
                let [cond, then, other] = &mut **parts;
                branches(live, &mut [then, other]);
                cond.mark(live);
            }
            Code::And(parts) | Code::Or(parts) => {
                let [first, second] = &mut **parts;
                branches(live, &mut [second]);
                first.mark(live);
            }
            Code::Strict(slots, body) => {
                body.mark(live);
                slots.iter().for_each(|slot| insert(live, *slot));
            }
            Code::Let(slot, parts) => {
                let [value, body] = &mut **parts;
                body.mark(live);
                live.retain(|other| other != slot);
                value.mark(live);
            }
            Code::CallValue(callee, args) => {
                args.iter_mut().rev().for_each(|arg| arg.mark(live));
                callee.mark(live);
            }
            Code::Op1(_, a) | Code::Unbox(a) | Code::Field(a, _) => a.mark(live),
            Code::Op2(_, parts) => parts.iter_mut().rev().for_each(|part| part.mark(live)),
            Code::Op(_, parts)
            | Code::Fields(_, parts)
            | Code::Call(_, parts)
            | Code::CallSelf(parts)
            | Code::Closure(_, parts) => parts.iter_mut().rev().for_each(|part| part.mark(live)),
            Code::Const(_) | Code::Captured(_) | Code::Own => {}
        }
    }
}

fn insert(live: &mut Vec<u32>, slot: u32) {
    if !live.contains(&slot) {
        live.push(slot);
    }
}

/// Alternatives, of which at most one is taken: a local that any of them needs is live before them.
fn branches(live: &mut Vec<u32>, parts: &mut [&mut Code]) {
    let after = live.clone();
    for part in parts {
        let mut own = after.clone();
        part.mark(&mut own);
        own.into_iter().for_each(|slot| insert(live, slot));
    }
}
