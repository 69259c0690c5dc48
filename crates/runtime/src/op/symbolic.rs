//! What instrumented code says about its values, in a followed run: who says it, and when.

use crate::gate::controlled::{self, taken};
use crate::gate::symbolic;
use crate::thread;
use crate::thread::tls::Section;
use foretrace_event::symbolic::Moment;

/// Works for the current thread at this moment, if the run is followed.
#[inline]
pub fn now<R: Default>(work: impl FnOnce(Moment) -> R) -> R {
    if symbolic::is_on() { followed(work) } else { R::default() }
}

fn followed<R: Default>(work: impl FnOnce(Moment) -> R) -> R {
    let Some(thread) = thread::own().filter(|_| controlled::asks()) else { return R::default() };
    let _section = Section::nest();
    work(Moment { thread: thread.index as u16, step: taken() })
}

/// A visible access of the current thread has been granted.
pub fn begin_access(address: usize, size: usize, writes: bool, pc: usize) {
    now(|moment| symbolic::begin_access(moment, address as u64, size as u64, writes, pc as u64));
}
