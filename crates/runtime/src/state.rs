//! Whether anything is recorded, from when, and the one way in for operations.
//!
//! ```text
//! Unknown ──init──▶ Armed ──first thread created──▶ Recording, or Replaying
//!    └────────────▶ Off ◀──── no settings, no file, forked child
//! ```

use crate::interpose::thread::notice_end;
use crate::settings::Settings;
use crate::spin::Spin;
use crate::tls::{Section, tls};
use crate::{benign, ending, lifetime, lineage, modules, prelude, real, recording, replay, sys, thread};
use core::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use foretrace_event::layout::Flags;
use foretrace_event::wire::Op;

const UNKNOWN: u8 = 0;
const OFF: u8 = 1;
const ARMED: u8 = 2;
const RECORDING: u8 = 3;
const REPLAYING: u8 = 4;

static STATE: AtomicU8 = AtomicU8::new(UNKNOWN);
static SETTINGS: Spin<Option<Settings>> = Spin::new(None);
static PLACES: AtomicBool = AtomicBool::new(false);
static EVERY: AtomicBool = AtomicBool::new(false);
/// There will be a replay that examines accesses one by one, and there is none yet.
static WILL_REPLAY: AtomicBool = AtomicBool::new(false);
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
    let every = settings.as_ref().is_some_and(|settings| settings.every);
    EVERY.store(every, Ordering::Relaxed);
    PLACES.store(every || settings.as_ref().is_some_and(|settings| settings.locations), Ordering::Relaxed);
    let exact = settings.as_ref().is_some_and(|settings| settings.replay && settings.exact);
    WILL_REPLAY.store(exact, Ordering::Relaxed);
    *SETTINGS.lock() = settings;
    STATE.store(state, Ordering::Release);
    crate::calls::watch_all();
}

/// Is a replay to come that will want to know where memory comes from?
#[inline]
pub fn will_replay() -> bool {
    WILL_REPLAY.load(Ordering::Relaxed) && STATE.load(Ordering::Acquire) == ARMED
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

/// Is a schedule being enforced, or has one been?
#[inline]
pub fn is_replaying() -> bool {
    STATE.load(Ordering::Acquire) == REPLAYING
}

/// Do operations count: are they being written, or is a schedule of them enforced?
#[inline]
pub fn is_live() -> bool {
    STATE.load(Ordering::Acquire) >= RECORDING
}

/// Are operations being written?
#[inline]
pub fn is_recording() -> bool {
    STATE.load(Ordering::Acquire) == RECORDING
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
        RECORDING => {
            let Some(_section) = Section::enter() else { return };
            adopt();
            if let Some(thread) = thread::current() {
                thread.failed_try(mutex, arg, pc);
            }
        }
        REPLAYING => replay::polling::failed_try(mutex, arg, pc),
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
        RECORDING => {
            let Some(_section) = Section::enter() else { return };
            adopt();
            if let Some(thread) = thread::current() {
                thread.sync(op, object, arg, pc);
            }
        }
        ARMED => prelude::note(op, object, arg, pc),
        REPLAYING => replay::sync(op, object, arg, pc),
        _ => {}
    }
}

/// A thread that was not created through us, such as one of libc's own helpers, gets a recorder when it first does
/// something.
#[inline]
pub fn adopt() {
    let tls = tls();
    if tls.thread.get().is_null() && !tls.ended.get() {
        thread::begin(recording::next_thread());
        thread::name_handle(thread::handle(), tls_id());
        notice_end();
    }
}

fn tls_id() -> u32 {
    thread::current().map_or(0, |thread| thread.id)
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

/// The thread is the first. What this takes of the stack, threads with a small one must not pay for.
#[cold]
#[inline(never)]
fn begin_with_first() {
    if SETTINGS.lock().as_ref().is_some_and(|settings| settings.replay) {
        return begin_replaying();
    }
    let _section = Section::nest();
    let created = match SETTINGS.lock().as_mut() {
        Some(settings) => create(settings),
        None => false,
    };
    if !created {
        return STATE.store(OFF, Ordering::Release);
    }
    if is_instrumented() {
        recording::set_flag(Flags::ACCESSES);
    }
    if keeps_places() {
        recording::set_flag(Flags::LOCATIONS);
    }
    let main = recording::next_thread();
    thread::begin(main);
    thread::name_handle(thread::handle(), main);
    notice_end();
    if let Some(thread) = thread::current() {
        prelude::replay(|op, object, arg, pc| thread.sync(op, object, arg, pc));
    }
    STATE.store(RECORDING, Ordering::Release);
    modules::write();
    benign::write();
    crate::interpose::process::watch();
}

/// The program is about to give up system calls that the recorder needs. The one that the command line tool has started
/// is recorded from here on, while that can be begun; others might take its place without ever making a thread, and are not.
pub fn before_filter() {
    if STATE.load(Ordering::Acquire) == ARMED {
        let settings = SETTINGS.lock();
        let begins = settings.as_ref().is_some_and(|it| it.replay || it.follow || it.is_started());
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

fn begin_replaying() {
    // Threads of the replay look into the side files' directory, too: the lock is not held meanwhile.
    let settings = SETTINGS.lock().take();
    let begun = settings.as_ref().map_or(Err(libc::ENOENT), replay::open);
    *SETTINGS.lock() = settings;
    if let Err(why) = begun {
        // It is another process of the same run that is replayed.
        if why != libc::EEXIST {
            sys::write(2, b"foretrace: there is no schedule to replay; the program runs free\n");
        }
        return STATE.store(OFF, Ordering::Release);
    }
    STATE.store(REPLAYING, Ordering::Release);
    modules::write();
    crate::interpose::process::watch();
    replay::begin();
    notice_end();
}

/// The recording's files, or a child's. If another process was faster than the one that the command line tool has started,
/// that one's are a child's.
fn create(settings: &mut Settings) -> bool {
    let result = match recording::create(settings) {
        Err(libc::EEXIST) if settings.follow || settings.is_started() => {
            settings.enter_child_dir(sys::pid());
            recording::create(settings)
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
    if is_replaying() && !FINISHED.swap(true, Ordering::Relaxed) {
        ending::await_others_in_replay(false);
        replay::finish();
    }
    if is_recording() && is_recorded_process() && !FINISHED.swap(true, Ordering::Relaxed) {
        ending::await_others();
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
    tls().player.set(core::ptr::null_mut());
    let follow = SETTINGS.lock().as_ref().is_some_and(|settings| settings.follow);
    let state = if follow { ARMED } else { OFF };
    FINISHED.store(false, Ordering::Relaxed);
    if STATE.swap(state, Ordering::AcqRel) == RECORDING {
        recording::abandon();
    }
}
