//! Whether anything is recorded, from when, and the one way in for operations.
//!
//! ```text
//! Unknown ──init──▶ Armed ──first thread created──▶ Live: recorded, or taking part in gate and watch, or both
//!    └────────────▶ Off ◀──── no settings, no file, forked child
//! ```

use crate::interpose::thread::notice_end;
use crate::settings::{Accesses, Gate, Recording, Settings, Sink, Watch};
use crate::spin::Spin;
use crate::tls::{Section, tls};
use crate::{benign, ending, lifetime, lineage, modules, op, prelude, real, recording, replay, sys, thread};
use core::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use foretrace_event::layout::Flags;
use foretrace_event::wire::Op;

const UNKNOWN: u8 = 0;
const OFF: u8 = 1;
const ARMED: u8 = 2;
/// From here on the program is live.
const LIVE: u8 = 4;
/// Live, and operations are written down.
const RECORDED: u8 = 8;
/// Live, and threads take part in the gate or in the watch.
const TAKES_PART: u8 = 16;

static STATE: AtomicU8 = AtomicU8::new(UNKNOWN);
static SETTINGS: Spin<Option<Settings>> = Spin::new(None);
static PLACES: AtomicBool = AtomicBool::new(false);
static EVERY: AtomicBool = AtomicBool::new(false);
/// What is checked, from the first thread on.
static WATCH: AtomicU8 = AtomicU8::new(Watch::Nothing as u8);
/// The end of the process has been recorded.
static FINISHED: AtomicBool = AtomicBool::new(false);
/// Instrumented code is part of the program.
static INSTRUMENTED: AtomicBool = AtomicBool::new(false);

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
    WATCH.store(watch as u8, Ordering::Relaxed);
    *SETTINGS.lock() = settings;
    STATE.store(state, Ordering::Release);
    crate::calls::watch_all();
}

/// Will accesses be examined one by one, so that it matters where memory comes from, and are they not yet?
#[inline]
pub fn will_watch_accesses() -> bool {
    watches_accesses() && STATE.load(Ordering::Acquire) == ARMED
}

/// Is each access examined?
#[inline]
pub fn watches_accesses() -> bool {
    WATCH.load(Ordering::Relaxed) == Watch::Accesses as u8
}

/// Are accesses examined when their segment ends?
#[inline]
pub fn watches_segments() -> bool {
    WATCH.load(Ordering::Relaxed) == Watch::Segments as u8
}

/// The return address of the interposed function that runs.
#[inline(always)]
pub fn caller() -> usize {
    tls().caller.get()
}

/// Is the program recorded, from now or from its first thread on?
#[inline]
pub fn is_on() -> bool {
    STATE.load(Ordering::Acquire) >= ARMED
}

/// Do threads take part in the gate or in the watch?
#[inline]
pub fn is_replaying() -> bool {
    STATE.load(Ordering::Acquire) & TAKES_PART != 0
}

/// Do operations count for the gate, the sink or the watch?
#[inline]
pub fn is_live() -> bool {
    STATE.load(Ordering::Acquire) >= LIVE
}

/// Are operations being written?
#[inline]
pub fn is_recording() -> bool {
    STATE.load(Ordering::Acquire) & RECORDED != 0
}

/// Are accesses kept apart by program counter?
pub fn keeps_places() -> bool {
    PLACES.load(Ordering::Relaxed)
}

/// Is each access a record of its own?
pub fn keeps_every_access() -> bool {
    EVERY.load(Ordering::Relaxed)
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
    if !INSTRUMENTED.swap(true, Ordering::Relaxed) && is_recording() {
        recording::set_flag(Flags::ACCESSES);
    }
}

/// Is there instrumented code in the program? If not, memory is of no interest.
#[inline]
pub fn is_instrumented() -> bool {
    INSTRUMENTED.load(Ordering::Relaxed)
}

/// Records an operation of the current thread, done at `pc`, at this moment.
#[inline]
pub fn sync(op: Op, object: usize, arg: u64, pc: usize) {
    if lifetime::is_before(op) {
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
        _ => sync(Op::LockFailed, mutex, arg, pc),
    }
}

/// A signal or broadcast of a replay, which `real` gives.
pub fn replay_signal(op: Op, cond: usize, pc: usize, real: impl FnOnce()) {
    lifetime::note(op, cond, 0, pc);
    replay::signal(op, cond, pc, real);
}

/// A wait on a condition variable begins in a replay.
pub fn replay_unlock_to_wait(lock: usize, arg: u64, cond: usize, pc: usize) {
    lifetime::note(Op::Unlock, lock, arg, pc);
    replay::unlock_to_wait(lock, arg, cond, pc);
}

#[inline]
fn record(op: Op, object: usize, arg: u64, pc: usize) {
    match STATE.load(Ordering::Acquire) {
        state if state >= LIVE => op::sync(op, object, arg, pc),
        ARMED => prelude::note(op, object, arg, pc),
        _ => {}
    }
}

/// A thread that was not created through us, such as one of libc's own helpers, gets an object when it first does
/// something. Under a schedule it is left alone.
#[inline]
pub fn adopt() {
    let tls = tls();
    if tls.thread.get().is_null() && !tls.ended.get() {
        op::begin_thread(recording::next_thread(), u32::MAX);
        notice_end();
    }
}

/// The program is about to create a thread.
#[inline]
pub fn begin() {
    if is_recording() && !lineage::is_own() {
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
    if begun & RECORDED != 0 {
        if is_instrumented() {
            recording::set_flag(Flags::ACCESSES);
        }
        if keeps_places() {
            recording::set_flag(Flags::LOCATIONS);
        }
    }
    // At a gate, a thread is in no section.
    let _section = Some(section).filter(|_| begun & TAKES_PART == 0);
    begin_live(begun);
}

/// Opens what the three axes need; what the state is from now on.
fn open(settings: &mut Settings) -> u8 {
    let mut state = LIVE;
    if (settings.gate, settings.watch) != (Gate::Free, Watch::Nothing) {
        if let Err(why) = replay::open(settings) {
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
    modules::write();
    op::begin_first(main);
    STATE.store(state, Ordering::Release);
    notice_end();
    if state & RECORDED != 0 {
        benign::write();
    }
    crate::interpose::process::watch();
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
    if is_recording() && lineage::is_own() {
        let _section = Section::nest();
        modules::write();
        recording::keep_room();
        crate::arena::keep_room();
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
        Ok(()) => true,
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

/// Opens one of the recording's side files for appending.
pub fn side_file(name: &[u8]) -> Option<i32> {
    let settings = SETTINGS.lock();
    sys::open(&settings.as_ref()?.path(name), libc::O_WRONLY | libc::O_CREAT | libc::O_APPEND | libc::O_NOFOLLOW, 0o600)
        .ok()
}

/// Opens one of the recording's own files, which is there.
pub fn own_file(name: &[u8]) -> Option<i32> {
    let settings = SETTINGS.lock();
    sys::open(&settings.as_ref()?.path(name), libc::O_RDWR | libc::O_NOFOLLOW, 0).ok()
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
    let is_own = is_live() && (!is_recording() || is_recorded_process());
    if !is_own || FINISHED.swap(true, Ordering::Relaxed) {
        return;
    }
    if is_replaying() {
        ending::await_others_in_replay(false);
        replay::finish();
    } else {
        ending::await_others();
    }
    if is_recording() {
        modules::write();
        sync(Op::Exit, 0, u64::from(status as u32), pc);
        recording::close();
    }
}

/// Functions that are called at exit have been called.
pub fn last_moment() {
    if is_replaying() {
        ending::await_others_in_replay(true);
        replay::finish();
    }
}

/// In a forked child: the recording is the parent's. If processes are followed, the child's begins with its first
/// thread.
pub fn leave() {
    SETTINGS.reset();
    thread::reset_locks();
    prelude::forget();
    crate::arena::reset_locks();
    crate::hooks::atomic::reset_locks();
    crate::callers::reset_locks();
    benign::reset_locks();
    crate::unseen::reset_locks();
    crate::names::reset_locks();
    crate::places::reset_locks();
    crate::interpose::libatomic::reset_locks();
    crate::interpose::fd::channel::reset_locks();
    crate::interpose::annotate::reset_locks();
    crate::interpose::semaphore::reset_locks();
    crate::interpose::limit::reset_locks();
    crate::interpose::signal::reset_locks();
    crate::interpose::sending::reset_locks();
    crate::interpose::quarantine::reset_locks();
    thread::detach();
    let follow = SETTINGS.lock().as_ref().is_some_and(|settings| settings.follow);
    let state = if follow { ARMED } else { OFF };
    FINISHED.store(false, Ordering::Relaxed);
    if STATE.swap(state, Ordering::AcqRel) & RECORDED != 0 {
        recording::abandon();
    }
}
