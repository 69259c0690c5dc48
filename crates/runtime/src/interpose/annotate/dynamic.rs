//! The dynamic annotations that Chromium, Abseil, LLVM, folly and others carry: `Annotate…(file, line, …)`.

use crate::op::access::{ignore, resume};
use crate::run::sync;
use crate::sink::lines::{READ, WRITE};
use crate::thread;
use crate::watch::{benign, names};
use core::ffi::{c_char, c_int};
use foretrace_event::LockClass;
use foretrace_event::wire::{LockArg, Op};

type File = *const c_char;

const LOCK: u64 = LockArg::blocking(LockClass::Annotated).encode();

exported! {
    /// Everything before is visible after the matching [`AnnotateHappensAfter`].
    fn AnnotateHappensBefore(_file: File, _line: c_int, at: usize) |pc| {
        sync(Op::Release, at, 0, pc);
    }

    /// See [`AnnotateHappensBefore`].
    fn AnnotateHappensAfter(_file: File, _line: c_int, at: usize) |pc| {
        sync(Op::Acquire, at, 0, pc);
    }

    /// WebKit's name for [`AnnotateHappensBefore`].
    fn WTFAnnotateHappensBefore(_file: File, _line: c_int, at: usize) |pc| {
        sync(Op::Release, at, 0, pc);
    }

    /// WebKit's name for [`AnnotateHappensAfter`].
    fn WTFAnnotateHappensAfter(_file: File, _line: c_int, at: usize) |pc| {
        sync(Op::Acquire, at, 0, pc);
    }

    /// A condition variable of the program's own is signalled.
    fn AnnotateCondVarSignal(_file: File, _line: c_int, at: usize) |pc| {
        sync(Op::Release, at, 0, pc);
    }

    /// As [`AnnotateCondVarSignal`], for all waiters.
    fn AnnotateCondVarSignalAll(_file: File, _line: c_int, at: usize) |pc| {
        sync(Op::Release, at, 0, pc);
    }

    /// A wait for a condition variable of the program's own is over.
    fn AnnotateCondVarWait(_file: File, _line: c_int, at: usize, _lock: usize) |pc| {
        sync(Op::Acquire, at, 0, pc);
    }

    /// Something is put into a queue of the program's own.
    fn AnnotatePCQPut(_file: File, _line: c_int, queue: usize) |pc| {
        sync(Op::Release, queue, 0, pc);
    }

    /// Something was taken out of a queue of the program's own.
    fn AnnotatePCQGet(_file: File, _line: c_int, queue: usize) |pc| {
        sync(Op::Acquire, queue, 0, pc);
    }

    /// A lock of the program's own begins its life.
    fn AnnotateRWLockCreate(_file: File, _line: c_int, lock: usize) |pc| {
        sync(Op::LockInit, lock, LOCK, pc);
    }

    /// As [`AnnotateRWLockCreate`], for a lock that needs no initialisation.
    fn AnnotateRWLockCreateStatic(_file: File, _line: c_int, lock: usize) |pc| {
        sync(Op::LockInit, lock, LOCK, pc);
    }

    /// A lock of the program's own ends its life.
    fn AnnotateRWLockDestroy(_file: File, _line: c_int, lock: usize) |pc| {
        sync(Op::LockDestroy, lock, LOCK, pc);
    }

    /// A lock of the program's own has been acquired.
    fn AnnotateRWLockAcquired(_file: File, _line: c_int, lock: usize, exclusive: isize) |pc| {
        sync(if exclusive != 0 { Op::Lock } else { Op::RdLock }, lock, LOCK, pc);
    }

    /// A lock of the program's own is about to be released.
    fn AnnotateRWLockReleased(_file: File, _line: c_int, lock: usize, _exclusive: isize) |pc| {
        sync(Op::Unlock, lock, LOCK, pc);
    }

    /// Reads that follow are of no interest.
    fn AnnotateIgnoreReadsBegin(_file: File, _line: c_int) {
        ignore(READ);
    }

    /// See [`AnnotateIgnoreReadsBegin`].
    fn AnnotateIgnoreReadsEnd(_file: File, _line: c_int) {
        resume(READ);
    }

    /// Writes that follow are of no interest.
    fn AnnotateIgnoreWritesBegin(_file: File, _line: c_int) {
        ignore(WRITE);
    }

    /// See [`AnnotateIgnoreWritesBegin`].
    fn AnnotateIgnoreWritesEnd(_file: File, _line: c_int) {
        resume(WRITE);
    }

    /// The current thread's name.
    fn AnnotateThreadName(_file: File, _line: c_int, name: *const c_char) {
        // SAFETY: the program passes a string.
        unsafe { names::name_thread(thread::current_id(), name) };
    }

    /// Accepted; see the module.
    fn AnnotateIgnoreSyncBegin(_file: File, _line: c_int) {}
    /// Accepted; see the module.
    fn AnnotateIgnoreSyncEnd(_file: File, _line: c_int) {}
    /// Races on the word at this address are harmless.
    fn AnnotateBenignRace(_file: File, _line: c_int, at: usize, _why: *const c_char) {
        benign::declare(at, size_of::<usize>());
    }

    /// Races on these bytes are harmless.
    fn AnnotateBenignRaceSized(_file: File, _line: c_int, at: usize, bytes: usize, _why: *const c_char) {
        benign::declare(at, bytes);
    }

    /// WebKit's name for [`AnnotateBenignRaceSized`].
    fn WTFAnnotateBenignRaceSized(_file: File, _line: c_int, at: usize, bytes: usize, _why: *const c_char) {
        benign::declare(at, bytes);
    }

    /// Accesses of all threads are of no interest, or are again. Operations are still recorded.
    fn AnnotateEnableRaceDetection(_file: File, _line: c_int, on: c_int) {
        benign::enable(on != 0);
    }

    /// Tests of detectors use it.
    fn AnnotateExpectRace(_file: File, _line: c_int, _at: usize, _why: *const c_char) {}
    /// Tests of detectors use it.
    fn AnnotateFlushExpectedRaces(_file: File, _line: c_int) {}
    /// There is no state to flush.
    fn AnnotateFlushState(_file: File, _line: c_int) {}
    /// Another detector's.
    fn AnnotateMemoryIsInitialized(_file: File, _line: c_int, _at: usize, _bytes: usize) {}
    /// Another detector's.
    fn AnnotateMemoryIsUninitialized(_file: File, _line: c_int, _at: usize, _bytes: usize) {}
    /// A hint to detectors that treat mutexes as plain order; this one does not.
    fn AnnotateMutexIsNotPHB(_file: File, _line: c_int, _mutex: usize) {}
    /// A hint to detectors that treat mutexes as plain order; this one does not.
    fn AnnotateMutexIsUsedAsCondVar(_file: File, _line: c_int, _mutex: usize) {}
    /// Allocation is seen without it.
    fn AnnotateNewMemory(_file: File, _line: c_int, _at: usize, _bytes: usize) {}
    /// Does nothing by definition.
    fn AnnotateNoOp(_file: File, _line: c_int, _at: usize) {}
    /// Queues need no preparation.
    fn AnnotatePCQCreate(_file: File, _line: c_int, _queue: usize) {}
    /// Queues need no end.
    fn AnnotatePCQDestroy(_file: File, _line: c_int, _queue: usize) {}
    /// Deprecated by its authors in favour of the pair of [`AnnotateHappensBefore`].
    fn AnnotatePublishMemoryRange(_file: File, _line: c_int, _at: usize, _bytes: usize) {}
    /// See [`AnnotatePublishMemoryRange`].
    fn AnnotateUnpublishMemoryRange(_file: File, _line: c_int, _at: usize, _bytes: usize) {}
    /// A debugging aid of another detector.
    fn AnnotateTraceMemory(_file: File, _line: c_int, _at: usize) {}

    /// Programs turn their annotations on if this is not zero, and some turn other things off. ThreadSanitizer says
    /// zero.
    fn RunningOnValgrind() -> c_int {
        0
    }

    /// How much slower than natively the program runs; ThreadSanitizer's answer, which timeouts are tuned to.
    fn ValgrindSlowdown() -> f64 {
        10.0
    }

    /// Answers no question.
    fn ThreadSanitizerQuery(_question: *const c_char) -> *const c_char {
        c"0".as_ptr()
    }
}

interpose! {
    fn pthread_setname_np(thread: libc::pthread_t, name: *const c_char) -> c_int {
        // SAFETY: the program's own arguments.
        unsafe {
            names::name_thread(thread::handle::by_handle(thread), name);
            real(thread, name)
        }
    }
}
