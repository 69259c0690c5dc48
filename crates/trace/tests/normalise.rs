//! From recordings to traces: what is matched, assumed, distinguished and repaired.

mod common;

use common::Writer;
use foretrace_event::wire::{LockArg, Op};
use foretrace_event::{Event, EventId, LockClass, LockId, ThreadId};
use foretrace_trace::{Illegal, Note, Trace, check};

/// Its trace, which must be legal.
fn trace(writer: Writer) -> Trace {
    let trace = writer.recording().trace().expect("good records");
    assert_eq!(check::trace(&trace), []);
    trace
}

fn events(trace: &Trace, thread: u32) -> Vec<Event> {
    trace.events(ThreadId(thread)).collect()
}

#[test]
fn a_lock_held_since_before_the_recording_is_locked_first() {
    let mut writer = Writer::new();
    writer.op(0, Op::Unlock, 0x100, 0).op(1, Op::Lock, 0x100, 0).op(1, Op::Unlock, 0x100, 0);
    let trace = trace(writer);
    assert!(matches!(events(&trace, 0)[..], [Event::Start, Event::Lock(..), Event::Fork(_), Event::Unlock(_)]));
    assert_eq!(trace.notes(), [Note::HeldBefore { locks: 1 }]);
}

#[test]
fn a_lock_is_another_after_its_end_or_the_end_of_its_memory() {
    let mut writer = Writer::new();
    let use_it = |writer: &mut Writer| {
        writer.op(0, Op::Lock, 0x100, 0).op(0, Op::Unlock, 0x100, 0);
    };
    use_it(&mut writer);
    writer.op(0, Op::LockDestroy, 0x100, 0);
    use_it(&mut writer);
    writer.op(0, Op::Free, 0x80, 0x100);
    use_it(&mut writer);
    writer.op(0, Op::LockInit, 0x100, LockArg::blocking(LockClass::Recursive).encode());
    use_it(&mut writer);
    use_it(&mut writer);
    assert_eq!(trace(writer).locks().len(), 4);
}

#[test]
fn an_operation_that_was_undone_did_not_happen() {
    let mut writer = Writer::new();
    writer.op(0, Op::Unlock, 0x100, 0).op(0, Op::Undo, 0, 0).op(0, Op::Fork, 0, 2).op(0, Op::Undo, 0, 0);
    let trace = trace(writer);
    assert_eq!(events(&trace, 0), [Event::Start, Event::Fork(ThreadId(1))]);
    assert_eq!(trace.notes(), []);
}

#[test]
fn memory_that_is_used_again_is_not_the_memory_it_was() {
    let mut writer = Writer::new();
    writer.op(1, Op::Alloc, 0x4000, 64).write(1, 0x4000).op(1, Op::Free, 0x4000, 64);
    writer.op(0, Op::Alloc, 0x4000, 64).write(0, 0x4000).op(0, Op::Free, 0x4000, 64);
    assert_eq!(trace(writer).intervals().len(), 0);
    let mut writer = Writer::new();
    writer.op(1, Op::Alloc, 0x4000, 64).write(1, 0x4000).op(0, Op::Fence, 0, 5).write(0, 0x4000);
    let trace = trace(writer);
    let (id, info) = trace.intervals().next().expect("both write one block");
    assert_eq!((info.address, info.length), (0x4000, 4));
    assert_eq!(
        trace.allocation(id).map(|block| (block.address, block.length, block.thread)),
        Some((0x4000, 64, ThreadId(1)))
    );
}

#[test]
fn a_stack_goes_with_its_thread() {
    let mut writer = Writer::new();
    writer.write(1, 0x9100).op(1, Op::End, 0, 0).op(0, Op::Join, 0, 1);
    writer.op(0, Op::Fork, 0, 2).op(2, Op::Start, 0x9000, 0x1000).write(2, 0x9100).op(2, Op::End, 0, 0);
    assert_eq!(trace(writer).intervals().len(), 0);
}

#[test]
fn plain_accesses_of_an_atomic_variable_show_in_its_intervals() {
    let mut writer = Writer::new();
    writer.op(0, Op::AtomicStore, 0x5000, 1).op(1, Op::AtomicLoad, 0x5000, 1).write(1, 0x5000);
    let trace = trace(writer);
    let (_, info) = trace.atomics().next().expect("there is one");
    assert_eq!(info.intervals.len(), 1);
    assert_eq!(trace.interval(info.intervals[0]).address, 0x5000);
}

#[test]
fn a_handler_does_not_tear_a_barrier_apart() {
    let mut writer = Writer::new();
    writer.op(0, Op::BarrierInit, 0x200, 2).op(0, Op::BarrierEnter, 0x200, 0);
    writer.op(0, Op::SignalEnter, 0, 10).op(0, Op::AtomicStore, 0x300, 1).write(0, 0x400).op(0, Op::SignalExit, 0, 10);
    writer.op(1, Op::BarrierEnter, 0x200, 0).op(0, Op::BarrierExit, 0x200, 0).op(1, Op::BarrierExit, 0x200, 0);
    writer.write(1, 0x400);
    let trace = trace(writer);
    assert_eq!(trace.notes(), [Note::Interrupting(1)]);
    let kinds = events(&trace, 0);
    assert!(matches!(kinds[..], [.., Event::Write(_), Event::BarrierEnter(_), Event::BarrierExit(_)]), "{kinds:?}");
}

#[test]
fn what_handlers_do_is_told_apart() {
    let mut writer = Writer::new();
    writer.op(0, Op::AtomicStore, 0x300, 1);
    writer.op(0, Op::SignalEnter, 0, 10).op(0, Op::AtomicStore, 0x300, 2).op(0, Op::SignalEnter, 0, 12);
    writer.op(0, Op::SignalExit, 0, 12).op(0, Op::AtomicStore, 0x300, 3).op(0, Op::SignalExit, 0, 10);
    writer.op(0, Op::AtomicStore, 0x300, 4);
    let trace = trace(writer);
    let stores = (0..trace.len(ThreadId::MAIN)).map(|index| EventId { thread: ThreadId::MAIN, index });
    let stores = stores.filter(|id| matches!(trace.event(*id), Event::AtomicStore(..)));
    assert_eq!(stores.map(|id| trace.is_by_handler(id)).collect::<Vec<_>>(), [false, true, true, false]);
}

#[test]
fn a_handler_is_not_in_a_barrier_that_the_recording_ends_in() {
    let mut writer = Writer::new();
    writer.op(0, Op::BarrierInit, 0x200, 2).op(0, Op::BarrierEnter, 0x200, 0).op(0, Op::SignalEnter, 0, 10);
    writer.write(0, 0x400).write(1, 0x400);
    let trace = trace(writer);
    let kinds = events(&trace, 0);
    assert!(matches!(kinds[..], [.., Event::Write(_), Event::BarrierEnter(_)]), "{kinds:?}");
    foretrace_testkit::fuzz::accepted(&trace);
}

/// The trace's only note is about one misuse by this thread, for this reason.
fn assert_misuse(trace: &Trace, by: u32, expected: Illegal) {
    let [Note::Misuse { thread, why, times: 1, .. }] = trace.notes() else { panic!("{:?}", trace.notes()) };
    assert_eq!((*thread, *why), (ThreadId(by), expected));
}

#[test]
fn a_lock_that_is_taken_while_it_is_held_is_another_lock() {
    let mut writer = Writer::new();
    writer.op(0, Op::Lock, 0x100, 0).op(1, Op::Lock, 0x100, 0).op(0, Op::Unlock, 0x100, 0).op(1, Op::Unlock, 0x100, 0);
    let trace = trace(writer);
    let (old, new) = (LockId(0), LockId(1));
    assert!(matches!(events(&trace, 0)[2..], [Event::Lock(a, _), Event::Unlock(b)] if (a, b) == (old, old)));
    assert!(matches!(events(&trace, 1)[1..], [Event::Lock(a, _), Event::Unlock(b)] if (a, b) == (new, new)));
    assert_misuse(&trace, 1, Illegal::Held { lock: old, owner: ThreadId(0) });
}

#[test]
fn an_unlock_of_what_nobody_holds_changes_nothing() {
    let mut writer = Writer::new();
    writer.op(1, Op::Lock, 0x100, 0).op(1, Op::Unlock, 0x100, 0).op(1, Op::Unlock, 0x100, 0).op(1, Op::Fence, 0, 5);
    let trace = trace(writer);
    assert!(matches!(events(&trace, 1)[3..], [Event::StrayUnlock(LockId(0)), Event::Fence(_)]));
    assert_misuse(&trace, 1, Illegal::NotHeld(LockId(0)));
}

#[test]
fn a_lock_that_is_initialised_while_it_is_held_is_still_released() {
    for again in [Op::LockInit, Op::LockDestroy, Op::Free] {
        let mut writer = Writer::new();
        writer.op(1, Op::Lock, 0x100, 0).op(0, again, 0x100, 0x40 * u64::from(again == Op::Free));
        writer.op(1, Op::Unlock, 0x100, 0).op(1, Op::Fence, 0, 5);
        let trace = trace(writer);
        assert!(matches!(events(&trace, 1)[1..], [Event::Lock(a, _), Event::Unlock(b), Event::Fence(_)] if a == b));
    }
}

#[test]
fn an_initialiser_that_began_before_the_recording_ends_in_it() {
    let mut writer = Writer::new();
    writer.op(0, Op::OnceDone, 0x100, 0).op(1, Op::OncePass, 0x100, 0).op(0, Op::Fence, 0, 5);
    let trace = trace(writer);
    let main = events(&trace, 0);
    assert!(
        matches!(main[..], [Event::Start, Event::OnceRun(_), Event::Fork(_), Event::OnceDone(_), Event::Fence(_)]),
        "{main:?}"
    );
    assert_eq!(trace.notes(), [Note::RunningBefore { onces: 1 }]);
}

#[test]
fn a_once_control_that_is_written_over_is_another() {
    let mut writer = Writer::new();
    writer.op(0, Op::OnceRun, 0x100, 0).op(0, Op::OnceDone, 0x100, 0).op(1, Op::OnceRun, 0x100, 0);
    writer.op(1, Op::OnceDone, 0x100, 0);
    let trace = trace(writer);
    assert!(matches!(events(&trace, 1)[..], [Event::Start, Event::OnceRun(a), Event::OnceDone(b)] if a == b));
    assert_misuse(&trace, 1, Illegal::OnceAgain(foretrace_event::OnceId(0)));
}

#[test]
fn a_barrier_that_is_left_too_early_was_not_entered() {
    let mut writer = Writer::new();
    writer.op(0, Op::BarrierInit, 0x200, 2).op(1, Op::BarrierEnter, 0x200, 0).op(1, Op::BarrierExit, 0x200, 0);
    writer.op(1, Op::Fence, 0, 5);
    let trace = trace(writer);
    assert!(matches!(events(&trace, 1)[..], [Event::Start, Event::Fence(_)]));
    assert_misuse(&trace, 1, Illegal::BarrierClosed(foretrace_event::BarrierId(0)));
}

#[test]
fn a_semaphore_that_is_posted_elsewhere_begins_higher() {
    let mut writer = Writer::new();
    writer.op(0, Op::SemInit, 0x200, 0).op(1, Op::SemWait, 0x200, 0).op(1, Op::Fence, 0, 5);
    let trace = trace(writer);
    assert!(matches!(events(&trace, 1)[..], [Event::Start, Event::SemWait(..), Event::Fence(_)]));
    assert_eq!(trace.sem(foretrace_event::SemId(0)).initial, 1);
}

#[test]
fn a_robust_lock_is_taken_over_from_the_dead() {
    let mut writer = Writer::new();
    let died = LockArg { owner_died: true, ..LockArg::default() }.encode();
    writer.op(1, Op::Lock, 0x100, 0).op(1, Op::End, 0, 0).op(0, Op::Join, 0, 1).op(0, Op::Lock, 0x100, died);
    let trace = trace(writer);
    assert!(matches!(events(&trace, 0)[..], [.., Event::Unlock(_), Event::Lock(..)]));
}

#[test]
fn threads_nobody_created_and_ends_nobody_wrote_are_noted() {
    let mut writer = Writer::new();
    writer.op(7, Op::Start, 0, 0).op(7, Op::Detach, 0, 1).op(0, Op::Join, 0, 7);
    let trace = trace(writer);
    assert_eq!(trace.notes(), [Note::MissingFork { threads: 1 }, Note::MissingEnd { threads: 1 }]);
    assert!(trace.thread(ThreadId(1)).detached);
    assert_eq!(trace.thread(ThreadId(2)).recorded, 7);
}
