//! A script from its text to the answers to its assertions.

use crate::budget::{Budget, Meter};
use crate::counterexample::Counterexample;
use crate::diagnostic::{Diagnostic, Stage};
use crate::eval::free::declared_names;
use crate::eval::{Eval, Evaluator, Fault, Value};
use crate::machine::event::Event;
use crate::machine::lts::Lts;
use crate::native::Native;
use crate::refine::check::{self, Answer, Failure, FailureKind, Options, Outcome, Statistics};
use crate::refine::observe;
use crate::refine::search::Watcher;
use crate::source::{Position, Sources, Span};
use crate::syntax::{self, Assertion, Claim, Decl, DeclKind, Expr, Symbol, Symbols};
use crate::types;
use std::rc::Rc;
use std::sync::Arc;

/// Stack of the thread that evaluates: recursion in a script is recursion here.
const STACK: usize = 2 << 30;

const PRELUDE_NAME: &str = "<prelude>";
/// Definitions every script has; its own take precedence.
const PRELUDE: &str = include_str!("prelude.csp");

/// Runs something with room for deep recursion. Loading and checking scripts belongs in here.
pub fn with_stack<R: Send>(body: impl FnOnce() -> R + Send) -> R {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, body);
        match thread.expect("a thread can be started").join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// What is wrong with a script that cannot be checked.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.render())]
pub struct LoadError {
    pub diagnostics: Vec<Diagnostic>,
    pub sources: Sources,
}

impl LoadError {
    pub fn render(&self) -> String {
        self.diagnostics.iter().map(|d| d.render(&self.sources)).collect::<Vec<_>>().join("\n")
    }
}

/// A script that has been read and type-checked.
pub struct Script {
    pub sources: Sources,
    symbols: Symbols,
    decls: Vec<Decl>,
    natives: Vec<(String, Arc<dyn Native>)>,
}

/// How an assertion came out.
#[derive(Debug, Clone)]
pub enum Verdict {
    Holds,
    /// It fails; a negated assertion fails without a behaviour to show.
    Fails(Option<Counterexample>),
    Unknown(String),
    Error(Diagnostic),
}

#[derive(Debug, Clone)]
pub struct Report {
    pub text: String,
    pub at: Position,
    pub verdict: Verdict,
    /// For a negated assertion that holds: the behaviour that shows the claim to be false.
    pub witness: Option<Counterexample>,
    pub statistics: Statistics,
}

impl Script {
    /// Reads a script. `natives` are processes it may use without declaring them.
    pub fn load(name: &str, text: &str, natives: Vec<(String, Arc<dyn Native>)>) -> Result<Script, LoadError> {
        let mut sources = Sources::default();
        let mut symbols = Symbols::default();
        let parsed = syntax::parse(name, text, &mut sources, &mut symbols);
        let mut script = match parsed {
            Ok(script) => script,
            Err(diagnostics) => return Err(LoadError { diagnostics, sources }),
        };
        script.decls = match syntax::desugar::desugar(script.decls, &mut symbols) {
            Ok(decls) => decls,
            Err(diagnostics) => return Err(LoadError { diagnostics, sources }),
        };
        let prelude = syntax::parse(PRELUDE_NAME, PRELUDE, &mut sources, &mut symbols);
        let prelude = prelude.expect("the prelude is well formed").decls;
        let mine: Vec<Symbol> = script.decls.iter().flat_map(declared_names).map(|(name, _)| name).collect();
        let replaced = |d: &Decl| declared_names(d).iter().any(|(name, _)| mine.contains(name));
        script.decls.extend(prelude.into_iter().filter(|d| !replaced(d)));
        let names: Vec<String> = natives.iter().map(|(name, _)| name.clone()).collect();
        let diagnostics = types::check(&script.decls, &names, &mut symbols);
        if !diagnostics.is_empty() {
            return Err(LoadError { diagnostics, sources });
        }
        Ok(Script { sources, symbols, decls: script.decls, natives })
    }

    pub fn assertions(&self) -> Vec<Rc<Assertion>> {
        let of = |d: &Decl| match &d.kind {
            DeclKind::Assert(a) => Some(a.clone()),
            _ => None,
        };
        self.decls.iter().filter_map(of).collect()
    }

    fn evaluator(&self, meter: Meter) -> Evaluator {
        let mut evaluator = Evaluator::new(self.symbols.clone(), meter);
        evaluator.load(&self.decls);
        for (name, native) in &self.natives {
            let symbol = evaluator.symbols.intern(name);
            evaluator.add_native(symbol, native.clone());
        }
        evaluator
    }

    /// The values of the script's `print` declarations.
    pub fn prints(&self, budget: &Budget) -> Vec<(String, Result<String, Diagnostic>)> {
        let mut evaluator = self.evaluator(Meter::new(budget.clone()));
        let mut out = Vec::new();
        for decl in &self.decls {
            if let DeclKind::Print(e) = &decl.kind {
                let value = evaluator.eval(e, &None).map(|v| evaluator.show(&v));
                out.push((self.sources.text(e.span).to_owned(), value.map_err(|f| self.diagnostic(f, e.span))));
            }
        }
        out
    }

    fn diagnostic(&self, fault: Fault, span: Span) -> Diagnostic {
        match fault {
            Fault::Error(mut d) => {
                let inside = self.sources.position(d.span).file == PRELUDE_NAME;
                if d.span == Span::default() || inside {
                    d.span = span;
                }
                *d
            }
            Fault::Limit(limit) => Diagnostic::new(Stage::Evaluation, span, limit.to_string()),
        }
    }

    /// Decides one assertion.
    pub fn check(&self, assertion: &Assertion, budget: &Budget, watcher: Watcher) -> Report {
        let meter = Meter::new(budget.clone());
        let mut evaluator = self.evaluator(meter.clone());
        let text = self.sources.text(assertion.span).split_whitespace().collect::<Vec<_>>().join(" ");
        let at = self.sources.position(assertion.span);
        let (verdict, statistics) = match decide(&mut evaluator, assertion, watcher) {
            Ok(decided) => decided,
            Err(Fault::Limit(limit)) => {
                let statistics = Statistics { time: meter.elapsed(), ..Statistics::default() };
                (Verdict::Unknown(limit.to_string()), statistics)
            }
            Err(fault) => (Verdict::Error(self.diagnostic(fault, assertion.span)), Statistics::default()),
        };
        let (verdict, witness) = match (assertion.negated, verdict) {
            (true, Verdict::Holds) => (Verdict::Fails(None), None),
            (true, Verdict::Fails(shown)) => (Verdict::Holds, shown),
            (_, verdict) => (verdict, None),
        };
        Report { text, at, verdict, witness, statistics }
    }

    /// The state space of a process given by name or expression, and the names of its events.
    pub fn explore(&self, process: &str, budget: &Budget) -> Result<(Lts, Vec<String>), LoadError> {
        let mut sources = self.sources.clone();
        let mut symbols = self.symbols.clone();
        let text = format!("csp_explored = {process}\n");
        let failed = |diagnostics, sources| LoadError { diagnostics, sources };
        let parsed = match syntax::parse("<process>", &text, &mut sources, &mut symbols) {
            Ok(parsed) => parsed,
            Err(diagnostics) => return Err(failed(diagnostics, sources)),
        };
        let mut evaluator = self.evaluator(Meter::new(budget.clone()));
        evaluator.symbols = symbols;
        let Some(DeclKind::Function(_, clauses)) = parsed.decls.first().map(|d| &d.kind) else {
            return Err(failed(Vec::new(), sources));
        };
        let body = &clauses[0].body;
        let lts = evaluator.process(body, &None).and_then(|t| evaluator.explicate(t));
        match lts {
            Ok(lts) => Ok((lts, evaluator.events.names().to_vec())),
            Err(fault) => Err(failed(vec![self.diagnostic(fault, body.span)], sources)),
        }
    }
}

type Decided = (Verdict, Statistics);

fn decide(evaluator: &mut Evaluator, assertion: &Assertion, watcher: Watcher) -> Eval<Decided> {
    let held = match &assertion.options.tau_priority {
        Some(set) => evaluator.events_of(set)?,
        None => Vec::new(),
    };
    let meter = evaluator.meter.clone();
    let options = Options { meter: &meter, watcher, reduction: assertion.options.partial_order, held };
    match &assertion.claim {
        Claim::Refines { spec, model, implementation } if *model != model.basic() => {
            evaluator.fine = true;
            let (spec, lts) = (explicit(evaluator, spec)?, explicit(evaluator, implementation)?);
            let lts = if options.held.is_empty() { lts } else { lts.with_priority(&options.held) };
            let (answer, steps) = observe::refines(&spec, &lts, *model, &meter)?;
            Ok(by_events(evaluator, answer, &steps, &lts, &meter))
        }
        Claim::Refines { spec, model, implementation } => {
            let spec = evaluator.process(spec, &None)?;
            let spec = evaluator.compile(spec)?;
            let norm = check::specification(&spec, *model, &meter)?;
            with_product(evaluator, implementation, |p| check::refines(&norm, *model, p, &options))
        }
        Claim::DeadlockFree(process, model) => {
            with_product(evaluator, process, |p| check::deadlock_free(p, *model, &options))
        }
        Claim::DivergenceFree(process) => with_product(evaluator, process, |p| check::divergence_free(p, &options)),
        Claim::Deterministic(process, model) => {
            let lts = explicit(evaluator, process)?;
            let (answer, trace) = check::deterministic(&lts, *model, &options)?;
            Ok(by_events(evaluator, answer, &trace, &lts, &meter))
        }
        Claim::HasTrace { process, trace, .. } => {
            let lts = explicit(evaluator, process)?;
            let trace = evaluator.events_in(trace)?;
            let done = check::has_trace(&lts, &trace);
            let answer = match done == trace.len() {
                true => Answer::Holds,
                false => Answer::Fails(Failure { rules: Vec::new(), kind: FailureKind::NoTrace(done) }),
            };
            Ok(by_events(evaluator, answer, &trace, &lts, &meter))
        }
    }
}

fn explicit(evaluator: &mut Evaluator, process: &Expr) -> Eval<Lts> {
    let term = evaluator.process(process, &None)?;
    let lts = evaluator.explicate(term)?;
    Ok(crate::compress::strong(&lts, &evaluator.meter)?)
}

fn with_product(
    evaluator: &mut Evaluator,
    process: &Expr,
    ask: impl FnOnce(&crate::machine::Product) -> Result<Outcome, crate::budget::Limit>,
) -> Eval<Decided> {
    let term = evaluator.process(process, &None)?;
    let product = evaluator.compile(term)?;
    let outcome = ask(&product)?;
    let verdict = match outcome.answer {
        Answer::Holds => Verdict::Holds,
        Answer::Unknown(limit) => Verdict::Unknown(limit.to_string()),
        Answer::Fails(failure) => Verdict::Fails(Some(Counterexample::of(&failure, &product, &evaluator.events))),
    };
    Ok((verdict, outcome.statistics))
}

/// An answer found on an explicit machine, told by its events alone.
fn by_events(evaluator: &Evaluator, answer: Answer, trace: &[Event], lts: &Lts, meter: &Meter) -> Decided {
    let statistics = Statistics {
        states: lts.len() as u64,
        transitions: lts.steps.len() as u64,
        time: meter.elapsed(),
        ..Statistics::default()
    };
    let verdict = match answer {
        Answer::Holds => Verdict::Holds,
        Answer::Unknown(limit) => Verdict::Unknown(limit.to_string()),
        Answer::Fails(failure) => Verdict::Fails(Some(Counterexample::after(trace, &failure.kind, &evaluator.events))),
    };
    (verdict, statistics)
}

impl Evaluator {
    fn events_of(&mut self, set: &Expr) -> Eval<Vec<Event>> {
        match self.eval(set, &None)? {
            Value::Set(values) => {
                let values = self.list(&values, set.span)?;
                values.iter().map(|v| self.event(v, set.span)).collect()
            }
            other => crate::eval::error(set.span, format!("expected a set of events, found {}", self.show(&other))),
        }
    }

    fn events_in(&mut self, trace: &Expr) -> Eval<Vec<Event>> {
        let value = self.eval(trace, &None)?;
        let values = self.elements(&value, trace.span)?;
        values.iter().map(|v| self.event(v, trace.span)).collect()
    }
}
