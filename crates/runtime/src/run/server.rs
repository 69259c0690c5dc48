//! The fork server: the program stands before its first thread, and each execution is a fork of it.
//!
//! What the program does before its first thread is done once. The positions of files that are open then are put back
//! before each execution. A fork may serve many executions ([`fast`]): then it answers by itself, and the server waits
//! until it ends.

use crate::axes;
use crate::fast::{self, Reason, Shared};
use crate::gate::controlled;
use crate::run::renew;
use crate::sys::real::Real;
use crate::sys::settings::Gate;
use crate::sys::{self};
use crate::thread::handle;
use crate::watch::shadow;
use core::sync::atomic::{AtomicU32, Ordering};
use foretrace_event::ThreadSet;
use foretrace_event::channel::Answer;

type Fork = unsafe extern "C-unwind" fn() -> i32;

/// Forks without the handlers of `pthread_atfork`, which the program must not notice.
#[unsafe(link_section = "ft_reals")]
static FORK: Real<Fork> = Real::new(c"_Fork", None);
#[unsafe(link_section = "ft_reals")]
static PLAIN_FORK: Real<Fork> = Real::new(c"fork", None);

/// Files whose positions are put back.
const FILES: i32 = 64;
/// So many threads are made at first for executions that are not forked.
const THREADS: u32 = 4;

/// In a fork that serves many executions: how many threads it makes, and the pipes.
static MANY: [AtomicU32; 3] = [const { AtomicU32::new(0) }; 3];

/// The pipes to the tool.
#[derive(Clone, Copy)]
struct Pipes {
    requests: i32,
    answers: i32,
}

/// How executions are run.
#[derive(Clone, Copy)]
enum Way {
    /// Many in a process, with so many threads.
    Fast(u32),
    /// Each in a process of its own, for this reason.
    Forked(u32),
}

/// Serves until the tool ends this process. Returns in the process of each execution; false if there is no one to serve.
pub fn serve() -> bool {
    let (Some(requests), Some(answers)) = (open(b"requests", libc::O_RDONLY), open(b"answers", libc::O_WRONLY)) else {
        return false;
    };
    let pipes = Pipes { requests, answers };
    let positions: [Option<u64>; FILES as usize] = core::array::from_fn(|fd| sys::position(fd as i32));
    let shared = if may_be_fast() { fast::share() } else { None };
    let mut way = if shared.is_some() { Way::Fast(THREADS) } else { Way::Forked(0) };
    // libc reads the list of all mappings to find it out.
    handle::remember_stack();
    renew::look();
    while await_request(requests) {
        loop {
            positions.iter().zip(0..).for_each(|(at, fd)| at.iter().for_each(|at| sys::set_position(fd, *at)));
            match fork() {
                0 => {
                    enter(pipes, way);
                    return true;
                }
                child => {
                    let next = see_to_end(pipes, child, way, shared);
                    way = next.way;
                    if next.is_answered {
                        break;
                    }
                }
            }
        }
    }
    sys::exit(0)
}

/// In a fork that serves many executions: prepares for them, and returns at the beginning of each.
pub fn stand() {
    let [threads, requests, answers] = [0, 1, 2].map(|index: usize| MANY[index].load(Ordering::Relaxed));
    shadow::keep();
    if threads != 0 && !fast::stand([requests as i32, answers as i32], threads) {
        fast::shared().unsuited.store(Reason::Other as u32, Ordering::Relaxed);
        sys::exit(0);
    }
}

fn fork() -> i32 {
    let fork = FORK.find().unwrap_or_else(|| PLAIN_FORK.get());
    // SAFETY: takes nothing; this process has one thread.
    unsafe { fork() }
}

/// This process is a fork.
fn enter(pipes: Pipes, way: Way) {
    sys::die_with_parent();
    renew::renew();
    match way {
        Way::Fast(threads) => {
            let words = [threads, pipes.requests as u32, pipes.answers as u32];
            MANY.iter().zip(words).for_each(|(word, value)| word.store(value, Ordering::Relaxed));
        }
        Way::Forked(_) => {
            sys::close(pipes.requests);
            sys::close(pipes.answers);
        }
    }
}

fn may_be_fast() -> bool {
    let settings = axes::SETTINGS.lock();
    settings.as_ref().is_some_and(|settings| matches!(settings.gate, Gate::Controlled { fast: true, .. }))
}

fn open(name: &[u8], flags: i32) -> Option<i32> {
    let settings = axes::SETTINGS.lock();
    let opened = sys::open(&settings.as_ref()?.path(name), flags | libc::O_NOFOLLOW, 0);
    opened.ok().map(sys::move_high)
}

fn await_request(requests: i32) -> bool {
    sys::read_words(requests, &mut [0]) == 1
}

/// How it goes on after a process has ended.
struct Next {
    way: Way,
    /// The tool has its answer; if not, the execution is run again.
    is_answered: bool,
}

/// Tells the tool of a process's begin and end. What it has forked ends with it.
fn see_to_end(pipes: Pipes, child: i32, way: Way, shared: Option<&Shared>) -> Next {
    if child < 0 {
        say(pipes, Answer::Ended(u32::MAX));
        return Next { way, is_answered: true };
    }
    let child = child as u32;
    say(pipes, Answer::Begun(child));
    let status = sys::wait_for_child(child);
    sys::kill_group(child);
    let (way, runs_again) = match (way, shared) {
        (Way::Fast(threads), Some(shared)) => after_many(shared, threads),
        _ => (way, false),
    };
    // One that has ended between two executions has answered already.
    let is_idle = shared.is_some_and(|shared| shared.busy.swap(1, Ordering::Relaxed) == 0);
    if runs_again {
        controlled::begin_again();
        return Next { way, is_answered: false };
    }
    if let Way::Forked(reason) = way {
        controlled::note_forked(reason);
    }
    if !is_idle {
        say(pipes, Answer::Ended(status));
    }
    Next { way, is_answered: true }
}

/// A process that served many executions has ended. Is the last one run again?
fn after_many(shared: &Shared, threads: u32) -> (Way, bool) {
    let [unsuited, last, wanted] =
        [&shared.unsuited, &shared.last, &shared.threads].map(|word| word.swap(0, Ordering::Relaxed));
    match (unsuited, last, wanted) {
        (0, 0, 0) => (Way::Fast(threads), false),
        (0, 0, wanted) => (Way::Fast(wanted.min(ThreadSet::CAPACITY - 1)), true),
        (0, last, _) => (Way::Forked(last), false),
        (unsuited, ..) => (Way::Forked(unsuited), true),
    }
}

fn say(pipes: Pipes, answer: Answer) {
    sys::write(pipes.answers, &answer.word().to_le_bytes());
}
