//! Whether anything is recorded, from when, and the one way in for operations.
//!
//! ```text
//! Unknown ──init──▶ Armed ──first thread created──▶ Live: recorded, or taking part in gate and watch, or both
//!    └────────────▶ Off ◀──── no settings, no file, forked child
//! ```

pub mod ending;
pub mod modules;
pub mod process;
mod renew;
mod server;

use crate::axes::{self, *};
use crate::op::end::notice_end;
use crate::op::{self, lifetime, part, prelude};
use crate::sink::{places, recording};
use crate::sys::settings::{Accesses, Gate, Recording, Settings, Sink, Watch};
use crate::sys::{self, lineage, real};
use crate::thread::tls::Section;
use crate::watch::benign;
use core::sync::atomic::{AtomicBool, Ordering};
use foretrace_event::layout::Flags;
use foretrace_event::wire::Op;

/// The end of the process has been recorded.
static FINISHED: AtomicBool = AtomicBool::new(false);
/// Reads the settings. Called by constructors, and by whatever comes before them; too early a call does nothing.
pub fn init() {
    if STATE.load(Ordering::Relaxed) != UNKNOWN || !Settings::can_be_read() {
        return;
    }
    let _section = Section::nest();
    real::find_all();
    let settings = Settings::read().filter(|_| real::is_first_copy());
    let state = if settings.is_some() { ARMED } else { OFF };
    if let Some(Sink::Recording(recording)) = settings.as_ref().map(|settings| settings.sink) {
        EVERY.store(recording.accesses >= Accesses::Every, Ordering::Relaxed);
        PLACES.store(recording.accesses >= Accesses::ByPlace, Ordering::Relaxed);
    }
    let watch = settings.as_ref().map_or(Watch::Nothing, |settings| settings.watch);
    if let Some(linger) = settings.as_ref().and_then(|settings| settings.linger) {
        ending::set_linger(linger);
    }
    if settings.as_ref().is_some_and(|settings| matches!(settings.gate, Gate::Controlled { .. })) {
        sys::map_apart();
        // Threads share one heap: what is where does not depend on who asks first, and threads begin faster.
        process::use_one_heap();
    }
    WATCH.store(watch as u8, Ordering::Relaxed);
    *SETTINGS.lock() = settings;
    STATE.store(state, Ordering::Release);
    crate::cxx::calls::watch_all();
}

/// The program has been loaded: if it is to be recorded from its beginning, that is now.
pub fn begin_early() {
    if STATE.load(Ordering::Acquire) != ARMED {
        return;
    }
    let early = SETTINGS.lock().as_ref().is_some_and(|settings| settings.early && settings.is_started());
    if early {
        begin_with_first();
    }
}

/// Instrumented code has announced itself.
pub fn set_instrumented() {
    if !INSTRUMENTED.swap(true, Ordering::Relaxed) && axes::is_recording() {
        recording::set_flag(Flags::ACCESSES);
    }
}

/// Records an operation of the current thread, done at `pc`, at this moment. Inlined, because the operation is a constant
/// wherever this is called, and what does not concern it goes away.
#[inline(always)]
pub fn sync(op: Op, object: usize, arg: u64, pc: usize) {
    if lifetime::is_apart(op) || !op::record_plainly(op, object, arg, pc) {
        sync_in_full(op, object, arg, pc);
    }
}

/// The same, of whatever thread.
#[inline(always)]
fn sync_in_full(op: Op, object: usize, arg: u64, pc: usize) {
    if lifetime::is_before(op) && !(axes::only_records() && lifetime::is_use(op, arg)) {
        lifetime::note(op, object, arg, pc);
    }
    record(op, object, arg, pc);
    if lifetime::is_after(op) {
        lifetime::note(op, object, arg, pc);
    }
}

/// An attempt to take a mutex has failed because that is taken. A thread that repeats it is polling.
pub fn failed_try(mutex: usize, arg: u64, pc: usize) {
    match STATE.load(Ordering::Acquire) {
        state if state >= LIVE => op::failed_try(mutex, arg, pc),
        _ => sync(Op::FailedLock, mutex, arg, pc),
    }
}

/// A signal or broadcast of a replay, which `real` gives.
pub fn replay_signal(op: Op, cond: usize, pc: usize, real: impl FnOnce()) {
    lifetime::note(op, cond, 0, pc);
    part::signal(op, cond, pc, real);
}

/// A wait on a condition variable begins in a replay.
pub fn replay_unlock_to_wait(lock: usize, arg: u64, cond: usize, pc: usize) {
    lifetime::note(Op::Unlock, lock, arg, pc);
    part::unlock_to_wait(lock, arg, cond, pc);
}

#[inline]
fn record(op: Op, object: usize, arg: u64, pc: usize) {
    match STATE.load(Ordering::Acquire) {
        state if state >= LIVE => op::sync(op, object, arg, pc),
        ARMED => prelude::note(op, object, arg, pc),
        _ => {}
    }
}

/// The program is about to create a thread.
#[inline]
pub fn begin() {
    if axes::is_recording() && !lineage::is_own() {
        leave();
    }
    if STATE.load(Ordering::Acquire) == ARMED {
        begin_with_first();
    }
}

/// The thread is the first. Kept out of line so that threads with small stacks do not pay for it.
#[cold]
#[inline(never)]
fn begin_with_first() {
    let section = Section::nest();
    // Threads look into the side files' directory meanwhile: the lock is not held.
    let mut settings = SETTINGS.lock().take();
    let begun = settings.as_mut().map_or(OFF, open);
    *SETTINGS.lock() = settings;
    if begun == OFF {
        return STATE.store(OFF, Ordering::Release);
    }
    if is_server() && !server::serve() {
        return STATE.store(OFF, Ordering::Release);
    }
    if begun & RECORDED != 0 {
        if axes::is_instrumented() {
            recording::set_flag(Flags::ACCESSES);
        }
        if axes::keeps_places() {
            recording::set_flag(Flags::LOCATIONS);
        }
    }
    // At a gate, a thread is in no section.
    let _section = Some(section).filter(|_| begun & TAKES_PART == 0);
    begin_live(begun);
}

/// Is the program run again and again?
fn is_server() -> bool {
    let settings = SETTINGS.lock();
    settings.as_ref().is_some_and(|settings| matches!(settings.gate, Gate::Controlled { server: true, .. }))
}

/// Opens what the three axes need; what the state is from now on.
fn open(settings: &mut Settings) -> u8 {
    let mut state = LIVE;
    if (settings.gate, settings.watch) != (Gate::Free, Watch::Nothing) {
        if let Err(why) = part::open(settings) {
            // It is another process of the same run that is replayed.
            if why != libc::EEXIST {
                sys::write(2, b"foretrace: there is no schedule to replay; the program runs free\n");
            }
            return OFF;
        }
        state |= TAKES_PART;
    }
    if let Sink::Recording(how) = settings.sink
        && create(settings, how)
    {
        state |= RECORDED;
    }
    if state == LIVE { OFF } else { state }
}

fn begin_live(state: u8) {
    if state & TAKES_PART != 0 {
        // The first thread passes gates, for which it must be live.
        STATE.store(state, Ordering::Release);
    }
    let main = if state & RECORDED != 0 { recording::next_thread() } else { 0 };
    if !is_server() {
        modules::write();
    }
    op::begin_first(main);
    STATE.store(state, Ordering::Release);
    notice_end();
    if state & RECORDED != 0 {
        benign::write();
    }
    process::watch();
    server::stand();
    crate::gate::controlled::begin();
}

/// The program is about to give up system calls that the recorder needs. The one that the command line tool has started
/// is recorded from here on, while that can be begun; others might take its place without ever making a thread, and are not.
pub fn before_filter() {
    if STATE.load(Ordering::Acquire) == ARMED {
        let settings = SETTINGS.lock();
        let begins = settings.as_ref().is_some_and(|it| it.gate != Gate::Free || it.follow || it.is_started());
        drop(settings);
        if begins { begin_with_first() } else { STATE.store(OFF, Ordering::Release) }
    }
    if axes::is_recording() && lineage::is_own() {
        let _section = Section::nest();
        modules::write();
        recording::keep_room();
        crate::memory::arena::keep_room();
    }
}

/// The recording's files, or a child's. If another process was faster than the one that the command line tool has started,
/// that one's are a child's.
fn create(settings: &mut Settings, how: Recording) -> bool {
    let result = match recording::create(settings, how) {
        Err(libc::EEXIST) if settings.follow || settings.is_started() => {
            settings.enter_child_dir(sys::pid());
            recording::create(settings, how)
        }
        result => result,
    };
    match result {
        Ok(()) => {
            places::write();
            true
        }
        // Another process of the same run is being recorded.
        Err(libc::EEXIST) => false,
        Err(why) => {
            // A directory can be made even where no file can be opened or written.
            settings.mark_unwritten(why);
            sys::write(2, b"foretrace: cannot write the recording; the program runs on unrecorded\n");
            false
        }
    }
}

/// A child that has the process's memory is not the process.
fn is_recorded_process() -> bool {
    match sys::pid() {
        0 => lineage::is_own(),
        pid => recording::is_of(pid),
    }
}

/// The process is about to end in an orderly way: `main` has returned, or a thread has called `exit`. Functions that are
/// called at exit come after this. A child of `vfork` that ends is not the process.
pub fn finish(status: i32, pc: usize) {
    let is_own = axes::is_live() && (!axes::is_recording() || is_recorded_process());
    if !is_own || FINISHED.swap(true, Ordering::Relaxed) {
        return;
    }
    if part::is_controlled() {
        op::in_gate::leave(pc);
        part::finish();
    } else if axes::is_replaying() {
        ending::await_others_in_replay(false);
        part::finish();
    } else {
        ending::await_others();
    }
    if axes::is_recording() {
        modules::write();
        sync(Op::Exit, 0, u64::from(status as u32), pc);
        recording::close();
    }
}

/// Functions that are called at exit have been called.
pub fn last_moment() {
    if axes::is_replaying() {
        if !part::is_controlled() {
            ending::await_others_in_replay(true);
        }
        part::finish();
    }
}

/// In a forked child.
fn reset() {
    FINISHED.store(false, Ordering::Relaxed);
}
at_fork!(reset);
