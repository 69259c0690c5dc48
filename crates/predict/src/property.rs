//! Violations of the user's own properties.
//!
//! Each instance of a property is asked about in up to three steps:
//!
//! 1. **The recorded run itself**: the automaton runs along it.
//! 2. **One pass** ([`linear`]), for rules whose form allows it: is there another order of the events that performs the
//!    operations on each synchronisation object in the recorded order (trace equivalence), and violates the property? This
//!    is sound and complete for these orders.
//! 3. **A search** over cuts and states of the automaton, for all orders that the objects allow. It stops at a violation,
//!    and proves that there is none if it ends within the budget. If it finds one, a smaller search looks for a schedule in
//!    which reads see what they saw in the recorded run ([`crate::model::Rules::keep_reads`]).

mod alphabet;
mod clocks;
mod linear;
mod observed;

use std::sync::Arc;

use foretrace_event::EventId;
use foretrace_finding::{Candidate, Key, Monitor, Schedule, StateGraph, Violation, Witness};
use foretrace_property::{Automaton, Instance, Template, binding, instances};
use rustc_hash::FxHashMap;

pub use alphabet::Alphabet;
pub use foretrace_property::Datum;
pub use observed::{Observed, observed};

use crate::analysis::Analysis;
use crate::budget::{Budget, Unknown};
use crate::model::{MOST_ACCESSES, Program, Rules};
use crate::prediction::{Predicted, Prediction, Question, Undecided, Watch};
use crate::rung;
use crate::schedule::Writer;
use crate::search::{Query, Uses, violate};

/// A property may have this many instances in one run.
pub const MOST_INSTANCES: usize = 1 << 16;

/// States of a search for a schedule that is more likely to run.
const STATES_FOR_LIKELIER: u64 = 200_000;

/// Looks for violations of all properties.
pub(crate) fn find(analysis: &Analysis<'_>, watch: &dyn Watch, prediction: &mut Prediction) {
    for template in &analysis.options.properties {
        Checked::new(analysis, template).run(watch, prediction);
    }
}

/// One property in one trace.
struct Checked<'a, 'b> {
    analysis: &'b Analysis<'a>,
    template: &'b Template,
    alphabet: Alphabet,
}

impl<'a, 'b> Checked<'a, 'b> {
    fn new(analysis: &'b Analysis<'a>, template: &'b Template) -> Self {
        Self { analysis, template, alphabet: Alphabet::new(analysis.trace, template) }
    }

    fn run(&self, watch: &dyn Watch, prediction: &mut Prediction) {
        watch.phase("collecting instances", 0);
        let instances = match instances(self.template, self.alphabet.letters(), MOST_INSTANCES) {
            Ok(instances) => instances,
            Err(too_many) => {
                let question = Question::Property(self.template.name.clone(), String::new());
                prediction.undecided.push(Undecided { question, why: Unknown::Instances(too_many.0) });
                return;
            }
        };
        prediction.stats.instances += instances.len() as u64;
        let near = linear::run(self.analysis.trace, self.template, &self.alphabet, &instances);
        watch.phase("checking a property", instances.len());
        for (instance, near) in instances.iter().zip(near) {
            watch.step();
            match near {
                Some(found) => {
                    prediction.stats.by_pass += 1;
                    prediction.violations.push(self.predicted(instance, found));
                }
                None => self.search(instance, prediction),
            }
        }
    }

    fn search(&self, instance: &Instance, prediction: &mut Prediction) {
        if let Some(why) = self.analysis.options.budget.interrupted() {
            return self.undecided(instance, why, prediction);
        }
        let Some(subject) = Subject::new(&self.alphabet, instance) else { return };
        prediction.stats.searched += 1;
        let (answer, states) = subject.ask(self.analysis, &self.analysis.options.budget, &Rules::default());
        prediction.stats.states += states;
        match answer {
            Ok(None) => {}
            Err(why) => self.undecided(instance, why, prediction),
            Ok(Some(free)) => {
                let schedule = self.likelier(&subject, prediction).unwrap_or(free);
                prediction.violations.push(self.predicted(instance, schedule));
            }
        }
    }

    /// A schedule in which reads and atomic loads see what they saw is more likely to run.
    fn likelier(&self, subject: &Subject, prediction: &mut Prediction) -> Option<Schedule> {
        let trace = self.analysis.trace;
        let has_atomics = trace.atomics().len() > 0;
        let accesses = trace.threads().flat_map(|thread| trace.events(thread)).filter(|event| event.is_access());
        let few = (1..MOST_ACCESSES).contains(&accesses.take(MOST_ACCESSES).count());
        let kept = |keep_reads| Rules { keep_atomics: true, keep_reads, ..Rules::default() };
        let ways = [few.then(|| kept(true)), has_atomics.then(|| kept(false))];
        let all = &self.analysis.options.budget;
        let budget = Budget { states: all.states.min(STATES_FOR_LIKELIER), ..all.clone() };
        ways.into_iter().flatten().find_map(|rules| {
            let (answer, states) = subject.ask(self.analysis, &budget, &rules);
            prediction.stats.states += states;
            answer.ok().flatten()
        })
    }

    fn undecided(&self, instance: &Instance, why: Unknown, prediction: &mut Prediction) {
        let values = self.monitor(instance).values();
        prediction.undecided.push(Undecided { question: Question::Property(self.template.name.clone(), values), why });
    }

    fn predicted(&self, instance: &Instance, schedule: Schedule) -> Predicted {
        let monitor = self.monitor(instance);
        let (schedule, because) = up_to_violation(self.analysis, &monitor, schedule);
        let event = schedule.events().last().expect("a violation has an event");
        let own: Vec<EventId> = because.iter().copied().chain([event]).collect();
        let rung = rung::nearest(self.analysis, &schedule, &own);
        let candidate = Candidate::Violation(Violation { monitor: Arc::new(monitor), event, because });
        Predicted { witness: Witness { candidate, rung, schedule }, also: Vec::new() }
    }

    fn monitor(&self, instance: &Instance) -> Monitor {
        let automaton = &instance.automaton;
        let mut letters: Vec<(Key, u32)> = Vec::new();
        for (local, letter) in instance.letters.iter().enumerate() {
            letters.extend(self.alphabet.keys_of(*letter).iter().map(|key| (*key, local as u32)));
        }
        letters.sort_unstable();
        let row = |state: u32| (0..automaton.letters()).map(move |letter| automaton.next(state, letter)).collect();
        let values = binding(self.template, instance).into_iter();
        Monitor {
            name: self.template.name.clone(),
            says: self.template.says.clone(),
            binding: values.map(|(name, value)| (name, value.to_string().into())).collect(),
            states: self.template.states.clone(),
            letters,
            next: (0..automaton.states() as u32).map(row).collect(),
            graph: Some(graph(self.template)),
        }
    }
}

/// The automaton of a property for people.
fn graph(template: &Template) -> StateGraph {
    let edges = template.edges_in_words().into_iter().map(|(from, to, on)| (from, to, on.into()));
    StateGraph { states: template.all_states(), edges: edges.collect() }
}

/// The schedule up to the first violation, and the events before it that brought the automaton there.
fn up_to_violation(analysis: &Analysis<'_>, monitor: &Monitor, schedule: Schedule) -> (Schedule, Vec<EventId>) {
    let (mut state, mut because) = (0, Vec::new());
    let mut steps = Vec::new();
    for step in schedule.steps() {
        steps.push(*step);
        let key = Key::new(step.event.thread, analysis.trace.event(step.event));
        let after = monitor.after(state, &key);
        match after {
            _ if after == monitor.violated() => break,
            _ if after == state => {}
            0 => because.clear(),
            _ => because.push(step.event),
        }
        state = after;
    }
    (Schedule::new(steps), because)
}

/// An instance as the search sees it: only the letters that change something.
struct Subject {
    automaton: Automaton,
    letters: FxHashMap<Key, u32>,
}

impl Subject {
    /// None if one thread performs all that matters: then no other order changes anything.
    fn new(alphabet: &Alphabet, instance: &Instance) -> Option<Self> {
        let full = instance.automaton.minimised();
        let kept: Vec<usize> = (0..full.letters()).filter(|letter| full.matters(*letter)).collect();
        let automaton =
            Automaton::new(full.states(), kept.len(), |state, letter| full.next(state as u32, kept[letter]) as usize);
        let keys = |(new, old): (usize, &usize)| {
            let keys = alphabet.keys_of(instance.letters[*old]);
            keys.iter().map(move |key| (*key, new as u32)).collect::<Vec<_>>()
        };
        let letters: FxHashMap<Key, u32> = kept.iter().enumerate().flat_map(keys).collect();
        let mut threads = letters.keys().map(|key| key.thread);
        let first = threads.next()?;
        threads.any(|thread| thread != first).then_some(Self { automaton, letters })
    }

    /// A schedule that violates the property, if there is one.
    fn ask(&self, analysis: &Analysis<'_>, budget: &Budget, rules: &Rules) -> (Result<Option<Schedule>, Unknown>, u64) {
        let trace = analysis.trace;
        let letter = |id: EventId| self.letters.get(&Key::new(id.thread, trace.event(id))).copied();
        let program = Program::watching(trace, rules, &self.automaton, &letter);
        let uses = Uses::new(&program);
        let query = Query::violation(&program, analysis.options.reductions.partial_order);
        let (answer, states) = violate(&program, &uses, &query, budget);
        let schedule = |path: Vec<u32>| {
            let mut writer = Writer::new(program.threads(), &[]);
            writer.path(&program, &query.start, &path);
            writer.finish(&[])
        };
        (answer.map(|path| path.map(schedule)), states)
    }
}
