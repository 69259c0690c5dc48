//! Why a schedule fails: the fewest orders of operations that make it fail.
//!
//! Two operations of different threads on one lock, condition variable, semaphore or atomic variable are *in conflict*.
//! An *order* says which of two comes first. The orders of a failing schedule are taken one by one, the last first: a run
//! in which this order is turned round, and the others are kept, either fails as well (then the order does not matter, and
//! the turned schedule takes the place of the failing one) or does not (then it is needed). At last, schedules that have
//! nothing in common but the orders that are needed are run: each must fail.
//!
//! So both sides of each answer are runs: with the orders it fails, and with one of them turned round it does not. Where a
//! run does not get as far as the two operations, or the last runs do not all fail, nothing is answered.
//!
//! This is delta debugging (Zeller, Hildebrandt, *Simplifying and isolating failure-inducing input*, TSE 2002) over
//! orders; Choi and Zeller (*Isolating failure-inducing thread schedules*, ISSTA 2002) did it over thread switches.
//!
//! **Deviations.** Orders are turned one at a time, not in halves: few are in question, and what is turned must remain a
//! possible order, which most halves do not.
//!
//! **What it misses.** Orders of plain accesses, except those that a delay point decides; a failure that any one of
//! several orders brings about is explained by one of them. If a failure hangs on delay points, its orders are not asked for.

mod line;
mod order;

use std::collections::BTreeSet;

use foretrace_event::EventId;
use foretrace_finding::{DelayPoint, Schedule};
use foretrace_run::{Enforced, Evidence, Precision, Run, Runner};
use foretrace_trace::Trace;

use crate::Confirmed;
use line::{Ground, Line, Rank};
pub use order::Ordered;

/// Why a schedule fails.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Why {
    /// It fails whenever these hold.
    pub orders: Vec<Ordered>,
    /// For each of them, a schedule in which it is turned round, which did not fail.
    pub turned: Vec<Schedule>,
    /// Schedules in which they hold and the rest is as different as can be: each failed.
    pub with: Vec<Schedule>,
    /// How many orders could have gone the other way.
    pub considered: usize,
    /// How many runs were made.
    pub runs: usize,
    /// The delay points of the schedule without which it does not fail.
    pub delays: Vec<DelayPoint>,
}

/// Orders that are turned round, at most: those nearest to the failure.
const CONSIDERED: usize = 24;
/// Schedules with nothing but the needed orders in common.
const LAST: u64 = 3;
/// A run that fails though an order is turned may do so by chance in what follows the schedule, so it is made again.
const AGAIN: usize = 2;
/// Longer traces are not rearranged.
const LONGEST: usize = 50_000;

/// Finds out why a failure fails, with at most `most` runs. None, if that could not be found out.
///
/// # Errors
/// If the program cannot be run at all.
pub fn why<R: Runner<Schedule>>(
    runner: &R,
    trace: &Trace,
    failure: &Confirmed,
    most: usize,
) -> Result<Option<Why>, R::Error> {
    let events: usize = trace.threads().map(|thread| trace.len(thread) as usize).sum();
    if events > LONGEST || failure.schedule.steps().len() > events {
        return Ok(None);
    }
    let mut trial = Trial { runner, trace, failure, left: most, runs: 0 };
    let Some(delays) = trial.needed_delays()? else { return Ok(None) };
    if !delays.is_empty() {
        // Threads wait at delay points after their last steps, so a schedule of all events would undo them.
        let with = vec![failure.schedule.clone().with_delays(delays.clone())];
        let (orders, turned, runs) = (Vec::new(), Vec::new(), trial.runs);
        return Ok(Some(Why { orders, turned, with, considered: 0, runs, delays }));
    }
    let considered = order::considered(trace, &failure.schedule, CONSIDERED);
    let Some((orders, turned)) = trial.needed(&considered)? else { return Ok(None) };
    let Some(with) = trial.with_nothing_else(&orders)? else { return Ok(None) };
    let (considered, runs) = (considered.len(), trial.runs);
    Ok(Some(Why { orders, turned, with, considered, runs, delays }))
}

/// What a run says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answer {
    Fails,
    Passes,
    /// It went another way before it came to what is asked, or there may be no more runs.
    Unknown,
}

struct Trial<'a, R> {
    runner: &'a R,
    trace: &'a Trace,
    failure: &'a Confirmed,
    left: usize,
    runs: usize,
}

/// Orders, and for each a schedule.
type Needed = (Vec<Ordered>, Vec<Schedule>);

impl<R: Runner<Schedule>> Trial<'_, R> {
    /// Runs a schedule. It passes if it does not fail, and was followed for as many steps as `until` at least.
    fn run(&mut self, schedule: &Schedule, until: &[EventId]) -> Result<Answer, R::Error> {
        let Ok(enforced) = Enforced::new(self.trace, schedule) else { return Ok(Answer::Unknown) };
        if self.left == 0 || self.runner.spent().is_some() {
            return Ok(Answer::Unknown);
        }
        self.left -= 1;
        self.runs += 1;
        let run = self.runner.run(schedule, Precision::Each)?;
        let last = enforced.steps().iter().rposition(|step| until.contains(&step.event)).map_or(0, |last| last + 1);
        Ok(match self.fails(&run) {
            true => Answer::Fails,
            false if run.ended.cut_short.is_some() => Answer::Unknown,
            false if followed(&run).is_none_or(|steps| steps >= last) => Answer::Passes,
            false => Answer::Unknown,
        })
    }

    fn fails(&self, run: &Run) -> bool {
        let failure = self.failure;
        let is_same = |one: &Evidence| one.is_like(&run.modules, &failure.evidence, &failure.run.modules);
        Evidence::all(run).iter().any(is_same)
    }

    /// The delay points without which the schedule does not fail.
    fn needed_delays(&mut self) -> Result<Option<Vec<DelayPoint>>, R::Error> {
        let mut delays = self.failure.schedule.delays().to_vec();
        let mut number = 0;
        while number < delays.len() {
            let mut fewer = delays.clone();
            fewer.remove(number);
            match self.always(&self.failure.schedule.clone().with_delays(fewer.clone()), &[])? {
                Answer::Fails => delays = fewer,
                Answer::Passes => number += 1,
                Answer::Unknown => return Ok(None),
            }
        }
        Ok(Some(delays))
    }

    /// Fails only if it does so again and again.
    fn always(&mut self, schedule: &Schedule, until: &[EventId]) -> Result<Answer, R::Error> {
        for _ in 0..AGAIN {
            match self.run(schedule, until)? {
                Answer::Fails => {}
                other => return Ok(other),
            }
        }
        Ok(Answer::Fails)
    }

    /// The orders that are needed, and for each a schedule in which it is turned round.
    fn needed(&mut self, considered: &[Ordered]) -> Result<Option<Needed>, R::Error> {
        let mut kept = considered.to_vec();
        let mut rank = Rank::of(self.trace, &self.failure.schedule);
        let (mut needed, mut turned) = (Vec::new(), Vec::new());
        for order in considered.iter().rev() {
            let mut rules = kept.clone();
            rules.retain(|known| known != order);
            let others = rules.clone();
            rules.push(order.turned());
            let Some(line) = self.line(&rules, &rank).filter(|line| line.is_so(order.turned())) else {
                // What cannot come the other way round says nothing.
                kept = others;
                continue;
            };
            let schedule = self.schedule(line.steps());
            match self.always(&schedule, &[order.first, order.second])? {
                Answer::Unknown => return Ok(None),
                Answer::Fails => {
                    kept = others;
                    rank = Rank::of(self.trace, &schedule);
                }
                Answer::Passes => {
                    needed.insert(0, *order);
                    turned.insert(0, schedule);
                }
            }
        }
        Ok(Some((needed, turned)))
    }

    /// Schedules in which these orders hold, and nothing else need be as it was. All must fail.
    fn with_nothing_else(&mut self, orders: &[Ordered]) -> Result<Option<Vec<Schedule>>, R::Error> {
        let mut known = BTreeSet::new();
        for seed in 0..LAST {
            let rank = if seed == 0 { Rank::recorded(self.trace) } else { Rank::random(self.trace, seed) };
            let Some(line) = self.line(orders, &rank) else { continue };
            // Where no other schedule is possible, the same one must fail again.
            let schedule = self.schedule(line.steps());
            if self.run(&schedule, &[])? != Answer::Fails {
                return Ok(None);
            }
            known.insert(schedule);
        }
        Ok((!known.is_empty()).then(|| known.into_iter().collect()))
    }

    /// All events in an order that keeps these rules.
    fn line(&self, rules: &[Ordered], rank: &Rank) -> Option<Line> {
        let fails = self.fails_by_plan();
        let line = Line::new(Ground { trace: self.trace, fails: &fails }, rules, rank);
        rules.iter().all(|rule| line.is_kept(*rule)).then_some(line)
    }

    /// The operations that the failing schedule lets fail.
    fn fails_by_plan(&self) -> BTreeSet<EventId> {
        self.failure.schedule.steps().iter().filter(|step| step.fails).map(|step| step.event).collect()
    }

    /// With what the failing schedule says of delays and of operations that fail.
    fn schedule(&self, events: &[EventId]) -> Schedule {
        let fails = self.fails_by_plan();
        let steps = events.iter().map(|event| foretrace_finding::Step { event: *event, fails: fails.contains(event) });
        Schedule::new(steps.collect()).with_delays(self.failure.schedule.delays().to_vec())
    }
}

/// How many steps of its schedule a run has followed; none: all.
fn followed(run: &Run) -> Option<usize> {
    let diverged = run.outcome.diverged.as_ref().map(|diverged| diverged.step);
    let stalled = run.outcome.stalled.as_ref().map(|stalled| stalled.step);
    diverged.or(stalled).map(|step| step as usize)
}
