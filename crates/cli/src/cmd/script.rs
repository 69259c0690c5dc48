//! Properties in CSP_M: scripts that use the cuts of a trace as the process `PROGRAM`.

use anyhow::{Context, bail};
use foretrace_csp::budget::Budget as Limits;
use foretrace_csp::counterexample::Counterexample;
use foretrace_csp::native::{Native, NativeEvent};
use foretrace_csp::script::{Report, Script, Verdict, with_stack};
use foretrace_event::{Event, EventId};
use foretrace_finding::{Candidate, Key, Monitor, Rung, Schedule, Violation, Witness};
use foretrace_predict::cuts::{Cuts, declarations};
use foretrace_predict::property::Observed;
use foretrace_predict::{Predicted, Prediction, Question, Undecided, Unknown};
use foretrace_trace::Trace;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What the assertions of a script say about a trace.
#[derive(Default)]
pub(super) struct Answers {
    /// Assertions that fail.
    pub(super) violations: Vec<Predicted>,
    /// Assertions without an answer, and why.
    pub(super) undecided: Vec<(String, String)>,
}

/// A script may have this many bytes.
const LONGEST: u64 = 16 << 20;

struct Program(Cuts);

impl Native for Program {
    fn alphabet(&self) -> Vec<String> {
        self.0.alphabet().to_vec()
    }

    fn words(&self) -> usize {
        self.0.words()
    }

    fn initial(&self, state: &mut [u64]) {
        self.0.initial(state);
    }

    fn successors(&self, state: &[u64], out: &mut dyn FnMut(NativeEvent, &[u64])) {
        self.0.successors(state, &mut |event, next| out(NativeEvent::Visible(event), next));
    }
}

/// Is this file a script in CSP_M?
pub(super) fn is_script(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|ending| ending == "csp")
}

/// The text of a script.
pub(super) fn read(name: &str) -> anyhow::Result<String> {
    let bytes = foretrace_file::read(Path::new(name), LONGEST).with_context(|| format!("cannot read {name}"))?;
    String::from_utf8(bytes).with_context(|| format!("{name} is not text in UTF-8"))
}

/// Adds what the assertions of a script say.
pub(super) fn add(answers: Answers, prediction: &mut Prediction) {
    prediction.violations.extend(answers.violations);
    for (text, why) in answers.undecided {
        crate::output::say!("{text}: {why}");
        let question = Question::Property(text.into(), String::new());
        prediction.undecided.push(Undecided { question, why: Unknown::Script });
    }
}

/// Checks the assertions of a script, given by its name and its text.
pub(super) fn check(
    trace: &Trace,
    (name, text): (&str, &str),
    states: u64,
    stop: &'static AtomicBool,
) -> anyhow::Result<Answers> {
    let before = declarations(trace);
    // Lines of the script keep their numbers if the declarations are behind them.
    let whole = format!("{text}\n{before}");
    with_stack(|| {
        let cuts = Cuts::new(trace);
        let native: Arc<dyn Native> = Arc::new(Program(cuts.clone()));
        let script = match Script::load(name, &whole, vec![("PROGRAM".to_owned(), native)]) {
            Ok(script) => script,
            Err(error) => bail!("{}", error.render()),
        };
        let limits = Limits { max_states: states, interrupted: Some(stop), ..Limits::default() };
        let mut answers = Answers::default();
        for assertion in script.assertions() {
            let report = script.check(&assertion, &limits, &|_| {});
            note(trace, &cuts, report, &mut answers)?;
        }
        if script.assertions().is_empty() {
            bail!(
                "{name}: there is no assertion in this script; write one such as `assert SPEC [T= PROGRAM \\ sync_events`"
            );
        }
        Ok(answers)
    })
}

/// The one order of a recorded run as a process.
struct Order {
    alphabet: Vec<String>,
    events: Vec<u32>,
}

impl Native for Order {
    fn alphabet(&self) -> Vec<String> {
        self.alphabet.clone()
    }

    fn words(&self) -> usize {
        1
    }

    fn initial(&self, state: &mut [u64]) {
        state[0] = 0;
    }

    fn successors(&self, state: &[u64], out: &mut dyn FnMut(NativeEvent, &[u64])) {
        if let Some(event) = self.events.get(state[0] as usize) {
            out(NativeEvent::Visible(*event), &[state[0] + 1]);
        }
    }
}

/// Which assertions about traces a recorded run fails, with `PROGRAM` as the order of that run. (What a run that ended
/// refuses says nothing of assertions in other models.)
pub(super) fn observed(trace: &Trace, name: &str, text: &str) -> Vec<Observed> {
    let whole = format!("{text}\n{}", declarations(trace));
    with_stack(|| {
        let cuts = Cuts::new(trace);
        let seen = cuts.observed(trace);
        let order =
            Order { alphabet: cuts.alphabet().to_vec(), events: seen.iter().map(|(_, event)| *event).collect() };
        let native: Arc<dyn Native> = Arc::new(order);
        let Ok(script) = Script::load(name, &whole, vec![("PROGRAM".to_owned(), native)]) else { return Vec::new() };
        let assertions = script.assertions();
        let reports = assertions.iter().map(|assertion| script.check(assertion, &Limits::default(), &|_| {}));
        let failing = reports.filter(|report| report.text.contains("[T="));
        let of_order = failing.filter_map(|report| {
            let Verdict::Fails(Some(shown)) = &report.verdict else { return None };
            let length = path(shown)?.len();
            let (event, before) = seen.get(..length)?.split_last()?;
            let is_custom = |id: &EventId| matches!(trace.event(*id), Event::Custom(..));
            let because = before.iter().map(|(id, _)| *id).filter(is_custom).collect();
            let name: Box<str> = report.text.as_str().into();
            Some(Observed {
                event: event.0,
                because,
                property: name.clone(),
                says: name,
                with: Vec::new(),
                graph: None,
                path: Vec::new(),
            })
        });
        of_order.collect()
    })
}

fn note(trace: &Trace, cuts: &Cuts, report: Report, answers: &mut Answers) -> anyhow::Result<()> {
    let text = report.text;
    match report.verdict {
        Verdict::Holds => {}
        Verdict::Unknown(why) => answers.undecided.push((text, why)),
        Verdict::Error(error) => bail!("{text}: {}", error.message),
        Verdict::Fails(None) => bail!("{text} fails, but a negated assertion shows no order of events"),
        Verdict::Fails(Some(shown)) => {
            let schedule = path(&shown).and_then(|events| cuts.schedule(events));
            let schedule =
                schedule.with_context(|| format!("{text} fails, but not because of an order of PROGRAM's events"))?;
            answers.violations.push(predicted(trace, &text, schedule)?);
        }
    }
    Ok(())
}

/// What `PROGRAM` does in a counterexample.
fn path(shown: &Counterexample) -> Option<&[String]> {
    let mut parts = shown.components.iter().filter(|part| part.label.starts_with("PROGRAM"));
    parts.next_back().map(|part| part.trace.as_slice())
}

/// The schedule as a violation of a property whose automaton accepts everything but these events in this order.
fn predicted(trace: &Trace, text: &str, schedule: Schedule) -> anyhow::Result<Predicted> {
    let Some(event) = schedule.events().last() else { bail!("{text} fails before the first event of PROGRAM") };
    let is_custom = |id: &EventId| *id != event && matches!(trace.event(*id), Event::Custom(..));
    let because: Vec<EventId> = schedule.events().filter(is_custom).collect();
    let monitor = Arc::new(sequence(trace, text, schedule.events()));
    let candidate = Candidate::Violation(Violation { monitor, event, because });
    Ok(Predicted { witness: Witness { candidate, rung: Rung::Free, schedule }, also: Vec::new() })
}

/// An automaton that is violated by exactly this sequence of events.
fn sequence(trace: &Trace, text: &str, events: impl Iterator<Item = EventId>) -> Monitor {
    let keys: Vec<Key> = events.map(|id| Key::new(id.thread, trace.event(id))).collect();
    let letters: BTreeMap<Key, u32> = keys.iter().copied().collect::<BTreeSet<_>>().into_iter().zip(0..).collect();
    let row = |state: usize| {
        let follows = |letter: u32| keys.get(state).is_some_and(|key| letters[key] == letter);
        let next =
            |letter: u32| if follows(letter) || state == keys.len() { (state + 1).min(keys.len()) } else { state };
        (0..letters.len() as u32).map(|letter| next(letter) as u32).collect()
    };
    Monitor {
        name: text.into(),
        says: text.into(),
        binding: Vec::new(),
        states: (0..keys.len()).map(|state| format!("after {state} events").into()).collect(),
        letters: letters.clone().into_iter().collect(),
        next: (0..=keys.len()).map(row).collect(),
        graph: None,
    }
}
