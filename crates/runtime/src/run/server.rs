//! The fork server: the program stands before its first thread, and each execution is a fork of it.
//!
//! What the program does before its first thread is done once. The positions of files that are open then are put back
//! before each execution.

use crate::axes;
use crate::sys::real::Real;
use crate::sys::{self};
use foretrace_event::channel::Answer;

type Fork = unsafe extern "C-unwind" fn() -> i32;

/// Forks without the handlers of `pthread_atfork`, which the program must not notice.
#[unsafe(link_section = "ft_reals")]
static FORK: Real<Fork> = Real::new(c"_Fork", None);
#[unsafe(link_section = "ft_reals")]
static PLAIN_FORK: Real<Fork> = Real::new(c"fork", None);

/// Files whose positions are put back.
const FILES: i32 = 64;

/// Serves until the tool ends this process. Returns in the process of each execution; false if there is no one to serve.
pub fn serve() -> bool {
    let (Some(requests), Some(answers)) = (open(b"requests", libc::O_RDONLY), open(b"answers", libc::O_WRONLY)) else {
        return false;
    };
    let positions: [Option<u64>; FILES as usize] = core::array::from_fn(|fd| sys::position(fd as i32));
    while await_request(requests) {
        positions.iter().zip(0..).for_each(|(at, fd)| at.iter().for_each(|at| sys::set_position(fd, *at)));
        let fork = FORK.find().unwrap_or_else(|| PLAIN_FORK.get());
        // SAFETY: takes nothing; this process has one thread.
        match unsafe { fork() } {
            0 => {
                sys::die_with_parent();
                sys::close(requests);
                sys::close(answers);
                return true;
            }
            child => see_to_end(answers, child),
        }
    }
    sys::exit(0)
}

fn open(name: &[u8], flags: i32) -> Option<i32> {
    let settings = axes::SETTINGS.lock();
    let opened = sys::open(&settings.as_ref()?.path(name), flags | libc::O_NOFOLLOW, 0);
    opened.ok().map(sys::move_high)
}

fn await_request(requests: i32) -> bool {
    sys::read_words(requests, &mut [0]) == 1
}

/// Tells the tool of an execution's begin and end. What it has forked ends with it.
fn see_to_end(answers: i32, child: i32) {
    if child < 0 {
        return say(answers, Answer::Ended(u32::MAX));
    }
    let child = child as u32;
    say(answers, Answer::Begun(child));
    let status = sys::wait_for_child(child);
    sys::kill_group(child);
    say(answers, Answer::Ended(status));
}

fn say(answers: i32, answer: Answer) {
    sys::write(answers, &answer.word().to_le_bytes());
}
