//! Cycles of lock requests.
//!
//! A *request* is a thread that wants a lock while it holds others; all events with the same thread, lock, mode and
//! held locks are one abstract request (PLDI 2023). A cycle is a list of requests of different threads. Each wants a
//! lock that the next one holds in a conflicting mode, and the locks that any two of them hold can be held at the same
//! time (a gate lock prevents that).
//!
//! The locks of a cycle are on a cycle of the graph that has an edge from each held lock to the wanted one, so only
//! requests for such locks are kept. The graph with edges from the innermost held lock alone has the same reachability,
//! because the innermost lock was taken while the others were held. It is no larger than the trace, however many locks
//! a thread holds.

use foretrace_event::LockId;
use rustc_hash::FxHashMap;

use crate::Sections;
use crate::sections::{Section, SectionMode};
use foretrace_event::{Event, EventId, Patience, ThreadId};
use foretrace_trace::Trace;

/// A held or wanted lock.
pub type Hold = (LockId, SectionMode);

/// A thread that wants a lock while it holds others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    /// The thread.
    pub thread: usize,
    /// The lock it wants.
    pub wants: Hold,
    /// The locks it holds, sorted.
    pub holds: Vec<Hold>,
    /// The indices of the events that make this request, in order.
    pub events: Vec<u32>,
}

/// Requests in a cycle: each wants what the next holds. Given by number in the graph; the first has the lowest thread.
pub type Cycle = Vec<usize>;

/// All abstract requests of a trace that hold something.
#[derive(Clone, Debug, Default)]
pub struct LockGraph {
    requests: Vec<Request>,
    /// Requests that hold a lock, by lock.
    holders: FxHashMap<LockId, Vec<usize>>,
}

impl LockGraph {
    /// The requests of a trace. Try and timed operations give up, so they are not requests.
    pub fn new(trace: &Trace, sections: &Sections) -> Self {
        let mut graph = Self::default();
        let mut numbers: FxHashMap<(usize, Hold, Vec<Hold>), usize> = FxHashMap::default();
        let circular = Circular::new(trace, sections);
        for thread in 0..trace.threads().len() {
            for section in sections.of(thread) {
                if circular.has(section.lock) && waits(trace, thread, section) {
                    graph.note(&mut numbers, sections, thread, section);
                }
            }
        }
        for (number, request) in graph.requests.iter().enumerate() {
            for (lock, _) in request.holds.iter().filter(|(lock, _)| circular.has(*lock)) {
                graph.holders.entry(*lock).or_default().push(number);
            }
        }
        graph
    }

    fn note(
        &mut self,
        numbers: &mut FxHashMap<(usize, Hold, Vec<Hold>), usize>,
        sections: &Sections,
        thread: usize,
        section: &Section,
    ) {
        let mut holds: Vec<Hold> =
            sections.around(thread, section.acquire).map(|held| (held.lock, held.mode)).collect();
        if holds.is_empty() {
            return;
        }
        holds.sort_unstable();
        let wants = (section.lock, section.mode);
        let number = *numbers.entry((thread, wants, holds.clone())).or_insert_with(|| {
            self.requests.push(Request { thread, wants, holds, events: Vec::new() });
            self.requests.len() - 1
        });
        self.requests[number].events.push(section.acquire);
    }

    /// The requests, by number.
    pub fn requests(&self) -> &[Request] {
        &self.requests
    }

    /// Cycles of distinct threads, up to a limit; false if there are more. Each cycle is listed once.
    pub fn cycles(&self, at_most: usize, found: &mut dyn FnMut(&Cycle)) -> bool {
        let mut search =
            CycleSearch { graph: self, left: at_most, steps: at_most.saturating_mul(1000), path: Vec::new(), found };
        let on_cycles = self.on_cycles();
        (0..self.requests.len()).filter(|&first| on_cycles[first]).all(|first| search.from(first, &on_cycles))
    }

    /// Requests that can reach themselves when gates and threads are ignored: only these can be on a cycle.
    fn on_cycles(&self) -> Vec<bool> {
        let mut left: Vec<bool> = vec![true; self.requests.len()];
        loop {
            let dead = |&number: &usize| left[number] && !self.next(number).any(|next| left[next]);
            let dead: Vec<usize> = (0..left.len()).filter(dead).collect();
            if dead.is_empty() {
                return left;
            }
            dead.into_iter().for_each(|number| left[number] = false);
        }
    }

    /// Requests that hold what this one wants in a conflicting mode.
    fn next(&self, number: usize) -> impl Iterator<Item = usize> + '_ {
        let request = &self.requests[number];
        let (lock, mode) = request.wants;
        let holders = self.holders.get(&lock).into_iter().flatten().copied();
        holders.filter(move |&other| {
            let other = &self.requests[other];
            let shuts = |hold: &Hold| hold.0 == lock && (hold.1 == SectionMode::Write || mode == SectionMode::Write);
            other.thread != request.thread && other.holds.iter().any(shuts)
        })
    }
}

fn waits(trace: &Trace, thread: usize, section: &Section) -> bool {
    let id = EventId { thread: ThreadId::from_index(thread), index: section.acquire };
    matches!(trace.event(id), Event::Lock(_, Patience::Blocking) | Event::RdLock(_, Patience::Blocking))
}

/// Locks that can be wanted on a cycle: those that are left after repeatedly removing every lock without an incoming or
/// without an outgoing edge.
struct Circular(Vec<bool>);

impl Circular {
    fn new(trace: &Trace, sections: &Sections) -> Self {
        let locks = trace.locks().len();
        let edges = || (0..trace.threads().len()).flat_map(|thread| sections.innermost(thread));
        let mut circular = Self(vec![true; locks]);
        let forward: Vec<(LockId, LockId)> = edges().collect();
        let backward: Vec<(LockId, LockId)> = edges().map(|(outer, inner)| (inner, outer)).collect();
        circular.trim(forward);
        circular.trim(backward);
        circular
    }

    /// Removes all locks without an incoming edge from a lock that is left.
    fn trim(&mut self, mut edges: Vec<(LockId, LockId)>) {
        edges.sort_unstable();
        edges.dedup();
        let mut ways = vec![0u32; self.0.len()];
        edges.iter().filter(|(from, _)| self.0[from.index()]).for_each(|(_, to)| ways[to.index()] += 1);
        let mut gone: Vec<usize> = (0..ways.len()).filter(|&lock| self.0[lock] && ways[lock] == 0).collect();
        while let Some(lock) = gone.pop() {
            self.0[lock] = false;
            let first = edges.partition_point(|(from, _)| from.index() < lock);
            for (_, to) in edges[first..].iter().take_while(|(from, _)| from.index() == lock) {
                ways[to.index()] -= 1;
                if ways[to.index()] == 0 && self.0[to.index()] {
                    gone.push(to.index());
                }
            }
        }
    }

    fn has(&self, lock: LockId) -> bool {
        self.0[lock.index()]
    }
}

struct CycleSearch<'a> {
    graph: &'a LockGraph,
    left: usize,
    steps: usize,
    path: Cycle,
    found: &'a mut dyn FnMut(&Cycle),
}

impl CycleSearch<'_> {
    /// All cycles whose lowest thread is that of the first request; false if the limit is reached.
    fn from(&mut self, first: usize, on_cycles: &[bool]) -> bool {
        self.path.push(first);
        let whole = self.extend(on_cycles);
        self.path.pop();
        whole
    }

    fn extend(&mut self, on_cycles: &[bool]) -> bool {
        let (first, last) = (self.path[0], *self.path.last().expect("a path has a first request"));
        for next in self.graph.next(last) {
            if self.steps == 0 {
                return false;
            }
            self.steps -= 1;
            if next == first && self.path.len() > 1 {
                if self.left == 0 {
                    return false;
                }
                self.left -= 1;
                (self.found)(&self.path);
            } else if on_cycles[next] && self.fits(next) {
                self.path.push(next);
                let whole = self.extend(on_cycles);
                self.path.pop();
                if !whole {
                    return false;
                }
            }
        }
        true
    }

    /// Can the request be pending at the same time as those of the path?
    fn fits(&self, next: usize) -> bool {
        let requests = &self.graph.requests;
        let next = &requests[next];
        next.thread > requests[self.path[0]].thread
            && self.path.iter().all(|&other| requests[other].thread != next.thread && together(&requests[other], next))
    }
}

/// Can two threads hold these locks at the same time?
fn together(one: &Request, other: &Request) -> bool {
    let excludes = |a: &Hold, b: &Hold| a.0 == b.0 && (a.1 == SectionMode::Write || b.1 == SectionMode::Write);
    !one.holds.iter().any(|a| other.holds.iter().any(|b| excludes(a, b)))
}
