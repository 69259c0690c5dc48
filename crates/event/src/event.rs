//! The table of events, and what is generated from it: the event, its kind, its operation on the wire, and the walk
//! over what it carries.
//!
//! A row is everything that the forms of a trace (memory, text, recordings, STD) need to know of a kind of event. Each
//! form is one [`Reader`] and one [`Writer`], which know how the form spells an id, a memory order or a number, and no
//! kind of event in particular.

mod carried;

use crate::{
    ArgsId, AtomicId, BarrierId, ChannelId, Check, CondInstance, CustomId, IntervalId, LoadOrder, LockId, OnceId,
    Order, Patience, SemId, StoreOrder, ThreadId,
};
use carried::Carried;
pub use carried::{Object, Orders, Reader, Sort, Writer};

/// How the STD form of the RAPID tools spells an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Std {
    /// As this verb.
    Verb(&'static str),
    /// As a critical section of a lock that stands for the object.
    Section,
    /// Not at all.
    Nothing,
}

macro_rules! std_spelling {
    (section) => {
        Std::Section
    };
    (nothing) => {
        Std::Nothing
    };
    ($verb:literal) => {
        Std::Verb($verb)
    };
}

macro_rules! op_of {
    ($name:ident = $code:literal) => {
        Some(Op::$name)
    };
    ($name:ident like $other:ident) => {
        Some(Op::$other)
    };
    ($name:ident) => {
        None
    };
}

/// The first; the second only says which rows to take.
macro_rules! named {
    ($first:expr, $second:expr) => {
        $first
    };
}

macro_rules! events {
    (
        events {$(
            $(#[$doc:meta])*
            $name:ident $(($($field:ident: $type:ty),+))? $(= $code:literal)? $(like $other:ident)?
                $text:literal std $std:tt $(fails $ok:ident)?;
        )*}
        only_on_the_wire {$(
            $(#[$wire_doc:meta])*
            $wire:ident = $wire_code:literal $wire_text:literal $(event $read_as:ident)?;
        )*}
    ) => {
        /// One operation of one thread: what every analysis reads. A completed operation, as in the thesis's Table 4.1.
        ///
        /// **Invariants** of a checked trace: `Wait` and `FailedWait` are directly preceded by `Unlock` and directly
        /// followed by `Lock` of their lock, in the same thread; `BarrierExit` directly follows its `BarrierEnter`.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Event { $($(#[$doc])* $name $(($($type),+))?,)* }

        /// The kind of an event, without what it carries.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        pub enum Kind { $(#[doc = concat!("`Event::", stringify!($name), "`.")] $name,)* }

        /// The operations of recordings, with their numbers on the wire. The number of an operation never changes.
        ///
        /// The object of a record is the address of what the event acts on; for `Start` it is the lowest address of the
        /// thread's stack. The argument of a lock operation is a [`crate::wire::LockArg`], that of a semaphore wait its
        /// patience, that of a wait the address of its lock, that of a fence its order, that of an operation on a thread
        /// that thread, that of an atomic operation the value that it read or stored, that of `Start` the size of the
        /// stack, and that of a custom event the user's. Atomic operations have a [`crate::wire::Detail`]. A wait
        /// follows its lock's `Unlock` and precedes its `Lock`.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        pub enum Op {
            $($(#[doc = concat!("The operation of `Event::", stringify!($name), "`.")] $name = $code,)?)*
            $($(#[$wire_doc])* $wire = $wire_code,)*
        }

        impl Event {
            /// Its kind.
            pub const fn kind(self) -> Kind {
                match self { $(Self::$name { .. } => Kind::$name,)* }
            }

            /// Writes what it carries.
            ///
            /// # Errors
            /// What the writer says.
            #[inline(always)]
            pub fn write<W: Writer>(self, writer: &mut W) -> Result<(), W::Error> {
                match self {
                    $(Self::$name $(($($field),+))? => { $($($field.write(writer)?;)+)? })*
                }
                let _ = writer;
                Ok(())
            }

            /// What it acts on.
            pub fn object(self) -> Option<Object> {
                match self {
                    $(Self::$name $(($($field),+))? => None$($(.or($field.object()))+)?,)*
                }
            }
        }

        impl Kind {
            /// All kinds, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// Reads what an event of this kind carries.
            ///
            /// # Errors
            /// What the reader says.
            #[inline(always)]
            pub fn read<R: Reader>(self, reader: &mut R) -> Result<Event, R::Error> {
                let _ = &reader;
                Ok(match self {
                    $(Self::$name => Event::$name $(($(<$type as Carried>::read(reader)?),+))?,)*
                })
            }

            /// Its name in text traces.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// How many ids and values an event of this kind carries.
            pub const fn ids_and_values(self) -> usize {
                match self { $(Self::$name => 0 $($(+ <$type as Carried>::COUNT)+)?,)* }
            }

            /// How the STD form spells it.
            pub const fn std(self) -> Std {
                match self { $(Self::$name => std_spelling!($std),)* }
            }

            /// How recordings spell it; none for accesses, which are recorded as lines of memory.
            pub const fn op(self) -> Option<Op> {
                match self { $(Self::$name => op_of!($name $(= $code)? $(like $other)?),)* }
            }

            /// Is it an operation that failed?
            pub const fn is_failure(self) -> bool {
                match self {
                    $($(Self::$name => named!(true, Self::$ok),)?)*
                    _ => false,
                }
            }
        }

        impl Op {
            /// The operation with that number.
            pub const fn from_code(code: u8) -> Option<Self> {
                match code {
                    $($($code => Some(Self::$name),)?)*
                    $($wire_code => Some(Self::$wire),)*
                    _ => None,
                }
            }

            /// Its name in listings.
            pub const fn name(self) -> &'static str {
                match self {
                    $($(Self::$name => named!($text, $code),)?)*
                    $(Self::$wire => $wire_text,)*
                }
            }

            /// The kind of event that it becomes; none for what is only on the wire.
            pub const fn kind(self) -> Option<Kind> {
                match self {
                    $($(Self::$name => named!(Some(Kind::$name), $code),)?)*
                    $($(Self::$wire => Some(Kind::$read_as),)?)*
                    _ => None,
                }
            }

            /// The operation that is this one in its failing form.
            pub const fn failing(self) -> Option<Self> {
                match self {
                    $($(Self::$ok => Some(Self::$name),)?)*
                    _ => None,
                }
            }
        }
    };
}

events! {
    // variant, what it carries, its number on the wire, its name, its spelling in STD, what it is the failure of
    events {
        /// The thread began.
        Start = 1 "start" std "begin";
        /// The thread ended.
        End = 2 "end" std "end";
        /// The thread created another.
        Fork(child: ThreadId) = 3 "fork" std "fork";
        /// The thread waited for another's end.
        Join(child: ThreadId) = 4 "join" std "join";

        /// Acquired, exclusively.
        Lock(lock: LockId, patience: Patience) = 9 "lock" std "acq";
        /// A try or timed lock that failed.
        FailedLock(lock: LockId, patience: Patience) = 10 "flock" std nothing fails Lock;
        /// Acquired, shared.
        RdLock(lock: LockId, patience: Patience) = 11 "rdlock" std nothing;
        /// A try or timed shared lock that failed.
        FailedRdLock(lock: LockId, patience: Patience) = 12 "frdlock" std nothing fails RdLock;
        /// Released.
        Unlock(lock: LockId) = 13 "unlock" std "rel";
        /// Released although no thread held it: an error of the program that changes nothing.
        StrayUnlock(lock: LockId) like Unlock "stray_unlock" std nothing;

        /// Woke one waiter of this instance, or none (a lost signal).
        Signal(condition: CondInstance) = 16 "signal" std section;
        /// Woke all waiters of this instance.
        Broadcast(condition: CondInstance) = 17 "broadcast" std section;
        /// Was woken from a wait with this lock.
        Wait(condition: CondInstance, lock: LockId, check: Check) = 18 "wait" std section;
        /// A timed wait with this lock that timed out, or woke spuriously.
        FailedWait(lock: LockId) = 19 "fwait" std nothing fails Wait;

        /// Arrived at a barrier.
        BarrierEnter(barrier: BarrierId) = 22 "barrier_enter" std section;
        /// Left the barrier.
        BarrierExit(barrier: BarrierId) = 23 "barrier_exit" std section;

        /// Decremented a semaphore.
        SemWait(sem: SemId, patience: Patience) = 26 "sem_wait" std section;
        /// A try or timed wait that found it zero.
        FailedSemWait(sem: SemId, patience: Patience) = 27 "sem_fwait" std nothing fails SemWait;
        /// Incremented a semaphore.
        SemPost(sem: SemId) = 28 "sem_post" std section;

        /// Began to run the initialiser.
        OnceRun(once: OnceId) = 29 "once_run" std section;
        /// Finished running the initialiser.
        OnceDone(once: OnceId) = 30 "once_done" std section;
        /// The initialiser threw: the next caller will run it again.
        OnceAbort(once: OnceId) = 31 "once_abort" std section;
        /// Found that the initialiser had run, perhaps after waiting for it.
        OncePass(once: OnceId) = 32 "once_pass" std section;

        /// Everything before is visible to later acquires of the channel.
        Release(channel: ChannelId) = 33 "release" std section;
        /// Sees everything released into the channel before.
        Acquire(channel: ChannelId) = 34 "acquire" std section;

        /// An atomic load and the value it read.
        AtomicLoad(atomic: AtomicId, order: LoadOrder, value: u64) = 35 "aload" std section;
        /// An atomic store and the value it wrote.
        AtomicStore(atomic: AtomicId, order: StoreOrder, value: u64) = 36 "astore" std section;
        /// A read-modify-write: the value it read and the value it wrote.
        AtomicRmw(atomic: AtomicId, order: Order, old: u64, new: u64) = 37 "armw" std section;
        /// A fence.
        Fence(order: Order) = 39 "fence" std nothing;

        /// Read an interval in this segment.
        Read(interval: IntervalId) "read" std "r";
        /// Wrote an interval in this segment.
        Write(interval: IntervalId) "write" std "w";

        /// The user's own event with its values.
        Custom(custom: CustomId, values: ArgsId) = 47 "custom" std nothing;
    }

    // operation, its number, its name in listings, the event that it becomes
    only_on_the_wire {
        /// Argument: the detached thread.
        Detach = 5 "detach";
        /// The thread's previous record did not happen: the call returned an error.
        Undo = 6 "undo";
        /// A lock was initialised; argument: [`LockArg`].
        LockInit = 7 "lock_init";
        /// A lock was destroyed.
        LockDestroy = 8 "lock_destroy";
        /// A condition variable was initialised.
        CondInit = 14 "cond_init";
        /// A condition variable was destroyed.
        CondDestroy = 15 "cond_destroy";
        /// Argument: how many threads the barrier waits for.
        BarrierInit = 20 "barrier_init";
        /// A barrier was destroyed.
        BarrierDestroy = 21 "barrier_destroy";
        /// Argument: the initial value.
        SemInit = 24 "sem_init";
        /// A semaphore was destroyed or closed.
        SemDestroy = 25 "sem_destroy";
        /// A compare-exchange that failed, so a load; detail: size and the order of failure; argument: the value read.
        AtomicCasFailed = 38 "acas_fail" event AtomicLoad;
        /// Memory was allocated; object: its address, argument: its size. Like `Free`, it ends no segment: accesses of the
        /// segment that came before it in the thread may follow it in the stream, but none to this memory.
        Alloc = 40 "alloc";
        /// Memory was freed; object: its address, argument: its size.
        Free = 41 "free";
        /// A signal handler began; argument: the signal.
        SignalEnter = 42 "signal_enter";
        /// A signal handler ended; argument: the signal, or zero if the handler was left by a jump some time before.
        SignalExit = 43 "signal_exit";
        /// The process forks.
        ProcessFork = 44 "process_fork";
        /// This thread ends the process; argument: the exit status.
        Exit = 45 "exit";
        /// Events of this thread are missing from here on; argument: how many are known to be missing.
        Gap = 46 "gap";
        /// Sets the pc that the next access record's difference is taken from. The decoder never returns it.
        AccessPc = 48 "access_pc";
        /// One value of the thread's next `CustomList`; object: [`crate::wire::ARG_NUMBER`] or
        /// [`crate::wire::ARG_TEXT`], argument: the number, or the number that the text has in the file `strings`.
        CustomArg = 49 "custom_arg";
        /// A custom event whose values are those of the `CustomArg` records since the thread's last one, so none, one or
        /// many. (`Custom` itself carries exactly one number, its argument.)
        CustomList = 50 "custom_list" event Custom;
    }
}

impl Event {
    /// Is it a memory access? All others end a segment.
    pub const fn is_access(self) -> bool {
        matches!(self, Self::Read(_) | Self::Write(_))
    }
}

impl Op {
    /// All operations, in the order of their numbers.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..=u8::MAX).filter_map(Self::from_code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_kind_is_recorded_as_becomes_that_kind() {
        for kind in Kind::ALL.iter().filter(|kind| **kind != Kind::StrayUnlock) {
            let Some(op) = kind.op() else { continue };
            assert_eq!((op.kind(), op.name()), (Some(*kind), kind.name()));
            assert_eq!(Op::from_code(op as u8), Some(op));
            assert!((op as u8) < 64, "the rest of the byte has another meaning");
        }
    }

    #[test]
    fn no_two_rows_have_the_same_spelling() {
        for (index, kind) in Kind::ALL.iter().enumerate() {
            for other in &Kind::ALL[..index] {
                assert_ne!(kind.name(), other.name());
                assert!(kind.std() != other.std() || !matches!(kind.std(), Std::Verb(_)), "{kind:?} and {other:?}");
            }
        }
    }
}
