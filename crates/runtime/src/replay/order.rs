//! Whose turn it is, strictly or loosely.
//!
//! Strictly, steps are taken one after the other, as they stand in the schedule. Loosely, each thread takes its own steps in
//! order, and the steps on one object are taken in order; what happens before what is the same, because nothing orders
//! steps of different threads but the objects they are on, and threads that have nothing to do with each other run side
//! by side. A program that depends on the order of other things, such as plain variables, needs the strict order.

use super::schedule::{self, step};
use crate::arena;
use core::sync::atomic::{AtomicPtr, AtomicU32, Ordering};
use foretrace_event::schedule::{NO_OBJECT, Step};

/// What a thread is to do.
#[derive(Clone, Copy)]
pub enum Next {
    /// The schedule is over.
    Over,
    /// This step, which is the one with that number.
    Mine(u32, Step),
    /// Wait.
    NotYet,
}

/// Tables of the loose order; null if the order is strict.
static LOOSE: AtomicPtr<Loose> = AtomicPtr::new(core::ptr::null_mut());

struct Loose {
    /// Of each step, how many on the same object come before it.
    turns: *mut u32,
    /// Of each step, the thread of the next on the same object, and one; zero: there is none.
    heirs: *mut u32,
    /// Of each object, how many steps have been taken.
    taken: *const AtomicU32,
    /// The steps of the first thread, of the second, and so on.
    own: *mut u32,
    /// Of each thread, where in `own` its next step is.
    next: *const AtomicU32,
    /// Of each thread, where in `own` its steps end.
    ends: *mut u32,
}

fn numbers(count: usize) -> Option<*mut u32> {
    arena::allocate(count.max(1) * size_of::<u32>()).map(<*mut u8>::cast)
}

/// Makes the order a loose one; false if there is no memory. The schedule has been checked and has so many objects.
pub fn loosen(objects: usize) -> bool {
    let (threads, steps) = (schedule::threads() as usize, schedule::steps() as usize);
    let made = || {
        let loose: *mut Loose = arena::allocate(size_of::<Loose>())?.cast();
        let (turns, heirs, own) = (numbers(steps)?, numbers(steps)?, numbers(steps)?);
        let (taken, last) = (numbers(objects)?, numbers(objects)?);
        let (next, ends) = (numbers(threads)?, numbers(threads)?);
        // SAFETY: zeroed memory of these sizes; the schedule's threads and objects are below their numbers. The counts in
        // `taken` are made here and cleared again, and nobody else knows of them yet.
        unsafe {
            (0..schedule::steps()).filter_map(step).for_each(|step| *ends.add(step.thread as usize) += 1);
            let mut sum = 0;
            for thread in 0..threads {
                *next.add(thread) = sum;
                sum += *ends.add(thread);
                *ends.add(thread) = *next.add(thread);
            }
            for (at, step) in (0..schedule::steps()).filter_map(|at| Some((at, step(at)?))) {
                let end = ends.add(step.thread as usize);
                *own.add(*end as usize) = at;
                *end += 1;
                if step.object != NO_OBJECT {
                    let (count, last) = (taken.add(step.object as usize), last.add(step.object as usize));
                    if *count > 0 {
                        *heirs.add(*last as usize) = step.thread + 1;
                    }
                    *turns.add(at as usize) = *count;
                    (*count, *last) = (*count + 1, at);
                }
            }
            taken.write_bytes(0, objects);
            loose.write(Loose { turns, heirs, taken: taken.cast(), own, next: next.cast(), ends });
        }
        Some(loose)
    };
    made().is_some_and(|loose| {
        LOOSE.store(loose, Ordering::Release);
        true
    })
}

fn loose() -> Option<&'static Loose> {
    // SAFETY: null, or tables of our own, which are never freed.
    unsafe { LOOSE.load(Ordering::Acquire).as_ref() }
}

/// Has the last step been taken?
pub fn is_over() -> bool {
    schedule::taken().load(Ordering::Acquire) >= schedule::steps()
}

/// What the thread is to do, which the schedule knows.
#[inline]
pub fn next(thread: u32) -> Next {
    if let Some(loose) = loose() {
        return loose.next(thread);
    }
    let at = schedule::taken().load(Ordering::Acquire);
    match step(at) {
        None => Next::Over,
        Some(step) if step.thread == thread => Next::Mine(at, step),
        Some(_) => Next::NotYet,
    }
}

/// Is the thread's turn only a few steps away?
pub fn is_soon(thread: u32) -> bool {
    const FEW: u32 = 16;
    loose().is_some() || schedule::is_soon(thread, schedule::taken().load(Ordering::Acquire), FEW)
}

/// Takes a step, which is the thread's next, and gives the thread whose turn it may be now.
pub fn take(at: u32, step: Step) -> Option<u32> {
    match loose() {
        Some(loose) => loose.take(at, step),
        None => {
            schedule::taken().store(at + 1, Ordering::Release);
            schedule::step(at + 1).map(|next| next.thread)
        }
    }
}

/// The first step that has not been taken.
pub fn first_open() -> Option<(u32, Step)> {
    let at = match loose() {
        None => schedule::taken().load(Ordering::Acquire),
        Some(loose) => (0..schedule::threads()).filter_map(|thread| loose.own(thread)).min()?,
    };
    Some((at, step(at)?))
}

impl Loose {
    /// The thread's next step.
    fn own(&self, thread: u32) -> Option<u32> {
        // SAFETY: the schedule's threads are below the tables' size.
        unsafe {
            let at = (*self.next.add(thread as usize)).load(Ordering::Acquire);
            (at < *self.ends.add(thread as usize)).then(|| *self.own.add(at as usize))
        }
    }

    fn next(&self, thread: u32) -> Next {
        match self.own(thread).and_then(|at| Some((at, step(at)?))) {
            None if is_over() => Next::Over,
            None => Next::NotYet,
            Some((at, step)) if step.object == NO_OBJECT || self.taken(step.object) == self.turn(at) => {
                Next::Mine(at, step)
            }
            Some(_) => Next::NotYet,
        }
    }

    fn taken(&self, object: u32) -> u32 {
        // SAFETY: the schedule's objects are below the table's size.
        unsafe { (*self.taken.add(object as usize)).load(Ordering::Acquire) }
    }

    fn turn(&self, at: u32) -> u32 {
        // SAFETY: steps are below the table's size.
        unsafe { *self.turns.add(at as usize) }
    }

    fn take(&self, at: u32, step: Step) -> Option<u32> {
        // SAFETY: as above; only the thread itself moves its place, and only one has its turn on the object.
        let heir = unsafe {
            let next = &*self.next.add(step.thread as usize);
            next.store(next.load(Ordering::Relaxed) + 1, Ordering::Release);
            if step.object != NO_OBJECT {
                (*self.taken.add(step.object as usize)).store(self.turn(at) + 1, Ordering::Release);
            }
            *self.heirs.add(at as usize)
        };
        schedule::taken().fetch_add(1, Ordering::AcqRel);
        heir.checked_sub(1)
    }
}
