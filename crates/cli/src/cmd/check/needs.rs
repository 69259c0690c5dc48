//! Why each finding fails: asked of the search, told as values of the report.

use super::Args;
use super::examine;
use super::subject::Subject;
use foretrace_event::{Event, EventId, ThreadId};
use foretrace_explain::{Failures, object, place};
use foretrace_finding::DelayPoint;
use foretrace_report::{Delayed, Experiments, Finding, Moment, Needs, Order, Report};
use foretrace_run::Modules;
use foretrace_search::{Ordered, Why, why};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Findings that are asked about, the first ones.
const FINDINGS: usize = 8;
/// More orders than these are no explanation.
const MOST_ORDERS: usize = 4;
/// The part of the time that is left which the questions may take.
const SHARE: u32 = 4;
/// The most that they take.
const MOST: Duration = Duration::from_secs(20);

/// Adds to each confirmed finding why it fails, if that can be found out in time. The replays of long runs take too long,
/// which is said.
pub fn add(
    args: &Args,
    subject: &Subject,
    (failures, scratch, stop): (&Failures<'_>, &Path, &'static AtomicBool),
    report: &mut Report,
) -> anyhow::Result<()> {
    if args.why == 0 || !report.findings.iter().any(Finding::is_confirmed) {
        return Ok(());
    }
    if subject.time >= args.coarse_after {
        let note = "which orders the findings need was not asked, because the run took too long (--coarse-after)";
        report.notes.push(note.to_owned());
        return Ok(());
    }
    let left = examine::until(args, subject).saturating_duration_since(Instant::now());
    let processes = examine::processes(subject, scratch, (stop, Instant::now() + (left / SHARE).min(MOST)));
    for finding in report.findings.iter_mut().filter(|finding| finding.is_confirmed()).take(FINDINGS) {
        let Some(failure) = failures.get(&finding.id).and_then(|all| all.first()) else { continue };
        let Ok(answer) = why(&processes, &subject.trace, failure, args.why) else { continue };
        finding.needs = answer.and_then(|answer| needs(subject, &failure.run.modules, &answer));
    }
    Ok(())
}

fn needs(subject: &Subject, modules: &Modules, why: &Why) -> Option<Needs> {
    if why.orders.len() > MOST_ORDERS {
        return None;
    }
    let text = |schedules: &[foretrace_finding::Schedule]| schedules.iter().map(ToString::to_string).collect();
    Some(Needs {
        orders: why.orders.iter().map(|order| told(subject, *order)).collect(),
        delayed: why.delays.iter().filter_map(|delay| delayed(subject, modules, delay)).collect(),
        shown_by: Some(Experiments {
            considered: why.considered,
            runs: why.runs,
            with: text(&why.with),
            turned: text(&why.turned),
        }),
        ..Needs::default()
    })
}

fn told(subject: &Subject, order: Ordered) -> Order {
    let stamp = |id| (subject.trace.stamp(id), subject.trace.observed().position(|known| known == id));
    Order {
        first: moment(subject, order.first),
        second: moment(subject, order.second),
        turned_in_recorded: stamp(order.second) < stamp(order.first),
    }
}

fn moment(subject: &Subject, id: EventId) -> Moment {
    let trace = &subject.trace;
    // A wait begins with the unlock before it.
    let next = EventId { index: id.index + 1, ..id };
    let waits =
        next.index < trace.len(id.thread) && matches!(trace.event(next), Event::Wait(..) | Event::FailedWait(_));
    let operation = if waits { "wait" } else { trace.kind(id).name() };
    let thread = if id.thread == ThreadId::MAIN { "main".to_owned() } else { trace.name(id.thread) };
    let place = place(&subject.symbols, &subject.modules, &subject.base(), trace.pc(id));
    let object = object(trace, trace.event(id));
    Moment { thread, operation: operation.to_owned(), object, place }
}

/// The place of a delay point, which names a file and an address in it.
fn delayed(subject: &Subject, modules: &Modules, delay: &DelayPoint) -> Option<Delayed> {
    let is_file = |module: &&foretrace_trace::Module| {
        module.path.file_name().is_some_and(|name| name.to_string_lossy() == delay.file())
    };
    let module = modules.all().iter().find(is_file)?;
    let place = place(&subject.symbols, modules, &subject.base(), delay.address().wrapping_add(module.bias))?;
    Some(Delayed { place, after: delay.rounds() })
}
