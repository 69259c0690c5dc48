//! Waits for files: `poll` and its like, and message queues. A thread waits in the gate until one of the files can be used; only
//! then, or when its time has passed, the kernel is asked.

use super::files;
use crate::gate::controlled::Request;
use crate::gate::limit::SECOND;
use crate::gate::{clock, controlled};
use crate::op::{cancel, part};
use crate::sys::Files;
use crate::thread::waiting::Waiting;
use crate::thread::{self, Thread};
use core::ffi::{c_int, c_short};
use foretrace_event::visible::{ObjectId, OpKind, Operation};
use foretrace_event::wire::Op;
use libc::{fd_set, pollfd, timespec, timeval};

/// Looks at the files, and waits until one of them can be used.
pub fn await_files(player: &'static Thread, files: Files, pc: usize) {
    while !look(player, files, pc) {
        let channels = channels(files);
        let (first, count) = (channels.clone().next().unwrap_or(0), channels.count());
        let spin = match count {
            1 => Operation::new(OpKind::Spin, first).with(1),
            _ => Operation::new(OpKind::Spin, ObjectId::NONE.0).with(count as u64),
        };
        await_one(player, spin, files, pc);
    }
}

/// Can one of the files be used? That depends on what others have done with each of them.
fn look(player: &'static Thread, files: Files, pc: usize) -> bool {
    for channel in channels(files) {
        controlled::ask(player, Operation::new(OpKind::Load, channel).with(1), false, pc);
    }
    files.are_ready(false)
}

/// The objects that stand for files.
fn channels(files: Files) -> impl Iterator<Item = u64> + Clone {
    // SAFETY: the array stays as it is as long as the thread waits.
    (0..files.count).filter_map(move |index| files::blocking(unsafe { (*files.at.add(index)).fd }))
}

/// How long a thread may wait, in nanoseconds; none: for ever.
pub type Time = Option<i64>;

/// The time of `poll`.
pub const fn milliseconds(time: c_int) -> Time {
    if time < 0 { None } else { Some(time as i64 * (SECOND / 1000)) }
}

/// The time of `ppoll` and others.
///
/// # Safety
/// It is null or points to a time.
pub unsafe fn time(time: *const timespec) -> Time {
    // SAFETY: as the caller says.
    let time = unsafe { time.as_ref() }?;
    Some(time.tv_sec.saturating_mul(SECOND).saturating_add(time.tv_nsec))
}

/// The time of `select`.
///
/// # Safety
/// It is null or points to a time.
pub unsafe fn time_of_select(time: *const timeval) -> Time {
    // SAFETY: as the caller says.
    let time = unsafe { time.as_ref() }?;
    Some(time.tv_sec.saturating_mul(SECOND).saturating_add(time.tv_usec.saturating_mul(1000)))
}

/// A thread is about to wait for files until a time has passed. Does the gate decide? Then the kernel need not wait.
pub fn wait(files: Files, time: Time, pc: usize) -> bool {
    let Some(player) = thread::taking_part().filter(|_| controlled::asks()) else { return false };
    part::flush(player);
    match time {
        None => await_files(player, files, pc),
        Some(time) => {
            if !look(player, files, pc) && time > 0 {
                pass(player, time, pc);
            }
        }
    }
    true
}

/// The same for the descriptor of `epoll`.
pub fn wait_by(fd: c_int, time: Time, pc: usize) -> bool {
    files::note_many();
    let mut file = pollfd { fd, events: libc::POLLIN, revents: 0 };
    wait(Files { at: &raw mut file, count: 1 }, time, pc)
}

/// The most files of `select` that are waited for in the gate.
const MOST: usize = 64;

/// The same for the sets of `select`: what is to be read, and what is to be written.
///
/// # Safety
/// The sets are null, or have so many bits.
pub unsafe fn wait_for_sets(count: c_int, sets: [*const fd_set; 2], time: Time, pc: usize) -> bool {
    let mut files = [pollfd { fd: -1, events: 0, revents: 0 }; MOST];
    let mut used = 0;
    for fd in 0..count.max(0) {
        // SAFETY: as the caller says.
        let is_in = |set: *const fd_set| !set.is_null() && unsafe { libc::FD_ISSET(fd, set) };
        let bit = |set: *const fd_set, events: c_short| if is_in(set) { events } else { 0 };
        let events = bit(sets[0], libc::POLLIN) | bit(sets[1], libc::POLLOUT);
        if events != 0 {
            let Some(file) = files.get_mut(used) else { return false };
            *file = pollfd { fd, events, revents: 0 };
            used += 1;
        }
    }
    wait(Files { at: files.as_mut_ptr(), count: used }, time, pc)
}

/// Waits until one of the files can be used, or until somebody else has changed what the operation is about.
fn await_one(player: &'static Thread, spin: Operation, files: Files, pc: usize) {
    player.set_waiting(Some(Waiting::new(Op::AtomicLoad, spin.object.0 as usize, 0, pc)));
    cancel::ask(player, Request { files: Some(files), ..Request::new(spin, pc) });
    player.set_waiting(None);
}

/// A thread is about to send a message to a queue, or to take one: both change the queue, and wait until they can, or for so
/// long. False: it could not until then.
pub fn before_queue(fd: c_int, events: c_short, time: Time, pc: usize) -> bool {
    let Some(player) = thread::taking_part().filter(|_| controlled::asks()) else { return true };
    part::flush(player);
    let mut file = pollfd { fd, events, revents: 0 };
    let files = Files { at: &raw mut file, count: 1 };
    let operation = |kind| Operation::new(kind, files::MESSAGES).with(1);
    let mut left = time;
    loop {
        controlled::ask(player, operation(OpKind::Load), false, pc);
        if files.are_ready(false) {
            controlled::ask(player, operation(OpKind::Store), false, pc);
            if files.are_ready(false) {
                // What is noted of the message belongs to this step.
                player.asked.set(true);
                return true;
            }
        }
        match left {
            None => await_one(player, operation(OpKind::Spin), files, pc),
            Some(..=0) => return false,
            Some(time) => pass(player, time, pc),
        }
        left = left.map(|_| 0);
    }
}

/// Lets a time pass, in which others may do something.
fn pass(player: &'static Thread, time: i64, pc: usize) {
    cancel::ask(player, Request::new(Operation::new(OpKind::Yield, 0), pc));
    clock::pass(time);
}

/// The thread has got no message.
pub fn no_message() {
    if let Some(player) = thread::taking_part() {
        player.asked.set(false);
    }
}

/// What an attempt came to that does not wait.
pub enum Attempt<R> {
    /// It is done, or has failed for good.
    Done(R),
    /// It would have to wait.
    NotYet,
}

/// A thread is about to change something that may have to wait for others, such as a queue. Between attempts it waits in the
/// gate until another has changed the same, or until one of the files can be used, if something may come from outside. None:
/// the gate does not decide.
pub fn until_done<R>(object: u64, files: Option<Files>, pc: usize, attempt: impl Fn() -> Attempt<R>) -> Option<R> {
    let player = thread::taking_part().filter(|_| controlled::asks())?;
    let operation = |kind| Operation::new(kind, object).with(1);
    part::flush(player);
    loop {
        controlled::ask(player, operation(OpKind::Update), false, pc);
        if let Attempt::Done(result) = attempt() {
            player.asked.set(true);
            return Some(result);
        }
        controlled::amend(operation(OpKind::UpdateFailed));
        match files {
            Some(files) => await_one(player, operation(OpKind::Spin), files, pc),
            None => {
                player.set_waiting(Some(Waiting::new(Op::AtomicLoad, object as usize, 0, pc)));
                cancel::ask(player, Request::new(operation(OpKind::Spin), pc));
                player.set_waiting(None);
            }
        }
    }
}

/// The same for so long. None: the gate does not decide.
pub fn done_within<R>(object: u64, time: i64, pc: usize, attempt: impl Fn() -> Attempt<R>) -> Option<Attempt<R>> {
    let player = thread::taking_part().filter(|_| controlled::asks())?;
    part::flush(player);
    let once = || {
        controlled::ask(player, Operation::new(OpKind::Update, object).with(1), false, pc);
        let outcome = attempt();
        match outcome {
            Attempt::Done(_) => player.asked.set(true),
            Attempt::NotYet => controlled::amend(Operation::new(OpKind::UpdateFailed, object).with(1)),
        }
        outcome
    };
    match once() {
        Attempt::NotYet if time > 0 => {
            pass(player, time, pc);
            Some(once())
        }
        outcome => Some(outcome),
    }
}

/// A thread is about to change something that others wait for in [`until_done`].
pub fn before_change(object: u64, pc: usize) {
    if let Some(player) = thread::taking_part().filter(|_| controlled::asks()) {
        part::flush(player);
        controlled::ask(player, Operation::new(OpKind::Store, object).with(1), false, pc);
    }
}
