//! What happens before the first thread is created: nothing of it is recorded, but what it leaves behind is. The locks
//! that are held, what kind they are, the initialisers that are running, and the values of semaphores and barriers are
//! written when the recording begins.

use crate::memory::arena;
use crate::memory::spin::Spin;
use crate::thread::tls::Section;
use foretrace_event::wire::{LockArg, Op};

#[derive(Clone, Copy)]
struct Note {
    op: Op,
    object: usize,
    arg: u64,
    pc: usize,
}

/// A list in memory of our own.
struct Notes {
    at: *mut Note,
    capacity: usize,
    count: usize,
}

// SAFETY: the memory is ours and reached through the lock alone.
unsafe impl Send for Notes {}

static NOTES: Spin<Notes> = Spin::new(Notes { at: core::ptr::null_mut(), capacity: 0, count: 0 });

impl Notes {
    fn all(&mut self) -> &mut [Note] {
        if self.count == 0 {
            return &mut [];
        }
        // SAFETY: the first `count` notes have been written.
        unsafe { core::slice::from_raw_parts_mut(self.at, self.count) }
    }

    fn push(&mut self, note: Note) {
        if self.count == self.capacity && !self.grow() {
            return;
        }
        // SAFETY: there is room for one more.
        unsafe { self.at.add(self.count).write(note) };
        self.count += 1;
    }

    fn grow(&mut self) -> bool {
        let capacity = (self.capacity * 2).max(64);
        let Some(at) = arena::allocate(capacity * size_of::<Note>()) else { return false };
        let at: *mut Note = at.cast();
        // SAFETY: the new memory has room for what the old holds.
        unsafe { at.copy_from_nonoverlapping(self.at.cast_const(), self.count) };
        (self.at, self.capacity) = (at, capacity);
        true
    }

    /// Removes the last note of this object that `which` accepts, keeping the order of the others.
    fn remove_last(&mut self, object: usize, which: impl Fn(Op) -> bool) {
        let all = self.all();
        if let Some(index) = all.iter().rposition(|note| note.object == object && which(note.op)) {
            all.copy_within(index + 1.., index);
            self.count -= 1;
        }
    }
}

const fn is_lock(op: Op) -> bool {
    matches!(op, Op::Lock | Op::RdLock)
}

const fn is_init(op: Op) -> bool {
    matches!(op, Op::LockInit | Op::BarrierInit | Op::SemInit)
}

/// In a forked child: what it has of the parent's objects is not known.
fn forget() {
    NOTES.reset();
    NOTES.lock().count = 0;
}
at_fork!(forget);

/// Notes an operation of the only thread.
pub fn note(op: Op, object: usize, arg: u64, pc: usize) {
    let Some(_section) = Section::enter() else { return };
    let mut notes = NOTES.lock();
    match op {
        // A mutex of the plain kind needs no word.
        Op::LockInit if arg == LockArg::default().encode() => notes.remove_last(object, is_init),
        Op::LockInit | Op::BarrierInit | Op::SemInit => {
            notes.remove_last(object, is_init);
            notes.push(Note { op, object, arg, pc });
        }
        Op::LockDestroy | Op::BarrierDestroy | Op::SemDestroy => notes.remove_last(object, is_init),
        Op::Lock | Op::RdLock => notes.push(Note { op, object, arg, pc }),
        Op::Unlock => notes.remove_last(object, is_lock),
        // The first thread may be created inside.
        Op::OnceRun => notes.push(Note { op, object, arg, pc }),
        Op::OnceDone | Op::OnceAbort => notes.remove_last(object, |op| op == Op::OnceRun),
        _ => {}
    }
}

real_function!(fn sem_getvalue(semaphore: *mut libc::sem_t, value: *mut i32) -> i32);

/// Hands out what has been noted, as if it happened now, at the beginning of the recording.
pub fn replay(mut happen: impl FnMut(Op, usize, u64, usize)) {
    let mut notes = NOTES.lock();
    for note in notes.all() {
        let mut arg = note.arg;
        if note.op == Op::SemInit {
            let mut value = 0;
            // SAFETY: the program has initialised this semaphore and not destroyed it.
            if unsafe { sem_getvalue(note.object as *mut libc::sem_t, &mut value) } == 0 {
                arg = value.max(0) as u64;
            }
        }
        happen(note.op, note.object, arg, note.pc);
    }
}
