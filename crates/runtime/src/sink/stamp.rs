//! Stamps: when an operation happened.
//!
//! One counter for all threads would be simplest, and is what most of the time of a program with many short critical
//! sections would be spent on. Instead a stamp is the processor's time stamp, pushed forward as Lamport's clocks are: an
//! operation that others come after by way of an object leaves its stamp in the object's clock, and one that comes after
//! takes a larger one. The order of stamps is then a legal history even where the processors' clocks disagree, and close
//! to real time where they do not.
//!
//! Clocks are kept by a hash of the object's address; two objects that share one are ordered a little more than they
//! need to be.

use core::sync::atomic::{AtomicU64, Ordering};
use foretrace_event::wire::Op;

/// The last stamp that later operations on some objects must exceed.
#[repr(align(64))]
struct Clock(AtomicU64);

const CLOCKS: usize = 4096;
static BY_OBJECT: [Clock; CLOCKS] = [const { Clock(AtomicU64::new(0)) }; CLOCKS];

/// Counts instead of the processor's clock, in programs that give that clock up (`PR_TSC_SIGSEGV`, seccomp's strict mode);
/// zero while the clock may be read.
static COUNTER: AtomicU64 = AtomicU64::new(0);

/// Time in units of eight cycles: fine enough to order what threads do, and short in a record.
#[inline]
pub fn now() -> u64 {
    if COUNTER.load(Ordering::Relaxed) != 0 {
        return COUNTER.fetch_add(1, Ordering::Relaxed);
    }
    // SAFETY: every x86-64 processor has it.
    unsafe { core::arch::x86_64::_rdtsc() >> 3 }
}

/// The program is about to give the processor's clock up: a counter goes on from what it says now.
pub fn give_clock_up() {
    let _ = COUNTER.compare_exchange(0, now().max(1), Ordering::Relaxed, Ordering::Relaxed);
}

/// The program may read the clock after all.
pub fn take_clock_back() {
    COUNTER.store(0, Ordering::Relaxed);
}

/// May the processor's clock be read?
pub fn has_clock() -> bool {
    COUNTER.load(Ordering::Relaxed) == 0
}

fn clock(object: usize) -> &'static AtomicU64 {
    let hash = (object as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 52;
    &BY_OBJECT[hash as usize % CLOCKS].0
}

/// The object that stands for a thread in its creation and its end.
pub const fn thread_object(thread: u64) -> usize {
    // No object of a program lies in the upper half of the address space.
    thread as usize | 1 << 63
}

/// The object that stands for the user's own events: they happen one after the other.
pub const EVENTS: usize = 3 << 62;

/// A thread's own part of the order.
#[derive(Clone, Copy, Default)]
pub struct Stamps {
    last: u64,
}

impl Stamps {
    /// A stamp for an operation on an object whose place in the object's history is known to be the current one: its
    /// clock is passed, and left for the next.
    #[inline]
    pub fn exclusive(&mut self, clock: &mut u64) -> u64 {
        self.last = now().max(self.last + 1).max(*clock + 1);
        *clock = self.last;
        self.last
    }

    /// A stamp for an operation on an object.
    #[inline]
    pub fn take(&mut self, op: Op, object: usize) -> u64 {
        let (follows, leads) = relation(op);
        let mut stamp = now().max(self.last + 1);
        if follows {
            stamp = stamp.max(clock(object).load(Ordering::Acquire) + 1);
        }
        self.last = stamp;
        if leads {
            clock(object).fetch_max(stamp, Ordering::AcqRel);
        }
        stamp
    }
}

/// Does an operation come after earlier ones on its object, and do later ones come after it?
#[inline]
const fn relation(op: Op) -> (bool, bool) {
    match op {
        Op::Start | Op::Join | Op::Lock | Op::RdLock | Op::Wait | Op::BarrierExit | Op::SemWait => (true, false),
        Op::OnceRun | Op::OncePass | Op::Acquire | Op::Alloc => (true, false),
        Op::End | Op::Fork | Op::Unlock | Op::Signal | Op::Broadcast | Op::BarrierEnter | Op::SemPost => (false, true),
        Op::OnceDone | Op::OnceAbort | Op::Release | Op::Free => (false, true),
        Op::LockInit | Op::LockDestroy | Op::CondInit | Op::CondDestroy | Op::BarrierInit => (true, true),
        Op::BarrierDestroy | Op::SemInit | Op::SemDestroy | Op::Fence => (true, true),
        Op::Detach | Op::Undo | Op::FailedLock | Op::FailedRdLock | Op::FailedWait | Op::FailedSemWait => {
            (false, false)
        }
        Op::AtomicLoad | Op::AtomicStore | Op::AtomicRmw | Op::AtomicCasFailed => (true, true),
        Op::SignalEnter | Op::SignalExit | Op::ProcessFork | Op::Exit | Op::Gap | Op::CustomArg | Op::AccessPc => {
            (false, false)
        }
        // All of them are on one object: properties are about their order.
        Op::Custom | Op::CustomList => (true, true),
    }
}
