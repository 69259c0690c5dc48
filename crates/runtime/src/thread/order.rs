//! Which operations order what: the happens-before of the race detector (FastTrack, Flanagan and Freund PLDI'09), with
//! release sequences and fences as C11 has them. Our own gates order nothing.

use crate::thread::clock::{Clock, Epoch};
use crate::thread::objects::{self, Barrier, Clocks, Object, Remembered};
use foretrace_event::Order;
use foretrace_event::wire::{LockArg, Op};

/// A thread's clock, and what its fences have gathered.
pub struct Synchronised {
    number: u32,
    now: Clock,
    /// What relaxed loads have read, for an acquire fence to take over.
    loaded: Clock,
    /// What the last release fence had seen, for relaxed stores to publish.
    fenced: Clock,
    has_fenced: bool,
    /// The phase in which it entered a barrier last is an odd one.
    odd_phase: bool,
}

impl Clocks {
    /// The object is another one from now on, or new: what was done to it before orders nothing.
    fn renew(&mut self) {
        self.clock.clear();
        self.readers.clear();
    }

    /// A barrier begins. Threads may not have been seen yet to leave the one that was there: what they are to know stays, and
    /// phases are not told apart.
    fn renew_barrier(&mut self, count: u32) {
        let empty = self.barrier.inside == [0, 0];
        self.barrier = Barrier { count: if empty { count } else { 0 }, entered: 0, inside: [0, 0] };
        if empty { self.renew() } else { self.clock.join(&self.readers) }
    }

    /// A thread enters a barrier, which makes the clock of its phase ready. Is the phase an odd one?
    ///
    /// Phases are by turns even and odd. Whoever enters the next one has left this one, or more threads use the barrier
    /// than make a phase; then it is not known who meets whom, and they are not told apart any more.
    fn enter(&mut self) -> bool {
        let Barrier { count, entered, inside } = &mut self.barrier;
        if inside[0] + inside[1] >= *count {
            *count = 0;
            inside[0] += 1;
            self.clock.join(&self.readers);
            return false;
        }
        let odd = *entered >= *count;
        *entered = (*entered + 1) % (2 * *count);
        let inside = &mut inside[usize::from(odd)];
        *inside += 1;
        if *inside == 1 {
            self.of_phase(odd).clear();
        }
        odd
    }

    /// A thread leaves a barrier.
    fn leave(&mut self, odd: bool) {
        let inside = &mut self.barrier.inside[usize::from(odd)];
        *inside = inside.saturating_sub(1);
    }

    /// The clock of a barrier's even or odd phases.
    fn of_phase(&mut self, odd: bool) -> &mut Clock {
        if odd && self.barrier.count != 0 { &mut self.readers } else { &mut self.clock }
    }
}

impl Synchronised {
    /// The thread with this number begins.
    pub fn begin(&mut self, number: u32) {
        self.number = number;
        self.now.set(number, 1);
    }

    /// The current moment.
    #[inline]
    pub fn epoch(&self) -> Epoch {
        u64::from(self.number) << 32 | u64::from(self.own())
    }

    /// Is that moment in the past?
    #[inline]
    pub fn knows(&self, epoch: Epoch) -> bool {
        self.now.knows(epoch)
    }

    /// What it knows of a thread.
    pub fn of(&self, thread: u32) -> u32 {
        self.now.get(thread)
    }

    /// Its own entry.
    #[inline]
    pub fn own(&self) -> u32 {
        self.now.get(self.number)
    }

    /// Another moment begins.
    pub fn tick(&mut self) {
        self.now.set(self.number, self.now.get(self.number) + 1);
    }

    fn acquire(&mut self, object: &Object) {
        object.with_clocks(|clocks| self.now.join(&clocks.clock));
    }

    fn release(&mut self, object: &Object) {
        object.with_clocks(|clocks| clocks.clock.join(&self.now));
        self.tick();
    }

    fn acquire_from_readers(&mut self, object: &Object) {
        object.with_clocks(|clocks| self.now.join(&clocks.readers));
    }

    fn release_as_reader(&mut self, object: &Object) {
        object.with_clocks(|clocks| clocks.readers.join(&self.now));
        self.tick();
    }

    fn enter_barrier(&mut self, barrier: &Object) {
        self.odd_phase = barrier.with_clocks(|clocks| {
            let odd = clocks.enter();
            clocks.of_phase(odd).join(&self.now);
            odd
        });
        self.tick();
    }

    fn leave_barrier(&mut self, barrier: &Object) {
        barrier.with_clocks(|clocks| {
            clocks.leave(self.odd_phase);
            self.now.join(clocks.of_phase(self.odd_phase));
        });
    }

    /// Takes part in the order that an operation makes. `index` is the thread's; `shared` says that it held
    /// the object for reading.
    pub fn sync(&mut self, known: &Remembered, op: Op, object: usize, arg: u64, index: u32, shared: bool) {
        let key = match op {
            Op::Fork | Op::Join => objects::thread(arg),
            Op::Start | Op::End => objects::thread(u64::from(index)),
            // An annotation may name a variable that has a clock of its own, as an atomic one.
            Op::Release | Op::Acquire => objects::channel(object as u64),
            Op::Fence => return self.fence(Order::from_abi(arg as u32)),
            _ if object == 0 => return,
            _ => object as u64,
        };
        let Some(object) = known.find(key) else { return };
        match op {
            Op::Join => self.acquire_from_readers(object),
            Op::End => self.release_as_reader(object),
            Op::Lock => {
                self.acquire(object);
                if LockArg::decode(arg).is_some_and(|arg| arg.class.may_be_shared()) {
                    self.acquire_from_readers(object);
                }
            }
            // Not at the end of the one before: that may fail, and threads may still be on their way out of it.
            // Not `SemInit`: a named semaphore may have been used before it is known to be open.
            Op::LockInit | Op::CondInit => object.with_clocks(Clocks::renew),
            Op::BarrierInit => object.with_clocks(|clocks| clocks.renew_barrier(arg as u32)),
            Op::Unlock if shared => self.release_as_reader(object),
            Op::BarrierEnter => self.enter_barrier(object),
            Op::BarrierExit => self.leave_barrier(object),
            Op::Fork | Op::Unlock | Op::Signal | Op::Broadcast | Op::SemPost | Op::OnceDone | Op::Release => {
                self.release(object)
            }
            Op::Start | Op::RdLock | Op::Wait | Op::SemWait | Op::OnceRun | Op::OncePass | Op::Acquire => {
                self.acquire(object)
            }
            _ => {}
        }
    }

    fn fence(&mut self, order: Order) {
        if order.acquires() {
            self.now.join(&self.loaded);
        }
        if order.releases() {
            self.fenced.assign(&self.now);
            self.has_fenced = true;
            self.tick();
        }
    }

    /// An atomic operation on a variable.
    pub fn atomic(&mut self, variable: &Object, op: Op, order: Order) {
        variable.with_clocks(|clocks| self.atomic_with(&mut clocks.clock, op, order));
    }

    fn atomic_with(&mut self, variable: &mut Clock, op: Op, order: Order) {
        if op != Op::AtomicStore {
            if order.acquires() { self.now.join(variable) } else { self.loaded.join(variable) }
        }
        if matches!(op, Op::AtomicStore | Op::AtomicRmw) {
            // A store begins a new release sequence; a read-modify-write continues the one it read from.
            if op == Op::AtomicStore {
                variable.clear();
            }
            if order.releases() {
                variable.join(&self.now);
            } else if self.has_fenced {
                variable.join(&self.fenced);
            }
            if order.releases() {
                self.tick();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::thread::Thread;
    use crate::thread::tls::Section;
    use crate::watch::naive;
    use foretrace_event::wire::Op;

    /// Where the objects are, another one for each test.
    const OBJECTS: usize = 0x60_0000_0000;

    fn sync(player: &'static Thread, op: Op, object: usize) {
        player.clock.get().sync(&player.objects, op, object, 2, player.index, false);
    }

    #[test]
    fn what_is_done_before_the_next_phase_is_not_known_to_who_leaves_the_last() {
        let _section = Section::nest();
        let players = naive::players();
        let (fast, slow, barrier) = (players[0], players[1], OBJECTS);
        sync(fast, Op::BarrierInit, barrier);
        let mut before = 0;
        for _ in 0..5 {
            let arrival = slow.clock.get().epoch();
            sync(fast, Op::BarrierEnter, barrier);
            sync(slow, Op::BarrierEnter, barrier);
            sync(fast, Op::BarrierExit, barrier);
            assert!(fast.clock.get().knows(arrival) && slow.clock.get().knows(before));
            before = fast.clock.get().epoch();
            sync(fast, Op::BarrierEnter, barrier);
            sync(slow, Op::BarrierExit, barrier);
            assert!(!slow.clock.get().knows(before));
            sync(slow, Op::BarrierEnter, barrier);
            sync(slow, Op::BarrierExit, barrier);
            assert!(slow.clock.get().knows(before));
            sync(fast, Op::BarrierExit, barrier);
        }
    }

    #[test]
    fn if_more_threads_come_than_meet_all_who_are_inside_may_have_met() {
        let _section = Section::nest();
        let (players, barrier) = (naive::players(), OBJECTS + 64);
        sync(players[0], Op::BarrierInit, barrier);
        let moments: Vec<u64> = players.iter().map(|player| player.clock.get().epoch()).collect();
        players.iter().for_each(|player| sync(player, Op::BarrierEnter, barrier));
        for player in &players {
            sync(player, Op::BarrierExit, barrier);
            assert!(moments.iter().all(|moment| player.clock.get().knows(*moment)));
        }
    }

    #[test]
    fn an_object_at_the_place_of_another_orders_nothing_with_those_who_used_that() {
        let _section = Section::nest();
        let players = naive::players();
        let objects = [(Op::LockInit, Op::Unlock, Op::Lock), (Op::CondInit, Op::Signal, Op::Wait)];
        for (number, (init, release, acquire)) in objects.into_iter().enumerate() {
            let object = OBJECTS + 128 + 64 * number;
            let before = players[0].clock.get().epoch();
            sync(players[0], release, object);
            sync(players[1], init, object);
            sync(players[1], acquire, object);
            assert!(!players[1].clock.get().knows(before), "{init:?}");
            let after = players[1].clock.get().epoch();
            sync(players[1], release, object);
            sync(players[0], acquire, object);
            assert!(players[0].clock.get().knows(after), "{init:?}");
        }
    }
}
