//! Evaluation: lazy in arguments and local names, strict in the elements of data. Its result, for a process, is a term.

pub mod builtin;
pub mod collection;
pub mod compare;
pub mod compile;
pub mod dots;
pub mod event_sets;
pub mod expression;
pub mod free;
pub mod global;
pub mod pattern;
pub mod process;
pub mod replicated;
pub mod sets;
pub mod show;
pub mod step;

pub use crate::value::env::{self, Env};
pub use crate::value::{self, Seq, Set, Value};

use crate::budget::{Limit, Meter};
use crate::diagnostic::{Diagnostic, Stage};
use crate::machine::event::{Event, Events};
use crate::machine::lts::Lts;
use crate::machine::term::{DelayedId, Next, Pending, TermId, Terms};
use crate::native::Native;
use crate::source::Span;
use crate::syntax::{Expr, ExprId, Symbol, Symbols};
use env::GroupId;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::sync::Arc;
use value::{Thunk, ThunkState};

/// Nested evaluations beyond which a script is taken to recurse without end.
const MAX_DEPTH: u32 = 25_000;
/// Elements beyond which a set or sequence is taken to be endless.
pub const MAX_ELEMENTS: usize = 4_000_000;
/// Elements beyond which a set of sets, tuples or maps is not listed.
pub const MAX_LISTED: usize = 1 << 20;

/// A process that is called this often, each time with a larger number than before, is taken to have no end.
const GROWING: i64 = 2_000;

/// How the numbers a function is called with have grown.
#[derive(Clone, Copy, Default)]
pub struct Growth {
    greatest: i64,
    rising: i64,
}

/// Why evaluation stopped.
#[derive(Debug, Clone)]
pub enum Fault {
    Error(Box<Diagnostic>),
    Limit(Limit),
}

impl From<Limit> for Fault {
    fn from(limit: Limit) -> Self {
        Fault::Limit(limit)
    }
}

pub type Eval<T> = Result<T, Fault>;

pub fn error<T>(span: Span, message: impl Into<String>) -> Eval<T> {
    Err(Fault::Error(Box::new(Diagnostic::new(Stage::Evaluation, span, message))))
}

pub fn error_hint<T>(span: Span, message: impl Into<String>, hint: impl Into<String>) -> Eval<T> {
    Err(Fault::Error(Box::new(Diagnostic::new(Stage::Evaluation, span, message).hint(hint))))
}

/// A channel or constructor: what its fields range over.
#[derive(Clone)]
pub struct Shape {
    pub channel: bool,
    pub of: Option<Expr>,
    pub fields: Option<Rc<Vec<Set>>>,
}

pub struct Evaluator {
    pub symbols: Symbols,
    pub events: Events,
    pub terms: Terms,
    pub meter: Meter,
    pub natives: Vec<Arc<dyn Native>>,
    globals: FxHashMap<Symbol, Thunk>,
    constructors: FxHashMap<Symbol, Shape>,
    datatypes: FxHashMap<Symbol, Rc<Vec<Symbol>>>,
    /// Subtypes give their constructors narrower fields.
    subtypes: FxHashMap<Symbol, Vec<(Symbol, Option<Expr>)>>,
    in_progress: Vec<Symbol>,
    channels: Vec<Symbol>,
    free: FxHashMap<ExprId, Rc<[Symbol]>>,
    groups: FxHashMap<(ExprId, Vec<Value>), Env>,
    links: FxHashMap<(Value, Value), Event>,
    pub(crate) steps: FxHashMap<TermId, Rc<[(Event, TermId)]>>,
    depth: u32,
    max_depth: u32,
    ticks: u32,
    names: FxHashMap<TermId, String>,
    /// How the numbers that processes are called with have grown.
    calls: FxHashMap<Symbol, Growth>,
    /// Whether compressions must keep more than failures and divergences.
    pub(crate) fine: bool,
    /// Machines that were written out when a term was evaluated.
    pub(crate) machines: Vec<Rc<Lts>>,
}

impl Evaluator {
    /// The name a script gave to a process, for messages.
    pub fn term_name(&self, term: TermId) -> Option<&str> {
        self.names.get(&term).map(String::as_str)
    }

    /// Remembers the first name under which a process is met.
    pub(crate) fn name_term(&mut self, value: &Value, name: impl FnOnce(&Self) -> String) {
        if let Value::Proc(term) = value
            && !self.names.contains_key(term)
        {
            let name = name(self);
            self.names.insert(*term, name);
        }
    }

    /// The process that was called most often with a number that only grew, if there is one.
    pub fn growing(&self) -> Option<String> {
        let mut found: Vec<(&Symbol, &i64)> =
            self.calls.iter().filter(|(_, c)| c.rising >= GROWING).map(|(name, c)| (name, &c.rising)).collect();
        found.sort_by_key(|(name, rising)| (std::cmp::Reverse(**rising), self.symbols.name(**name).to_owned()));
        found.first().map(|(name, _)| self.symbols.name(**name).to_owned())
    }

    pub fn new(symbols: Symbols, meter: Meter) -> Self {
        Evaluator {
            symbols,
            events: Events::new(),
            terms: Terms::default(),
            meter,
            natives: Vec::new(),
            globals: FxHashMap::default(),
            constructors: FxHashMap::default(),
            datatypes: FxHashMap::default(),
            subtypes: FxHashMap::default(),
            in_progress: Vec::new(),
            channels: Vec::new(),
            free: FxHashMap::default(),
            groups: FxHashMap::default(),
            links: FxHashMap::default(),
            steps: FxHashMap::default(),
            depth: 0,
            max_depth: crate::stack::depth_for_stack(MAX_DEPTH),
            ticks: 0,
            names: FxHashMap::default(),
            calls: FxHashMap::default(),
            fine: false,
            machines: Vec::new(),
        }
    }

    /// Called at each step of evaluation: counts nesting and, from time to time, checks the budget.
    fn enter(&mut self, span: Span) -> Eval<()> {
        self.depth += 1;
        if self.depth > self.max_depth {
            return error_hint(
                span,
                "evaluation is nested too deeply: this recursion does not end",
                "give the recursion a base case, or let the process do an event before it calls itself",
            );
        }
        self.tick()
    }

    /// Checks the budget from time to time.
    pub fn tick(&mut self) -> Eval<()> {
        self.ticks = self.ticks.wrapping_add(1);
        if self.ticks.is_multiple_of(256) {
            // A rough figure: what a term and its tables take, on average.
            self.meter.check(0, self.terms.len() as u64 * 200)?;
        }
        Ok(())
    }

    /// The value of a thunk, computed now if it has not been computed yet.
    pub fn force(&mut self, thunk: &Thunk, span: Span) -> Eval<Value> {
        let state = std::mem::replace(&mut *thunk.0.borrow_mut(), ThunkState::Running);
        let saved = state.clone();
        let result = match state {
            ThunkState::Ready(value) => Ok(value),
            ThunkState::Waiting(expr, env) => self.eval(&expr, &env),
            ThunkState::Project(pat, source, name) => self.project(&pat, &source, name),
            ThunkState::Datatype(name) => self.datatype_values(name, span).map(Value::Set),
            ThunkState::Nametype(expr) => self.nametype_values(&expr),
            ThunkState::Running => error_hint(
                span,
                "this definition needs its own value",
                "let the process do an event before it calls itself, or break the cycle",
            ),
        };
        *thunk.0.borrow_mut() = match &result {
            Ok(value) => ThunkState::Ready(value.clone()),
            Err(_) => saved,
        };
        result
    }

    fn project(&mut self, pat: &crate::syntax::Pat, source: &Thunk, name: Symbol) -> Eval<Value> {
        let mut bound = Vec::new();
        if !self.matches(pat, source, &mut bound)? {
            return error(pat.span, "the value does not match this pattern");
        }
        match bound.into_iter().find(|(n, _)| *n == name) {
            Some((_, thunk)) => self.force(&thunk, pat.span),
            None => error(pat.span, "this pattern does not bind the name"),
        }
    }

    /// A process to be evaluated when it is reached.
    pub fn later(&mut self, expr: &Expr, env: &Env) -> Eval<Next> {
        let key = self.key(expr, env)?;
        Ok(Next::Later(self.terms.delay(expr, key, env)))
    }

    pub fn now(&mut self, next: Next) -> Eval<TermId> {
        match next {
            Next::Now(term) => Ok(term),
            Next::Later(id) => self.settle(id),
        }
    }

    fn settle(&mut self, id: DelayedId) -> Eval<TermId> {
        match self.terms.pending(id) {
            Pending::Ready(term) => Ok(term),
            Pending::Unguarded => error_hint(
                Span::default(),
                "a process calls itself before it has done anything",
                "put an event in front of the recursive call",
            ),
            Pending::Evaluate(expr, env) => {
                let result = self.process(&expr, &env);
                match &result {
                    Ok(term) => self.terms.settle(id, *term),
                    Err(_) => self.terms.abandon(id, expr, env),
                }
                result
            }
        }
    }

    /// The values of the local variables an expression uses: what makes two delayed copies of it the same.
    fn key(&mut self, expr: &Expr, env: &Env) -> Eval<Vec<Value>> {
        let names = self.free_names(expr);
        let mut key = Vec::new();
        for &name in names.iter() {
            if let Some((thunk, group)) = env::lookup(env, name) {
                let part = match group {
                    Some(GroupId(g)) => Value::Dot(Rc::new([Value::Int(g.into()), Value::Int(name.0.into())])),
                    None => self.force(&thunk, expr.span)?,
                };
                key.push(self.comparable(part)?);
            }
        }
        Ok(key)
    }

    /// A value that compares equal whenever it behaves equally: functions by their code and what they captured.
    fn comparable(&mut self, value: Value) -> Eval<Value> {
        let Value::Fun(closure) = &value else { return Ok(value) };
        let mut parts = vec![Value::Int(closure.id.0.into())];
        for group in &closure.given {
            for thunk in group {
                let v = self.force(thunk, Span::default())?;
                parts.push(self.comparable(v)?);
            }
        }
        for clause in closure.clauses.iter() {
            parts.extend(self.key(&clause.body, &closure.env)?);
        }
        Ok(Value::Tuple(parts.into()))
    }
}
