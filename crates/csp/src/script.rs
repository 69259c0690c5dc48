//! A script from its text to the answers to its assertions.

use crate::budget::{Budget, Meter};
use crate::counterexample::Counterexample;
use crate::diagnostic::{Diagnostic, Stage};
use crate::eval::{Eval, Evaluator, Fault, Value};
use crate::machine::event::Event;
use crate::machine::lts::Lts;
use crate::native::Native;
use crate::refine::answer::{Answer, FailureKind, Options, Outcome, Statistics};
use crate::refine::search::Watcher;
use crate::refine::{check, determinism, observe, trace};
use crate::source::{Position, Sources, Span};
pub use crate::stack::with_stack;
use crate::syntax::names::declared_names;
use crate::syntax::{self, Assertion, Claim, Decl, DeclKind, Expr, Symbol, Symbols};
use crate::types;
use std::rc::Rc;
use std::sync::Arc;

const PRELUDE_NAME: &str = "<prelude>";
/// Definitions every script has; its own take precedence.
const PRELUDE: &str = include_str!("prelude.csp");

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
    /// Further counterexamples of the same length.
    pub more: Vec<Counterexample>,
    pub statistics: Statistics,
}

impl Script {
    /// Reads a script. `natives` are processes it may use without declaring them.
    pub fn load(name: &str, text: &str, natives: Vec<(String, Arc<dyn Native>)>) -> Result<Script, LoadError> {
        Script::load_within(name, text, natives, &Budget::default())
    }

    /// Reads a script, unless that takes longer than the budget allows.
    pub fn load_within(
        name: &str,
        text: &str,
        natives: Vec<(String, Arc<dyn Native>)>,
        budget: &Budget,
    ) -> Result<Script, LoadError> {
        let meter = Meter::new(budget.clone());
        let mut sources = Sources::default();
        let mut symbols = Symbols::default();
        let parsed = syntax::parse_within(name, text, &mut sources, &mut symbols, &meter);
        let mut script = match parsed {
            Ok(script) => script,
            Err(diagnostics) => return Err(LoadError { diagnostics, sources }),
        };
        script.decls = match syntax::desugar::desugar(script.decls, &mut symbols, &meter) {
            Ok(decls) => decls,
            Err(diagnostics) => return Err(LoadError { diagnostics, sources }),
        };
        let prelude = syntax::parse(PRELUDE_NAME, PRELUDE, &mut sources, &mut symbols);
        let prelude = prelude.expect("the prelude is well formed").decls;
        let mine: Vec<Symbol> = script.decls.iter().flat_map(declared_names).map(|(name, _)| name).collect();
        let replaced = |d: &Decl| declared_names(d).iter().any(|(name, _)| mine.contains(name));
        script.decls.extend(prelude.into_iter().filter(|d| !replaced(d)));
        let names: Vec<String> = natives.iter().map(|(name, _)| name.clone()).collect();
        let diagnostics = types::check(&script.decls, &names, &mut symbols, &meter);
        if !diagnostics.is_empty() {
            return Err(LoadError { diagnostics, sources });
        }
        Ok(Script { sources, symbols, decls: script.decls, natives })
    }

    /// The same script with further declarations at its end. What it printed and asserted itself is left out.
    fn extended(&self, name: &str, text: &str, budget: &Budget) -> Result<Script, LoadError> {
        let (mut sources, mut symbols) = (self.sources.clone(), self.symbols.clone());
        let meter = Meter::new(budget.clone());
        let more = syntax::parse_within(name, text, &mut sources, &mut symbols, &meter)
            .and_then(|script| syntax::desugar::desugar(script.decls, &mut symbols, &meter));
        let more = match more {
            Ok(more) => more,
            Err(diagnostics) => return Err(LoadError { diagnostics, sources }),
        };
        let asks = |d: &&Decl| matches!(d.kind, DeclKind::Assert(_) | DeclKind::Print(_));
        let mut decls: Vec<Decl> = self.decls.iter().filter(|d| !asks(d)).cloned().collect();
        decls.extend(more);
        let names: Vec<String> = self.natives.iter().map(|(name, _)| name.clone()).collect();
        let diagnostics = types::check(&decls, &names, &mut symbols, &meter);
        if !diagnostics.is_empty() {
            return Err(LoadError { diagnostics, sources });
        }
        Ok(Script { sources, symbols, decls, natives: self.natives.clone() })
    }

    /// The value of an expression, as a script would write it.
    pub fn evaluate(&self, expression: &str, budget: &Budget) -> Result<String, LoadError> {
        let script = self.extended("<expression>", &format!("print {expression}\n"), budget)?;
        match script.prints(budget).pop() {
            Some((_, Ok(value))) => Ok(value),
            Some((_, Err(diagnostic))) => Err(LoadError { diagnostics: vec![diagnostic], sources: script.sources }),
            None => Err(LoadError { diagnostics: Vec::new(), sources: script.sources }),
        }
    }

    /// The type of an expression, as an annotation would write it.
    pub fn type_of(&self, expression: &str, budget: &Budget) -> Result<String, LoadError> {
        let script = self.extended("<expression>", &format!("csp_asked = {expression}\n"), budget)?;
        let mut symbols = script.symbols.clone();
        let name = symbols.intern("csp_asked");
        let names: Vec<String> = self.natives.iter().map(|(name, _)| name.clone()).collect();
        Ok(types::type_of(name, &script.decls, &names, &mut symbols))
    }

    /// Decides a claim that is not in the script, such as `P [T= Q`.
    pub fn ask(&self, claim: &str, budget: &Budget, watcher: Watcher) -> Result<Report, LoadError> {
        let script = self.extended("<assertion>", &format!("assert {claim}\n"), budget)?;
        let assertion = script.assertions().pop();
        assertion
            .map(|a| script.check(&a, budget, watcher))
            .ok_or(LoadError { diagnostics: Vec::new(), sources: script.sources })
    }

    pub fn assertions(&self) -> Vec<Rc<Assertion>> {
        let of = |d: &Decl| match &d.kind {
            DeclKind::Assert(a) => Some(a.clone()),
            _ => None,
        };
        self.decls.iter().filter_map(of).collect()
    }

    /// An assertion on one line.
    pub fn text_of(&self, assertion: &Assertion) -> String {
        self.sources.text(assertion.span).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// The processes that assertions are about, as they are written, each once.
    pub fn processes(&self) -> Vec<String> {
        let mut out: Vec<String> = Vec::new();
        for assertion in self.assertions() {
            let of = match &assertion.claim {
                Claim::Refines { spec, implementation, .. } => vec![spec, implementation],
                Claim::DeadlockFree(p, _) | Claim::DivergenceFree(p) | Claim::Deterministic(p, _) => vec![p],
                Claim::HasTrace { process, .. } => vec![process],
            };
            for process in of {
                let text = self.sources.text(process.span).split_whitespace().collect::<Vec<_>>().join(" ");
                if !out.contains(&text) {
                    out.push(text);
                }
            }
        }
        out
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
        let text = self.text_of(assertion);
        let at = self.sources.position(assertion.span);
        let (verdict, more, statistics) = match decide(&mut evaluator, assertion, watcher) {
            Ok(decided) => decided,
            Err(Fault::Limit(limit)) => {
                let why = format!("{limit}{}", endless(&evaluator));
                (Verdict::Unknown(why), Vec::new(), Statistics::of(meter.progress(), meter.elapsed()))
            }
            Err(fault) => (Verdict::Error(self.diagnostic(fault, assertion.span)), Vec::new(), Statistics::default()),
        };
        let (verdict, witness) = match (assertion.negated, verdict) {
            (true, Verdict::Holds) => (Verdict::Fails(None), None),
            (true, Verdict::Fails(shown)) => (Verdict::Holds, shown),
            (_, verdict) => (verdict, None),
        };
        Report { text, at, verdict, witness, more, statistics }
    }

    /// The state space of a process given by name or expression, and the names of its events.
    pub fn explore(&self, process: &str, budget: &Budget) -> Result<(Lts, Vec<String>), LoadError> {
        let script = self.extended("<process>", &format!("csp_explored = {process}\n"), budget)?;
        let explored = script.decls.iter().rev().find_map(|d| match &d.kind {
            DeclKind::Function(name, clauses) if script.symbols.name(*name) == "csp_explored" => Some(clauses.clone()),
            _ => None,
        });
        let Some(clauses) = explored else {
            return Err(LoadError { diagnostics: Vec::new(), sources: script.sources });
        };
        let body = &clauses[0].body;
        let mut evaluator = script.evaluator(Meter::new(budget.clone()));
        let lts = evaluator.process(body, &None).and_then(|t| evaluator.explicate(t));
        match lts {
            Ok(lts) => Ok((lts, evaluator.events.names().to_vec())),
            Err(fault) => {
                let diagnostics = vec![script.diagnostic(fault, body.span)];
                Err(LoadError { diagnostics, sources: script.sources })
            }
        }
    }
}

/// The hint for a script that met a limit: the process that has only grown, if there is one.
fn endless(evaluator: &Evaluator) -> String {
    match evaluator.growing() {
        Some(name) => format!("; {name} seems to have no end of states, for a parameter of it only grows"),
        None => String::new(),
    }
}

/// The answer, further counterexamples, and what it took.
type Decided = (Verdict, Vec<Counterexample>, Statistics);

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
            let lts = if options.held.is_empty() { lts } else { lts.with_priority(&options.held) };
            let (answer, trace) = determinism::deterministic(&lts, *model, &options)?;
            Ok(by_events(evaluator, answer, &trace, &lts, &meter))
        }
        Claim::HasTrace { process, trace, .. } => has_trace(evaluator, process, trace, &options),
    }
}

fn has_trace(evaluator: &mut Evaluator, process: &Expr, trace: &Expr, options: &Options) -> Eval<Decided> {
    let term = evaluator.process(process, &None)?;
    let product = evaluator.compile(term)?;
    let trace = evaluator.events_in(trace)?;
    let (done, states) = trace::longest(&product, &trace, options)?;
    let verdict = match done == trace.len() {
        true => Verdict::Holds,
        false => Verdict::Fails(Some(Counterexample::after(&trace, &FailureKind::NoTrace(done), &evaluator.events))),
    };
    let statistics = Statistics { states, depth: done as u32, time: options.meter.elapsed(), ..Statistics::default() };
    Ok((verdict, Vec::new(), statistics))
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
    let more = outcome.more.iter().map(|f| Counterexample::of(f, &product, &evaluator.events)).collect();
    Ok((verdict, more, outcome.statistics))
}

/// An answer found on an explicit machine: its behaviour is known by the events alone.
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
    (verdict, Vec::new(), statistics)
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
