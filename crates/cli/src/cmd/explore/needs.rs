//! What an order needs to fail, as values of the report: threads by name, operations by place.

use crate::cmd::check::subject::Subject;
use foretrace_event::ThreadId;
use foretrace_explore::minimise::Occurrence;
use foretrace_explore::{Constraint, Minimised, Step};
use foretrace_replay::PlanText;
use foretrace_report::{Frame, Moment, Needs, Order};
use foretrace_run::Modules;
use foretrace_trace::Trace;

/// More orders than these are no explanation.
const MOST_ORDERS: usize = 4;

/// What a minimised plan says; none, if it could not be found out or explains nothing.
pub fn of(minimised: &Minimised, plan: &PlanText, subject: &Subject, modules: &Modules) -> Option<Needs> {
    let Minimised { execution, constraints, .. } = minimised;
    if !minimised.checked || constraints.len() > MOST_ORDERS {
        return None;
    }
    let names = Names { subject, modules, threads: recorded(&plan.threads, &subject.trace) };
    let inflection = minimised.inflection.filter(|_| !constraints.is_empty());
    Some(Needs {
        orders: constraints.iter().map(|constraint| names.order(constraint)).collect(),
        preemptions: minimised.preemptions,
        fewest: minimised.fewest,
        certain_after: inflection.and_then(|found| execution.steps.get(found.decision)).map(|step| names.step(step)),
        proved: inflection.is_some_and(|found| found.proved),
        delayed: Vec::new(),
        shown_by: None,
    })
}

/// The numbers that threads have in the recording, by those that they have in the search: both know who created them, and as
/// which of its threads.
fn recorded(threads: &[(u32, u32)], trace: &Trace) -> Vec<Option<u32>> {
    let created = |creator: u32| {
        let all = (0..trace.threads().len() as u32).map(ThreadId);
        all.filter(move |thread| trace.fork_of(*thread).is_some_and(|fork| fork.thread.0 == creator))
    };
    let mut numbers = vec![Some(0)];
    for (creator, before) in threads {
        let creator = numbers.get(*creator as usize).copied().flatten();
        numbers.push(creator.and_then(|creator| created(creator).nth(*before as usize)).map(|thread| thread.0));
    }
    numbers
}

struct Names<'a> {
    subject: &'a Subject,
    modules: &'a Modules,
    threads: Vec<Option<u32>>,
}

impl Names<'_> {
    fn order(&self, constraint: &Constraint) -> Order {
        let turned_in_recorded = false;
        Order {
            first: self.occurrence(&constraint.first),
            second: self.occurrence(&constraint.second),
            turned_in_recorded,
        }
    }

    fn occurrence(&self, occurrence: &Occurrence) -> Moment {
        let Occurrence { thread, operation, place, .. } = occurrence;
        self.moment(*thread, operation.kind.name(), *place)
    }

    fn step(&self, step: &Step) -> Moment {
        self.moment(step.thread, step.operation.kind.name(), step.place)
    }

    fn moment(&self, thread: ThreadId, operation: &str, place: u64) -> Moment {
        let (thread, operation) = (self.name(thread), operation.to_owned());
        Moment { thread, operation, place: self.place(place), ..Moment::default() }
    }

    fn name(&self, thread: ThreadId) -> String {
        match self.threads.get(thread.0 as usize).copied().flatten() {
            Some(0) => "main".to_owned(),
            Some(number) => self.subject.trace.name(ThreadId(number)),
            None => "another thread".to_owned(),
        }
    }

    fn place(&self, pc: u64) -> Option<Frame> {
        foretrace_explain::place(&self.subject.symbols, self.modules, &self.subject.base(), pc)
    }
}
