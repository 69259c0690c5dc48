//! Predictions as text, for people and for programs.

use foretrace_event::{Event, EventId, IntervalId};
use foretrace_finding::{Candidate, Deadlock, Race, Stuck, Violation, WaitsFor, Witness};
use foretrace_predict::{Predicted, Prediction, Question};
use foretrace_trace::text::Names;
use foretrace_trace::{Symbols, Trace};
use serde_json::{Value, json};
use std::io::{self, Write};

/// A prediction with what is needed to put it into words.
pub(super) struct View<'a> {
    pub(super) trace: &'a Trace,
    pub(super) symbols: &'a Symbols,
    pub(super) prediction: &'a Prediction,
    pub(super) stats: bool,
    pub(super) stopped: bool,
    pub(super) looks: Looks,
}

/// What was looked for.
#[derive(Clone, Copy)]
pub(super) struct Looks {
    pub(super) errors: bool,
    pub(super) properties: bool,
}

impl Looks {
    fn name(self) -> &'static str {
        match (self.errors, self.properties) {
            (true, false) => "race or deadlock",
            (true, true) => "race, deadlock or violation",
            (false, _) => "violation",
        }
    }
}

impl View<'_> {
    pub(super) fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        for found in self.prediction.all() {
            match &found.witness.candidate {
                Candidate::Race(race) => self.race(out, race, found)?,
                Candidate::Deadlock(deadlock) => self.deadlock(out, deadlock, found)?,
                Candidate::Violation(violation) => self.violation(out, violation, found)?,
            }
        }
        self.undecided(out)?;
        self.trace.notes().iter().try_for_each(|note| writeln!(out, "note: {note}"))?;
        if self.stats {
            self.reductions(out)?;
        }
        self.summary(out)
    }

    fn race(&self, out: &mut dyn Write, race: &Race, found: &Predicted) -> io::Result<()> {
        writeln!(out, "data race on {}", self.memory(race.interval))?;
        for id in [race.first, race.second] {
            writeln!(out, "  {} in {} {}", self.access(id), self.trace.name(id.thread), self.place(id))?;
        }
        if !found.also.is_empty() {
            let others: Vec<String> = found.also.iter().map(|&interval| self.memory(interval)).collect();
            writeln!(out, "  and in the same segments on {}", others.join(", "))?;
        }
        self.witness(out, &found.witness)
    }

    fn deadlock(&self, out: &mut dyn Write, deadlock: &Deadlock, found: &Predicted) -> io::Result<()> {
        let threads = deadlock.stuck().len();
        writeln!(out, "deadlock of {threads} {}", if threads == 1 { "thread" } else { "threads" })?;
        for stuck in deadlock.stuck() {
            let (thread, place) = (self.trace.name(stuck.at.thread), self.place(stuck.at));
            writeln!(out, "  {thread} waits for {} {place}", self.waits_for(stuck))?;
        }
        self.witness(out, &found.witness)
    }

    fn violation(&self, out: &mut dyn Write, violation: &Violation, found: &Predicted) -> io::Result<()> {
        let monitor = &violation.monitor;
        writeln!(out, "property {} is violated: {}", monitor.name, monitor.says)?;
        if !monitor.binding.is_empty() {
            writeln!(out, "  with {}", monitor.values())?;
        }
        for id in violation.because.iter().chain([&violation.event]) {
            let wrong = if *id == violation.event { ", which violates it" } else { "" };
            writeln!(out, "  {} in {} {}{wrong}", self.event(*id), self.trace.name(id.thread), self.place(*id))?;
        }
        self.witness(out, &found.witness)
    }

    /// An event as text traces spell it, without the word `custom`.
    fn event(&self, id: EventId) -> String {
        let mut out = Vec::new();
        let text = Names::new(self.trace).event(self.trace, self.trace.event(id), &mut out).map(|()| out);
        let text = String::from_utf8(text.expect("memory takes all writes")).expect("text is text");
        text.strip_prefix("custom ").unwrap_or(&text).to_owned()
    }

    fn witness(&self, out: &mut dyn Write, witness: &Witness) -> io::Result<()> {
        let steps = witness.schedule.steps().len();
        let (switches, rung) = (witness.schedule.switches(), witness.rung);
        let way = format!("{} and {}", count(steps, "event"), count_switches(switches));
        writeln!(out, "  reached in {way}, keeping {}", keeping(rung.name()))?;
        let text = witness.schedule.to_string();
        let short: String = text.chars().take(200).collect();
        writeln!(out, "  schedule {short}{}\n", if short.len() < text.len() { " ..." } else { "" })
    }

    fn undecided(&self, out: &mut dyn Write) -> io::Result<()> {
        for undecided in &self.prediction.undecided {
            let what = match &undecided.question {
                Question::Race(interval) => format!("a race on {}", self.memory(*interval)),
                Question::Cycle(events) => {
                    let places: Vec<String> = events.iter().map(|&id| self.place(id)).collect();
                    format!("a deadlock of the locks taken {}", places.join(", "))
                }
                Question::Property(name, values) if values.is_empty() => format!("violations of {name}"),
                Question::Property(name, values) => format!("a violation of {name} with {values}"),
                Question::Cycles => "deadlocks of further lock cycles".to_owned(),
                Question::DeadEnds => "deadlocks that are not cycles of locks".to_owned(),
            };
            writeln!(out, "undecided: {what}: {}", undecided.why)?;
        }
        Ok(())
    }

    fn reductions(&self, out: &mut dyn Write) -> io::Result<()> {
        let stats = &self.prediction.stats;
        let rows = [
            ("events", stats.events),
            ("sync events", stats.sync),
            ("accesses", stats.accesses),
            ("intervals", stats.intervals),
            ("before the first fork", stats.before_first_fork),
            ("removed: same segment", stats.same_segment),
            ("removed: weak order and locksets", stats.hybrid),
            ("redundant checks", stats.redundant),
            ("race checks", stats.checks),
            ("  decided by an ideal", stats.by_ideal),
            ("  decided by a search", stats.by_search),
            ("lock cycles", stats.cycles),
            ("  decided by an ideal", stats.cycles_by_ideal),
            ("states searched", stats.states),
        ];
        let of_properties = [
            ("instances of properties", stats.instances),
            ("  violated as one pass shows", stats.by_pass),
            ("  searched", stats.searched),
        ];
        let more = of_properties.iter().filter(|_| self.looks.properties);
        rows.iter().chain(more).try_for_each(|(name, value)| writeln!(out, "{name:<34}{value:>14}"))
    }

    fn summary(&self, out: &mut dyn Write) -> io::Result<()> {
        let (races, deadlocks) = (self.prediction.races.len(), self.prediction.deadlocks.len());
        let violations = self.prediction.violations.len();
        let kinds = [(count(races, "data race"), self.looks.errors), (count(deadlocks, "deadlock"), self.looks.errors)]
            .into_iter()
            .chain([(format!("{} of a property", count(violations, "violation")), self.looks.properties)]);
        let kinds: Vec<String> = kinds.filter(|(_, looked)| *looked).map(|(kind, _)| kind).collect();
        let found = format!("{} predicted", kinds.join(if kinds.len() > 2 { ", " } else { " and " }));
        let rest = match (self.stopped, self.prediction.undecided.len()) {
            (true, _) => "stopped before the end".to_owned(),
            (false, 0) => format!(
                "no {}{} in any reordering of this run",
                if races + deadlocks + violations > 0 { "other " } else { "" },
                self.looks.name()
            ),
            (false, left) => format!("{} undecided", count(left, "question")),
        };
        writeln!(out, "{found}; {rest}")
    }

    fn memory(&self, interval: IntervalId) -> String {
        let info = self.trace.interval(interval);
        match (info.address, info.length) {
            (0, _) => self.trace.name(interval),
            (address, length) => {
                format!("{} ({address:#x}, {})", self.trace.name(interval), count(length as usize, "byte"))
            }
        }
    }

    fn access(&self, id: EventId) -> &'static str {
        match self.trace.event(id) {
            Event::Read(_) => "read",
            Event::Write(_) => "write",
            Event::AtomicLoad(..) => "atomic load",
            Event::AtomicStore(..) => "atomic store",
            _ => "atomic update",
        }
    }

    fn place(&self, id: EventId) -> String {
        let place = self.trace.place(id);
        match (&place.source, place.pc) {
            (Some(source), _) => format!("at {source}"),
            (None, 0) => format!("at its event {}", id.index),
            (None, pc) => format!("at {}", self.symbols.location(pc)),
        }
    }

    fn waits_for(&self, stuck: &Stuck) -> String {
        let name = |lock| self.trace.name(lock);
        match stuck.waits_for {
            WaitsFor::Lock(lock, holder) if holder == stuck.at.thread => {
                format!("{}, which it holds itself", name(lock))
            }
            WaitsFor::Lock(lock, holder) => format!("{}, held by {}", name(lock), self.trace.name(holder)),
            WaitsFor::Release(lock) => format!("the release of {}", name(lock)),
            WaitsFor::End(thread) => format!("the end of {}", self.trace.name(thread)),
            WaitsFor::Barrier(barrier) => format!("more threads at {}", self.trace.name(barrier)),
            WaitsFor::Post(sem) => format!("a post of {}", self.trace.name(sem)),
            WaitsFor::Signal(instance) => format!("a signal of {}", self.condition(instance)),
            WaitsFor::LostSignal(instance) => {
                format!("a signal of {} that came before the wait", self.condition(instance))
            }
            other => other.to_string(),
        }
    }

    fn condition(&self, instance: foretrace_event::CondInstance) -> String {
        self.trace.name(self.trace.instance(instance).condition)
    }

    pub(super) fn json(&self) -> Value {
        let found = self.prediction.all();
        let candidates: Vec<Value> = found.map(|found| self.candidate(found)).collect();
        let undecided: Vec<Value> = self
            .prediction
            .undecided
            .iter()
            .map(|undecided| json!({ "question": format!("{:?}", undecided.question), "why": undecided.why.to_string() }))
            .collect();
        let stats = &self.prediction.stats;
        let mut all = json!({
            "candidates": candidates,
            "undecided": undecided,
            "complete": self.prediction.undecided.is_empty() && !self.stopped,
            "stats": {
                "events": stats.events, "sync": stats.sync, "accesses": stats.accesses, "intervals": stats.intervals,
                "before_first_fork": stats.before_first_fork, "same_segment": stats.same_segment,
                "hybrid": stats.hybrid, "redundant": stats.redundant, "checks": stats.checks,
                "by_ideal": stats.by_ideal, "by_search": stats.by_search, "cycles": stats.cycles,
                "cycles_by_ideal": stats.cycles_by_ideal, "states": stats.states,
            },
        });
        if self.looks.properties {
            all["stats"]["properties"] =
                json!({ "instances": stats.instances, "by_pass": stats.by_pass, "searched": stats.searched });
        }
        all
    }

    fn candidate(&self, found: &Predicted) -> Value {
        let event =
            |id: EventId| json!({ "thread": self.trace.name(id.thread), "event": id.index, "place": self.place(id) });
        let claim = match &found.witness.candidate {
            Candidate::Race(race) => {
                let also: Vec<String> = found.also.iter().map(|&interval| self.memory(interval)).collect();
                let accesses: Vec<Value> =
                    [race.first, race.second].map(|id| json!({ "access": self.access(id), "at": event(id) })).into();
                json!({ "kind": "race", "memory": self.memory(race.interval), "also": also, "accesses": accesses })
            }
            Candidate::Deadlock(deadlock) => {
                let stuck = deadlock
                    .stuck()
                    .iter()
                    .map(|stuck| json!({ "at": event(stuck.at), "waits_for": self.waits_for(stuck) }));
                json!({ "kind": "deadlock", "stuck": stuck.collect::<Vec<Value>>() })
            }
            Candidate::Violation(violation) => {
                let monitor = &violation.monitor;
                let values: serde_json::Map<String, Value> =
                    monitor.binding.iter().map(|(name, value)| (name.to_string(), json!(value))).collect();
                let because: Vec<Value> =
                    violation.because.iter().map(|id| json!({ "does": self.event(*id), "at": event(*id) })).collect();
                let violating = json!({ "does": self.event(violation.event), "at": event(violation.event) });
                json!({
                    "kind": "property", "property": monitor.name, "says": monitor.says, "with": values,
                    "because": because, "event": violating,
                })
            }
        };
        json!({ "claim": claim, "rung": found.witness.rung.name(), "schedule": found.witness.schedule.to_string() })
    }
}

fn keeping(rung: &str) -> &'static str {
    match rung {
        "segments" => "the order of all conflicting accesses",
        "sections" => "the order of critical sections",
        "free" => "only what the synchronisation demands",
        _ => "less than the recorded run: a try or timed operation fails",
    }
}

fn count_switches(number: usize) -> String {
    format!("{number} switch{} of threads", if number == 1 { "" } else { "es" })
}

fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}
