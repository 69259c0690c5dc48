//! Data races: which checks there are, and how each is decided.

use foretrace_causality::{Clock, Ideal};
use foretrace_event::{EventId, IntervalId};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::accesses::{Touch, Touched, collect};
use crate::analysis::Analysis;
use crate::budget::{Budget, Unknown};
use crate::model::HeldId;
use crate::options::Detail;
use crate::search::reach;
use crate::stats::Stats;

/// One question: does any of these pairs race?
#[derive(Clone, Debug)]
pub(crate) struct Check {
    /// The intervals in question; the first represents all.
    pub(crate) intervals: Vec<IntervalId>,
    pairs: Vec<(Class, Class)>,
    /// Why there may be more pairs than these, if so.
    left_over: Option<Unknown>,
}

/// Accesses of one thread under the same locks.
#[derive(Clone, Debug)]
struct Class {
    thread: usize,
    touches: Arc<[Touch]>,
}

/// The answer to a check.
#[derive(Clone, Debug)]
pub(crate) struct Decided {
    pub(crate) answer: Answer,
    pub(crate) states: u64,
}

#[derive(Clone, Debug)]
pub(crate) enum Answer {
    /// These two accesses race, and an ideal shows it.
    ByIdeal(EventId, EventId),
    /// These two accesses race, and a search found a path.
    BySearch(EventId, EventId),
    /// No reordering has a race.
    No,
    Unknown(Unknown),
}

/// For one interval, how many pairs of classes that no lock keeps apart are examined, and how many of those that
/// nothing orders are kept. A run with thousands of threads that use one variable has millions. If the kept pairs do
/// not race, the check is undecided.
const MOST_LOOKS: usize = 1 << 18;
const MOST_CLASS_PAIRS: usize = 1 << 13;

/// How many pairs of one check are searched before it is left undecided.
const MOST_PAIRS: usize = 4096;

/// All checks of a trace, in a stable order.
pub(crate) fn checks(analysis: &Analysis<'_>, stats: &mut Stats) -> Vec<Check> {
    let options = analysis.options;
    let (all, accesses, early) = collect(analysis.trace, &analysis.free().program, options.detail);
    (stats.accesses, stats.before_first_fork, stats.intervals) = (accesses, early, all.len() as u64);
    let mut checks: Vec<Check> = Vec::new();
    let mut same: FxHashMap<_, Vec<usize>> = FxHashMap::default();
    let benign = |touched: &Touched| {
        let interval = analysis.trace.interval(touched.interval);
        options.is_benign(interval.address, interval.length)
    };
    for mut touched in all.into_iter().filter(|touched| !benign(touched)) {
        stats.same_segment += touched.merge_segments(options.reductions, options.detail);
        let signature = touched.signature();
        let merge = options.reductions.same_segment && options.detail != Detail::Events;
        if let Some(earlier) = same.get(&signature).filter(|_| merge) {
            stats.redundant += earlier.len() as u64;
            earlier.iter().for_each(|&check| checks[check].intervals.push(touched.interval));
            continue;
        }
        let first = checks.len();
        checks.extend(checks_of(analysis, &touched, options.detail, stats));
        same.insert(signature, (first..checks.len()).collect());
    }
    stats.checks = checks.len() as u64;
    checks
}

type ClassKey = (u32, HeldId, bool, bool, u64);

/// The checks of one interval, one for each pair of places.
pub(crate) fn checks_by_place(analysis: &Analysis<'_>, interval: IntervalId) -> Vec<Check> {
    let all = analysis.by_place();
    let Ok(at) = all.binary_search_by_key(&interval, |touched| touched.interval) else { return Vec::new() };
    let mut touched = all[at].clone();
    touched.merge_segments(analysis.options.reductions, Detail::Places);
    checks_of(analysis, &touched, Detail::Places, &mut Stats::default())
}

/// The checks of one interval.
fn checks_of(analysis: &Analysis<'_>, touched: &Touched, detail: Detail, stats: &mut Stats) -> Vec<Check> {
    let classes = classes(touched, detail);
    let mut by_key: FxHashMap<(u64, u64), Vec<(Class, Class)>> = FxHashMap::default();
    let mut marks: Vec<Vec<bool>> = classes.iter().map(|class| vec![false; class.touches.len()]).collect();
    let (mut left_over, mut looks, mut kept) = (None, 0, 0);
    let meeting = Meeting::new(analysis, &classes, detail);
    for at in 0..classes.len() {
        left_over = left_over.or_else(|| analysis.options.budget.interrupted());
        if left_over.is_some() {
            break;
        }
        for (one, other) in meeting.pairs(at) {
            let pair = (&classes[one], &classes[other]);
            if !compatible(analysis, pair) {
                continue;
            }
            looks += 1;
            if (looks > MOST_LOOKS || kept >= MOST_CLASS_PAIRS) && detail == Detail::Intervals {
                left_over = Some(Unknown::Pairs(MOST_CLASS_PAIRS));
                break;
            }
            let (left, right) = concurrent(analysis, pair);
            left.iter().for_each(|&index| marks[one][index] = true);
            right.iter().for_each(|&index| marks[other][index] = true);
            if !left.is_empty() {
                kept += 1;
                let key = key(detail, pair.0, pair.1);
                by_key.entry(key).or_default().push((pair.0.keep(&left), pair.1.keep(&right)));
            }
        }
    }
    let alive = marks.iter().flatten().filter(|mark| **mark).count();
    stats.hybrid += (touched.touches.len() - alive) as u64;
    let mut keyed: Vec<_> = by_key.into_iter().collect();
    keyed.sort_unstable_by_key(|(key, _)| *key);
    if left_over.is_some() && keyed.is_empty() {
        keyed.push(((0, 0), Vec::new()));
    }
    keyed.into_iter().map(|(_, pairs)| Check { intervals: vec![touched.interval], pairs, left_over }).collect()
}

/// Which classes of accesses may be concurrent. If there are many, as with threads that are created one after the
/// other, most are ordered with most others, and testing each pair would take longer than everything else.
struct Meeting {
    /// The classes, in the order of their first access.
    order: Vec<usize>,
    /// For each class, the position from which on all classes come entirely after it.
    until: Vec<usize>,
}

/// The number of classes from which on this pays off.
const MANY_CLASSES: usize = 64;

impl Meeting {
    fn new(analysis: &Analysis<'_>, classes: &[Class], detail: Detail) -> Self {
        let count = classes.len();
        let mut order: Vec<usize> = (0..count).collect();
        if count < MANY_CLASSES || detail != Detail::Intervals || !analysis.options.reductions.weak_order {
            return Self { order, until: vec![count; count] };
        }
        let first = |class: usize| classes[class].touches[0].id;
        order.sort_by_cached_key(|&class| (analysis.trace.stamp(first(class)), first(class)));
        // The clock that precedes all classes from a position on.
        let mut before: Vec<Clock> = Vec::with_capacity(count);
        for &class in order.iter().rev() {
            let mut clock = analysis.weak().clock(first(class)).clone();
            before.last().into_iter().for_each(|later| clock.meet(later));
            before.push(clock);
        }
        before.reverse();
        let until = |(at, &class): (usize, &usize)| {
            let last = classes[class].touches[classes[class].touches.len() - 1].id;
            at + 1 + before[at + 1..].partition_point(|clock| clock.get(last.thread.index()) <= last.index)
        };
        let until = order.iter().enumerate().map(until).collect();
        Self { order, until }
    }

    /// The pairs of the class at this position with later ones.
    fn pairs(&self, at: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let one = self.order[at];
        self.order[at + 1..self.until[at]].iter().map(move |&other| (one.min(other), one.max(other)))
    }
}

fn classes(touched: &Touched, detail: Detail) -> Vec<Class> {
    let mut by_key: FxHashMap<ClassKey, Vec<Touch>> = FxHashMap::default();
    for touch in &touched.touches {
        let own = if detail == Detail::Events { u64::from(touch.id.index) } else { touch.place };
        let key = (touch.id.thread.0, touch.held, touch.writes, touch.atomic, own);
        by_key.entry(key).or_default().push(*touch);
    }
    let mut keyed: Vec<_> = by_key.into_iter().collect();
    keyed.sort_unstable_by_key(|(key, _)| *key);
    let class = |(_, mut touches): (ClassKey, Vec<Touch>)| {
        touches.sort_by_key(|touch| touch.id);
        Class { thread: touches[0].id.thread.index(), touches: touches.into() }
    };
    keyed.into_iter().map(class).collect()
}

/// The key of a pair of classes: pairs with equal keys are the same check.
fn key(detail: Detail, one: &Class, other: &Class) -> (u64, u64) {
    let of = |class: &Class| match detail {
        Detail::Intervals => 0,
        Detail::Places => class.touches[0].place,
        Detail::Events => u64::from(class.touches[0].id.thread.0) << 32 | u64::from(class.touches[0].id.index),
    };
    let (a, b) = (of(one), of(other));
    (a.min(b), a.max(b))
}

/// Do they conflict without a lock that keeps them apart?
fn compatible(analysis: &Analysis<'_>, (one, other): (&Class, &Class)) -> bool {
    let (a, b) = (&one.touches[0], &other.touches[0]);
    let conflict = one.thread != other.thread && (a.writes || b.writes) && !(a.atomic && b.atomic);
    conflict && !(analysis.options.reductions.locksets && analysis.free().program.exclude(a.held, b.held))
}

/// The accesses of two classes that the must-order does not order with all of the other class, by number.
fn concurrent(analysis: &Analysis<'_>, (one, other): (&Class, &Class)) -> (Vec<usize>, Vec<usize>) {
    if !analysis.options.reductions.weak_order {
        return ((0..one.touches.len()).collect(), (0..other.touches.len()).collect());
    }
    let weak = analysis.weak();
    let mut left = Vec::new();
    let mut right = Vec::new();
    // Both classes are in the order of their threads, so the sets before and after an access only grow.
    let (mut before, mut after, mut noted) = (0, 0, 0);
    for (index, touch) in one.touches.iter().enumerate() {
        let at = |index: usize| other.touches.get(index).map(|touch| touch.id);
        while at(before).is_some_and(|id| weak.before(id, touch.id)) {
            before += 1;
        }
        while at(after).is_some_and(|id| !weak.before(touch.id, id)) {
            after += 1;
        }
        if before < after {
            left.push(index);
            right.extend(before.max(noted)..after);
            noted = after;
        }
    }
    (left, right)
}

/// The accesses of a class that are not ordered with this one.
fn range(analysis: &Analysis<'_>, id: EventId, class: &Class) -> std::ops::Range<usize> {
    if !analysis.options.reductions.weak_order {
        return 0..class.touches.len();
    }
    let weak = analysis.weak();
    let before = class.touches.partition_point(|touch| weak.before(touch.id, id));
    let after = class.touches.partition_point(|touch| !weak.before(id, touch.id));
    before..after.max(before)
}

impl Class {
    fn keep(&self, indices: &[usize]) -> Self {
        if indices.len() == self.touches.len() {
            return self.clone();
        }
        Self { thread: self.thread, touches: indices.iter().map(|&index| self.touches[index]).collect() }
    }
}

/// A race that an ideal shows, if there is one.
pub(crate) fn by_ideal(analysis: &Analysis<'_>, check: &Check) -> Option<Decided> {
    let mut pairs = check.pairs.iter().filter(|_| analysis.options.reductions.closure);
    let (a, b) = pairs.find_map(|(one, other)| sweep(analysis, one, other))?;
    Some(Decided { answer: Answer::ByIdeal(a, b), states: 0 })
}

/// Groups of similar checks: blocks that are allocated at one place and used at the same places. Any other check is a
/// group by itself. Each group is a list of numbers.
pub(crate) fn alike(analysis: &Analysis<'_>, checks: &[&Check]) -> Vec<Vec<usize>> {
    let mut groups: BTreeMap<(Option<u64>, Vec<u64>), Vec<usize>> = BTreeMap::new();
    for (number, check) in checks.iter().enumerate() {
        let allocation = analysis.trace.allocation(check.intervals[0]).map(|allocation| allocation.pc);
        let own = if allocation.is_some() { check.places(analysis) } else { vec![number as u64] };
        groups.entry((allocation, own)).or_default().push(number);
    }
    groups.into_values().collect()
}

/// Searches similar checks; they share the budget of one search.
pub(crate) fn search_alike(analysis: &Analysis<'_>, checks: &[&Check]) -> Vec<Decided> {
    let all = analysis.options.budget.states;
    let mut left = all;
    let search = |check: &&Check| {
        if left == 0 {
            return Decided { answer: Answer::Unknown(Unknown::Alike(all)), states: 0 };
        }
        let decided = search_pairs(analysis, check, left);
        left = left.saturating_sub(decided.states);
        decided
    };
    checks.iter().map(search).collect()
}

/// How many pairs of one check are examined without a search.
const NEAR_PAIRS: usize = 4;

impl Check {
    /// The first pairs of accesses that nothing orders.
    pub(crate) fn first_pairs(&self, analysis: &Analysis<'_>) -> Vec<(EventId, EventId)> {
        let partners = |one: &Touch, other: &Class| {
            let partner = other.touches[range(analysis, one.id, other)].first()?;
            Some((one.id, partner.id))
        };
        let pairs = self
            .pairs
            .iter()
            .flat_map(|(one, other)| one.touches.iter().filter_map(|touch| partners(touch, other)).collect::<Vec<_>>());
        pairs.take(NEAR_PAIRS).collect()
    }

    /// The places of its accesses in the program.
    fn places(&self, analysis: &Analysis<'_>) -> Vec<u64> {
        let touches = self.pairs.iter().flat_map(|(one, other)| one.touches.iter().chain(other.touches.iter()));
        let places: BTreeSet<u64> = touches.map(|touch| analysis.trace.pc(touch.id)).collect();
        places.into_iter().collect()
    }
}

/// A pair of two classes that can be next at once with all critical sections in order, if there is one.
fn sweep(analysis: &Analysis<'_>, one: &Class, other: &Class) -> Option<(EventId, EventId)> {
    let mut ideal = Ideal::new(analysis.sections());
    let (mut i, mut j) = (0, 0);
    loop {
        let (a, b) = (one.touches.get(i)?.id, other.touches.get(j)?.id);
        let events = [(one.thread, a.index), (other.thread, b.index)];
        match ideal.reach(&events) {
            Ok(()) => return Some((a, b)),
            Err(beyond) => {
                let wanted = ideal.wanted(beyond.thread);
                let (class, at) = if beyond.thread == one.thread { (one, &mut i) } else { (other, &mut j) };
                *at += class.touches[*at..].partition_point(|touch| touch.id.index < wanted);
            }
        }
    }
}

/// Searches each pair in turn, through this many states in total.
fn search_pairs(analysis: &Analysis<'_>, check: &Check, most: u64) -> Decided {
    let mut states = 0;
    let mut tried = 0;
    let mut unknown = None;
    for (one, other) in &check.pairs {
        for touch in one.touches.iter() {
            for partner in &other.touches[range(analysis, touch.id, other)] {
                let enough = (tried >= MOST_PAIRS).then_some(Unknown::Pairs(MOST_PAIRS));
                let spent = (states >= most).then_some(Unknown::States(most));
                if let Some(why) = analysis.options.budget.interrupted().or(enough).or(spent) {
                    return Decided { answer: Answer::Unknown(unknown.unwrap_or(why)), states };
                }
                tried += 1;
                let events = [touch.id, partner.id];
                let (answer, cost) = search_pair(analysis, &events, most - states);
                states += cost;
                match answer {
                    Ok(true) => return Decided { answer: Answer::BySearch(touch.id, partner.id), states },
                    Ok(false) => {}
                    Err(Unknown::States(_)) => unknown = Some(Unknown::States(most)),
                    Err(why) => unknown = Some(why),
                }
            }
        }
    }
    let unknown = unknown.or(check.left_over);
    Decided { answer: unknown.map_or(Answer::No, Answer::Unknown), states }
}

/// Can these events be next at once, in any order that the objects allow?
fn search_pair(analysis: &Analysis<'_>, events: &[EventId; 2], states: u64) -> (Result<bool, Unknown>, u64) {
    if analysis.options.reductions.closure && forced_apart(analysis, events) {
        return (Ok(false), 0);
    }
    let free = analysis.free();
    let mut query = free.goal(events, analysis.options.reductions.partial_order);
    if let Some(windows) = analysis.windows() {
        let places = events.map(|id| free.place(id));
        let Some(window) = windows.around(&places) else { return (Err(Unknown::Window), 0) };
        window.narrow(&mut query);
    }
    let budget = Budget { states, ..analysis.options.budget.clone() };
    let (answer, states) = reach(&free.program, free.uses(), &query, &budget);
    let windowed = analysis.windows().is_some();
    let answer = match answer {
        Ok(None) if windowed => Err(Unknown::Window),
        other => other.map(|path| path.is_some()),
    };
    (answer, states)
}

/// Does the closure of the must-order already run past one of the events?
pub(crate) fn forced_apart(analysis: &Analysis<'_>, events: &[EventId]) -> bool {
    let events: Vec<_> = events.iter().map(|id| (id.thread.index(), id.index)).collect();
    Ideal::new(analysis.must_order()).reach(&events).is_err()
}
