//! Pipes, pairs of sockets and eventfds that the program has made before its first thread: each execution gets its own, or it
//! would find what earlier ones have left there.
//!
//! *What it misses*: files that wait for others (`epoll`): if there is one, all files stay as they are. A pipe that is not
//! empty before the first thread stays, too.

use crate::op::in_gate::files;
use crate::sys::{self, EndKind};
use core::cell::Cell;
use core::sync::atomic::{AtomicUsize, Ordering};

/// The most descriptors that are looked at, and that are renewed.
const LOOKED_AT: i32 = 256;
const MOST: usize = 64;

/// A descriptor of the program.
#[derive(Clone, Copy)]
struct Known {
    fd: i32,
    /// What it stands for; the other end has the same.
    object: u64,
    kind: EndKind,
}

struct All([Cell<Option<Known>>; MOST]);

// SAFETY: the process has one thread when this is used.
unsafe impl Sync for All {}

static ALL: All = All([const { Cell::new(None) }; MOST]);
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// Before the first execution: looks at what there is.
pub fn look() {
    let mut count = 0;
    for fd in libc::STDERR_FILENO + 1..LOOKED_AT {
        let Some(object) = files::own(fd) else { continue };
        match sys::end_kind(fd) {
            Some(EndKind::Waiter) => return,
            Some(kind) if count < MOST => {
                ALL.0[count].set(Some(Known { fd, object, kind }));
                count += 1;
            }
            _ => {}
        }
    }
    COUNT.store(count, Ordering::Relaxed);
}

/// At the beginning of an execution, in its own process.
pub fn renew() {
    let known = || ALL.0[..COUNT.load(Ordering::Relaxed)].iter().filter_map(Cell::get);
    for (at, first) in known().enumerate() {
        let of_it = || known().filter(|known| known.object == first.object);
        let is_known = known().take(at).any(|earlier| earlier.object == first.object);
        // Which of several descriptors are the same end of two sockets is not known.
        let is_unclear = matches!(first.kind, EndKind::Socket(_)) && of_it().count() != 2;
        let Some(ends) = Some(first.kind).filter(|_| !is_known && !is_unclear).and_then(sys::make_ends) else {
            continue;
        };
        for (number, known) in of_it().enumerate() {
            sys::put_end(ends, known.kind, number, known.fd);
        }
        ends.iter().for_each(|end| sys::close(*end));
    }
}
