//! What an event needs of all that came before it on one object, without what follows from the rest.

use std::collections::BTreeMap;

use foretrace_event::{EventId, ThreadId};
use rustc_hash::FxHashMap;

/// The posts of a semaphore or the releases into a channel so far. An event that takes from the object needs them all;
/// those are named that neither the taker's own thread nor another of them already needs, so that a program whose many
/// threads take turns has few needs and not one for each pair of threads.
#[derive(Default)]
pub(crate) struct Sources {
    /// The last of each thread by number, and the number up to which an earlier event of its thread needs all others.
    given: BTreeMap<usize, (EventId, usize)>,
    last: FxHashMap<ThreadId, usize>,
    /// Up to which number the events of a thread need them all.
    known: FxHashMap<ThreadId, usize>,
    /// The last event that took, and the number up to which it needs them all.
    taken: Option<(EventId, usize)>,
    next: usize,
}

impl Sources {
    /// An event gives to the object.
    pub(crate) fn give(&mut self, id: EventId) {
        if let Some(earlier) = self.last.insert(id.thread, self.next) {
            self.given.remove(&earlier);
        }
        self.given.insert(self.next, (id, self.known(id.thread)));
        self.next += 1;
    }

    /// An event takes from the object: what it needs.
    pub(crate) fn take(&mut self, id: EventId) -> Vec<EventId> {
        self.collect(id, usize::MAX).0
    }

    /// The same in few words: if it would need more than this many events, it needs the last event that took instead,
    /// and what was given since. That is more than it must have, as it keeps the two in their order.
    pub(crate) fn take_in_turn(&mut self, id: EventId, most: usize) -> Vec<EventId> {
        let earlier = self.taken;
        let (mut needed, in_turn) = self.collect(id, most);
        needed.extend(earlier.filter(|_| in_turn).map(|(taken, _)| taken));
        needed
    }

    fn collect(&mut self, id: EventId, most: usize) -> (Vec<EventId>, bool) {
        let mut from = self.known(id.thread);
        let taken = self.taken.map_or(0, |(_, until)| until);
        let mut needed = Vec::new();
        let mut in_turn = false;
        for (&number, &(event, covered)) in self.given.iter().rev() {
            if needed.len() >= most && number < taken {
                in_turn = true;
                break;
            }
            if number < from {
                break;
            }
            from = from.max(covered);
            if event.thread != id.thread {
                needed.push(event);
            }
        }
        needed.reverse();
        self.known.insert(id.thread, self.next);
        self.taken = Some((id, self.next));
        (needed, in_turn)
    }

    fn known(&self, thread: ThreadId) -> usize {
        self.known.get(&thread).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use foretrace_event::Random;

    use super::*;

    /// What every event needs by the definition: all that was given before by other threads.
    fn all(given: &[EventId], id: EventId) -> Vec<EventId> {
        given.iter().copied().filter(|event| event.thread != id.thread).collect()
    }

    /// Everything that follows from some needs: the needs of the events before in their threads as well.
    fn closure(needs: &FxHashMap<EventId, Vec<EventId>>, of: EventId) -> FxHashMap<ThreadId, u32> {
        let mut reached = FxHashMap::default();
        let mut open = vec![of];
        while let Some(event) = open.pop() {
            let until = reached.get(&event.thread).map_or(0, |index| index + 1);
            for index in until..=event.index {
                open.extend(needs.get(&EventId { thread: event.thread, index }).into_iter().flatten());
            }
            let last = reached.entry(event.thread).or_insert(event.index);
            *last = event.index.max(*last);
        }
        reached
    }

    #[test]
    fn the_closure_is_that_of_all() {
        let mut random = Random::new(7);
        for _ in 0..500 {
            let threads = 2 + random.below(4);
            let (mut sources, mut given) = (Sources::default(), Vec::new());
            let (mut few, mut naive) = (FxHashMap::default(), FxHashMap::default());
            let mut counts = vec![0; threads as usize];
            for _ in 0..40 {
                let thread = random.below(threads) as usize;
                let id = EventId { thread: ThreadId::from_index(thread), index: counts[thread] };
                counts[thread] += 1;
                if random.below(2) == 0 {
                    sources.give(id);
                    given.push(id);
                } else {
                    few.insert(id, sources.take(id));
                    naive.insert(id, all(&given, id));
                    assert_eq!(closure(&few, id), closure(&naive, id));
                }
            }
        }
    }

    #[test]
    fn many_threads_have_few_needs() {
        let id = |thread, index| EventId { thread: ThreadId::from_index(thread), index };
        // Each thread takes and gives, as with a semaphore that is used as a lock.
        let mut sources = Sources::default();
        let mut count = 0;
        for thread in 0..1000 {
            count += sources.take(id(thread, 0)).len();
            sources.give(id(thread, 1));
        }
        assert_eq!(count, 999);
        // A thousand threads give, a thousand others take.
        let mut sources = Sources::default();
        (0..1000).for_each(|thread| sources.give(id(thread, 0)));
        let count: usize = (1000..2000).map(|thread| sources.take_in_turn(id(thread, 0), 8).len()).sum();
        assert!(count <= 1000 + 1000 * 9, "{count}");
    }
}
