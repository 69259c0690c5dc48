//! Functions on values, compiled to closures before the first event.
//!
//! The code of a function is a tree; each part of it becomes a closure that knows its parts. What can be decided once
//! is decided then: where a value is, whether it may be moved away, which of the two branches of a question about a
//! parameter that is always there is taken. [`Place`] is a value that is looked at where it is.
//!
//! The values of all streams and the locals of the running functions are one array: a lifted function reads its
//! arguments where the streams have them.
mod branch;
mod call;
mod compiler;
mod operator;
mod place;
mod stack;

use crate::code::Func;
use crate::flow::{Events, Lift, Plan, Step};
use crate::value::{Failure, Value};
use compiler::Compiler;
pub use place::Place;
use std::cell::OnceCell;
use std::rc::Rc;

/// Computes a value; failures are values.
pub type Eval = Box<dyn Fn(&mut Ctx<'_>) -> Value>;
/// Answers a question, or says why it cannot.
pub type Test = Box<dyn Fn(&mut Ctx<'_>) -> Result<bool, Rc<Failure>>>;

/// What a running function works on.
pub struct Ctx<'a> {
    /// The values of all streams, and behind them the locals of the running functions.
    pub cells: &'a mut Vec<Value>,
    /// Streams that have an event now.
    pub fired: &'a [u64],
    pub captures: &'a [Value],
    pub program: &'a Program,
    /// The first local of the running function.
    pub base: usize,
    /// Behind its last one.
    pub top: usize,
    /// Calls within each other.
    pub depth: usize,
    /// The running function.
    pub own: u32,
}

/// A compiled function.
pub struct Compiled {
    pub locals: usize,
    pub body: Eval,
}

/// All functions of a specification.
pub struct Program {
    funcs: Rc<[Func]>,
    /// Functions that are called, compiled when they first are.
    called: Box<[OnceCell<Compiled>]>,
    /// The functions that steps apply to streams.
    lifted: Vec<Option<Compiled>>,
    /// The same, applied to current values instead of to `last` of them.
    on_pasts: Vec<Option<Compiled>>,
}

impl Program {
    pub fn of(plan: &Plan) -> Program {
        let called = plan.funcs.iter().map(|_| OnceCell::new()).collect();
        let lifted = plan.steps.iter().map(|step| lifted(&plan.funcs, step)).collect();
        let on_pasts = plan.steps.iter().map(|step| on_pasts(&plan.funcs, step)).collect();
        Program { funcs: plan.funcs.clone(), called, lifted, on_pasts }
    }

    /// The most locals that a lifted function has.
    pub fn room(&self) -> usize {
        self.lifted.iter().flatten().map(|compiled| compiled.locals).max().unwrap_or(0)
    }

    fn called(&self, func: u32) -> &Compiled {
        self.called[func as usize].get_or_init(|| Compiler::called(&self.funcs[func as usize]))
    }

    /// Applies the function of a step to the streams.
    #[inline(always)]
    pub fn apply(&self, node: u32, base: usize, cells: &mut Vec<Value>, fired: &[u64]) -> Value {
        self.run(&self.lifted[node as usize], base, cells, fired)
    }

    /// Applies the function of a step, with current values in the place of `last` of them.
    #[inline(always)]
    pub fn apply_to_pasts(&self, node: u32, base: usize, cells: &mut Vec<Value>, fired: &[u64]) -> Value {
        self.run(&self.on_pasts[node as usize], base, cells, fired)
    }

    #[inline(always)]
    fn run(&self, compiled: &Option<Compiled>, base: usize, cells: &mut Vec<Value>, fired: &[u64]) -> Value {
        let compiled = compiled.as_ref().expect("the step applies a function");
        let top = base + compiled.locals;
        let mut ctx = Ctx { cells, fired, captures: &[], program: self, base, top, depth: 0, own: u32::MAX };
        (compiled.body)(&mut ctx)
    }
}

fn lifted(funcs: &[Func], step: &Step) -> Option<Compiled> {
    let func = |lift: &Lift| &funcs[lift.func as usize];
    match step {
        Step::Signal(lift) => Some(Compiler::signal(func(lift), &lift.args)),
        Step::Filter(filter) => Some(Compiler::signal(func(&filter.lift), &filter.lift.args)),
        Step::Events(events) => Some(Compiler::events(func(&events.lift), events)),
        _ => None,
    }
}

fn on_pasts(funcs: &[Func], step: &Step) -> Option<Compiled> {
    let Step::Events(events @ Events { lift, pasts: Some(pasts), .. }) = step else { return None };
    Some(Compiler::on_pasts(&funcs[lift.func as usize], events, pasts))
}
