//! The sink: what a thread writes down of what it does.

use crate::sink::stamp;
use crate::thread::polling::Poll;
use crate::thread::tls::tls;
use crate::thread::{Thread, signals};
use crate::watch::segment;
use foretrace_event::wire::{Detail, Head, Op, Sync};

impl Thread {
    /// Is the thread recorded?
    #[inline]
    pub fn is_recorded(&self) -> bool {
        self.stream.get().is_some()
    }

    /// Records an operation; the segment has been ended, or goes on.
    #[inline]
    pub fn record(&self, op: Op, object: usize, arg: u64, pc: usize) {
        if self.is_recorded() {
            let record = self.stamped(op, object, arg, pc);
            self.record_at(record.stamp, op, record.object as usize, record.arg, pc, Detail::default());
        }
    }

    /// Ends the segment, and records an operation that may also read its object.
    #[inline]
    pub fn record_reading(&self, op: Op, object: usize, arg: u64, pc: usize, reads: bool) {
        self.end_segment();
        self.notice_jumps();
        self.record_plainly(op, object, arg, pc, reads);
    }

    /// The same, of a thread that is in no handler.
    #[inline(always)]
    pub fn record_plainly(&self, op: Op, object: usize, arg: u64, pc: usize, reads: bool) {
        debug_assert!(!op.has_detail());
        if let Some(stream) = self.stream.get() {
            let lines = self.lines.get();
            if !lines.is_empty() {
                lines.flush(stream);
            }
            let Sync { stamp, object, arg, .. } = self.made_now(op, object, arg, pc);
            self.rounds.get().end();
            stream.short(Head::new(op, reads), stamp, pc as u64, object, arg);
        }
    }

    /// Notes bytes of one line of a thread that is recorded and takes no part in the gate or the watch.
    #[inline]
    pub fn note_line(&self, address: usize, reads: u64, writes: u64, pc: usize) {
        if let Some(stream) = self.stream.get() {
            self.lines.get().touch(stream, address, reads, writes, pc);
        }
    }

    /// Ends a segment of such a thread: writes what it touched.
    #[inline]
    pub fn end_segment(&self) {
        if let Some(stream) = self.stream.get() {
            self.lines.get().flush(stream);
        }
    }

    /// The record of an operation that happens now.
    #[inline]
    fn stamped(&self, op: Op, object: usize, arg: u64, pc: usize) -> Sync {
        self.notice_jumps();
        self.made_now(op, object, arg, pc)
    }

    /// The same, of a thread that is in no handler.
    #[inline(always)]
    fn made_now(&self, op: Op, object: usize, arg: u64, pc: usize) -> Sync {
        let (clock, object, arg) = match op {
            Op::Fork | Op::Join => (stamp::thread_object(arg), object, arg),
            Op::Start => (stamp::thread_object(self.index.into()), self.stack.0, (self.stack.1 - self.stack.0) as u64),
            Op::End => (stamp::thread_object(self.index.into()), object, arg),
            Op::Custom | Op::CustomList => (stamp::EVENTS, object, arg),
            _ => (object, object, arg),
        };
        let stamp = self.stamps.get().take(op, clock);
        Sync { op, stamp, pc: pc as u64, object: object as u64, arg, detail: Detail::default() }
    }

    /// To be called before an operation that may be polling.
    #[inline]
    pub fn before_poll(&'static self) {
        self.note_touched();
        if tls().handlers.get() != 0 {
            segment::end(self);
            self.notice_jumps();
        }
    }

    /// What the thread has touched since its last operation belongs to what it polls.
    #[inline]
    pub fn note_touched(&self) {
        self.rounds.get().touch_all(|tell| self.lines.get().each_of_few(tell));
    }

    /// Records that an attempt to take a mutex has failed, unless it repeats a round of polling.
    pub fn record_failed_try(&'static self, mutex: usize, arg: u64, pc: usize) {
        self.before_poll();
        if self.rounds.get().note(&Poll::failed_try(mutex, arg, pc)).is_some() {
            return self.lines.get().discard();
        }
        segment::end(self);
        let stamp = self.stamps.get().take(Op::FailedLock, mutex);
        self.write_at(stamp, Op::FailedLock, mutex, arg, pc, Detail::default());
    }

    /// Records that handlers have been left by a jump, if so. To be asked before an operation gets its stamp.
    #[inline]
    pub fn notice_jumps(&self) {
        if tls().handlers.get() != 0 {
            for _ in 0..signals::left_by_jump() {
                let stamp = self.stamps.get().take(Op::SignalExit, 0);
                self.record_at(stamp, Op::SignalExit, 0, 0, 0, Detail::default());
            }
        }
    }

    /// Records an operation that happened at `stamp`.
    #[inline]
    pub fn record_at(&self, stamp: u64, op: Op, object: usize, arg: u64, pc: usize, detail: Detail) {
        self.rounds.get().end();
        self.write_at(stamp, op, object, arg, pc, detail);
    }

    /// The same of an operation that may be polling: what the thread polls does not end with it.
    #[inline]
    pub fn write_at(&self, stamp: u64, op: Op, object: usize, arg: u64, pc: usize, detail: Detail) {
        if let Some(stream) = self.stream.get() {
            stream.sync(&Sync { op, stamp, pc: pc as u64, object: object as u64, arg, detail });
        }
    }
}
