//! The checker finds what is wrong: one impossible history a rule, and the same one made possible.

mod common;

use common::Writer;
use foretrace_event::LockClass;
use foretrace_event::wire::{LockArg, Op};
use foretrace_trace::check::{self, Breach};

/// Operations of threads 0 and 1: thread, operation, object, argument.
type Ops<'a> = &'a [(u32, Op, u64, u64)];

fn breaches(ops: Ops<'_>) -> Vec<Breach> {
    let mut writer = Writer::new();
    for (thread, op, object, arg) in ops {
        writer.op(*thread, *op, *object, *arg);
    }
    let found = check::recording(&writer.recording()).expect("good records");
    found.into_iter().map(|violation| violation.breach).collect()
}

#[track_caller]
fn wrong(ops: Ops<'_>, breach: Breach) {
    assert_eq!(breaches(ops), [breach]);
}

#[track_caller]
fn right(ops: Ops<'_>) {
    assert_eq!(breaches(ops), []);
}

const M: u64 = 0x100;
const X: u64 = 0x200;

#[test]
fn threads_begin_and_end_in_order() {
    wrong(&[(2, Op::Start, 0, 0)], Breach::StartBeforeFork);
    wrong(&[(0, Op::Fork, 0, 1)], Breach::ForkTwice);
    wrong(&[(1, Op::Start, 0, 0)], Breach::LateStart);
    wrong(&[(1, Op::End, 0, 0), (1, Op::Fence, 0, 5)], Breach::AfterEnd);
    wrong(&[(0, Op::Join, 0, 1)], Breach::JoinBeforeEnd);
    right(&[(1, Op::End, 0, 0), (0, Op::Join, 0, 1)]);
}

#[test]
fn locks_exclude() {
    let recursive = LockArg::blocking(LockClass::Recursive).encode();
    let shared = LockArg::blocking(LockClass::RwLock).encode();
    wrong(&[(0, Op::Lock, M, 0), (1, Op::Lock, M, 0)], Breach::LockHeld);
    wrong(&[(0, Op::Lock, M, 0), (0, Op::Lock, M, 0)], Breach::LockHeld);
    wrong(&[(0, Op::RdLock, M, shared), (1, Op::Lock, M, shared)], Breach::LockHeld);
    wrong(&[(0, Op::Lock, M, shared), (1, Op::RdLock, M, shared)], Breach::LockHeld);
    wrong(&[(0, Op::Lock, M, 0), (0, Op::Unlock, M, 0), (0, Op::Unlock, M, 0)], Breach::NotHeld);
    right(&[(0, Op::Lock, M, recursive), (0, Op::Lock, M, recursive), (0, Op::Unlock, M, recursive)]);
    right(&[(0, Op::RdLock, M, shared), (1, Op::RdLock, M, shared)]);
    right(&[(0, Op::Lock, M, 0), (0, Op::Free, M - 8, 64), (1, Op::Lock, M, 0)]);
    right(&[(0, Op::Unlock, M, 0), (1, Op::Lock, M, 0)]);
}

#[test]
fn semaphores_stay_above_zero() {
    wrong(&[(0, Op::SemInit, X, 1), (0, Op::SemWait, X, 0), (1, Op::SemWait, X, 0)], Breach::SemaphoreZero);
    right(&[(0, Op::SemInit, X, 1), (0, Op::SemWait, X, 0), (1, Op::SemPost, X, 0), (1, Op::SemWait, X, 0)]);
}

#[test]
fn barriers_wait_for_all() {
    let init = (0, Op::BarrierInit, X, 2);
    let (enter, leave) = ((0, Op::BarrierEnter, X, 0), (0, Op::BarrierExit, X, 0));
    wrong(&[init, enter, leave], Breach::BarrierNotFull);
    wrong(&[init, leave], Breach::BarrierNotEntered);
    right(&[init, enter, (1, Op::BarrierEnter, X, 0), leave, (1, Op::BarrierExit, X, 0), enter]);
}

#[test]
fn waits_are_woken() {
    let wait = [(0, Op::Lock, M, 0), (0, Op::Unlock, M, 0), (0, Op::Wait, X, M), (0, Op::Lock, M, 0)];
    let signal = |op| [&[(1, op, X, 0)], &wait[..]].concat();
    wrong(&wait, Breach::WaitUnexplained);
    wrong(&[(1, Op::Signal, X, 0), (0, Op::Wait, X, M), (0, Op::Lock, M, 0)], Breach::StrayWait);
    wrong(
        &[&[(1, Op::Signal, X, 0)], &wait[..3], &[(0, Op::Fence, 0, 5), (0, Op::SemPost, X, 0)]].concat(),
        Breach::StrayWait,
    );
    right(&signal(Op::Signal));
    right(&signal(Op::Broadcast));
    let twice = [&signal(Op::Signal)[..], &wait[1..]].concat();
    wrong(&twice, Breach::WaitUnexplained);
    right(&[&signal(Op::Broadcast)[..], &wait[1..]].concat());
}

#[test]
fn initialisers_run_once() {
    let (run, done) = ((0, Op::OnceRun, X, 0), (0, Op::OnceDone, X, 0));
    wrong(&[run, done, (1, Op::OnceRun, X, 0)], Breach::OnceAgain);
    wrong(&[run, (1, Op::OnceDone, X, 0)], Breach::OnceNotRunning);
    wrong(&[run, (1, Op::OncePass, X, 0)], Breach::OnceNotDone);
    right(&[run, (0, Op::OnceAbort, X, 0), (1, Op::OnceRun, X, 0), (1, Op::OnceDone, X, 0), (0, Op::OncePass, X, 0)]);
}

#[test]
fn atomics_read_what_was_stored_last() {
    wrong(&[(0, Op::AtomicStore, X, 1), (1, Op::AtomicStore, X, 2), (0, Op::AtomicLoad, X, 1)], Breach::StaleValue);
    right(&[(0, Op::AtomicLoad, X, 7), (1, Op::AtomicRmw, X, 7), (0, Op::AtomicLoad, X, 0)]);
    right(&[(0, Op::AtomicStore, X, 1), (0, Op::Alloc, X, 64), (0, Op::AtomicLoad, X, 5)]);
}

#[test]
fn stamps_increase_within_a_thread() {
    let mut writer = Writer::new();
    writer.stamped(1, 50, Op::Fence).stamped(1, 50, Op::Fence);
    let found = check::recording(&writer.recording()).expect("good records");
    let breaches: Vec<_> =
        found.iter().map(|violation| (violation.thread, violation.stamp, violation.breach)).collect();
    assert_eq!(breaches, [(1, 50, Breach::StampOrder)]);
}
