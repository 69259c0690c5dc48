//! Is a process at a standstill? This is decided from outside, without anything of ours in the process.
//!
//! It is if each of its threads waits, without a time limit, for a word of the process's own memory to change, and none
//! has run for a while: then no thread is left to change it. Threads that sleep, read, poll or wait for another process
//! are not at a standstill, and neither is a process that handles signals which a timer or a file may send.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// Watches one process.
#[derive(Debug)]
pub struct Watch {
    process: String,
    seen: Option<(Instant, Vec<Waiting>)>,
}

/// A waiting thread: its system call, and how often it has given up its processor.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Waiting {
    thread: String,
    call: String,
    switches: String,
    outside: bool,
}

impl Watch {
    /// Watches the process with this id.
    pub fn new(process: u32) -> Self {
        Self { process: format!("/proc/{process}"), seen: None }
    }

    /// Is it at a standstill, of which kind, and since when? To be called repeatedly.
    pub fn look(&mut self) -> Option<(Stillness, Duration)> {
        let now = Instant::now();
        let Some(waiting) = all_waiting(Path::new(&self.process)) else {
            self.seen = None;
            return None;
        };
        match &self.seen {
            Some((since, before)) if *before == waiting => {
                let still = match waiting.iter().any(|one| one.outside) {
                    true if waiting.iter().any(|one| accepts(&one.call)) => Stillness::Connection,
                    true => Stillness::Input,
                    false => Stillness::Stuck,
                };
                let alone = still == Stillness::Stuck || !has_children(Path::new(&self.process));
                let lasts = alone && !handles_what_comes_by_itself(Path::new(&self.process));
                lasts.then(|| (still, now.duration_since(*since)))
            }
            _ => {
                // What was true of each thread in turn must be true of all at once: the time starts here.
                self.seen = Some((Instant::now(), waiting));
                None
            }
        }
    }
}

/// Has the process started others, which it may be waiting for?
fn has_children(process: &Path) -> bool {
    let threads = fs::read_dir(process.join("task")).into_iter().flatten().flatten();
    let children = |thread: fs::DirEntry| fs::read_to_string(thread.path().join("children"));
    threads.map(children).any(|children| !children.is_ok_and(|children| children.trim().is_empty()))
}

/// The kind of a standstill.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stillness {
    /// Its threads wait for each other.
    Stuck,
    /// One of them waits for input from outside: a pipe, a terminal, an answer.
    Input,
    /// One of them waits for others to connect.
    Connection,
}

/// Does a thread of this process wait for input from outside?
pub fn waits_outside(process: u32) -> bool {
    let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let call = |thread: fs::DirEntry| fs::read_to_string(thread.path().join("syscall")).unwrap_or_default();
    threads.map(call).any(|call| is_outside(&call))
}

/// The numbers of system calls that wait for input from outside, on x86-64, and which of their arguments is a time
/// limit: `read`, `readv`, `recvfrom`, `recvmsg`, `accept`, `accept4`; `poll`, `select`, `epoll_wait`, `epoll_pwait`,
/// `ppoll`, `pselect6`.
const OUTSIDE: [(u64, Option<usize>); 12] = [
    (0, None),
    (19, None),
    (45, None),
    (47, None),
    (43, None),
    (288, None),
    (7, Some(2)),
    (23, Some(4)),
    (232, Some(3)),
    (281, Some(3)),
    (271, Some(2)),
    (270, Some(4)),
];

/// Is this a call that waits for input from outside without a time limit?
fn is_outside(call: &str) -> bool {
    let words = numbers(call);
    let Some((number, arguments)) = words.split_first() else { return false };
    let is_unlimited = |limit: Option<usize>| {
        limit.is_none_or(|index| {
            matches!(arguments.get(index), Some(0 | 0xffff_ffff | 0xffff_ffff_ffff_ffff))
                && !(*number == 7 && arguments[index] == 0)
        })
    };
    OUTSIDE.iter().any(|(known, limit)| known == number && is_unlimited(*limit))
}

/// Is this `accept` or `accept4`?
fn accepts(call: &str) -> bool {
    matches!(numbers(call).first(), Some(43 | 288))
}

fn numbers(call: &str) -> Vec<u64> {
    let number = |word: &str| match word.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => word.parse().ok(),
    };
    call.split_whitespace().map_while(number).collect()
}

/// The threads, if all of them wait for ever.
fn all_waiting(process: &Path) -> Option<Vec<Waiting>> {
    let mut all = Vec::new();
    for thread in fs::read_dir(process.join("task")).ok()? {
        let path = thread.ok()?.path();
        let status = fs::read_to_string(path.join("status")).ok()?;
        // A main thread that has exited stays as a zombie for as long as the others run.
        if field(&status, "State:")?.starts_with(['Z', 'X']) {
            continue;
        }
        let call = fs::read_to_string(path.join("syscall")).ok()?;
        // A thread that reads from a disk cannot be interrupted (`D`): its input is on the way.
        let outside = is_outside(&call) && field(&status, "State:")?.starts_with('S');
        if !outside && !waits_for_ever(&call, process)? {
            return None;
        }
        let switches = field(&status, "voluntary_ctxt_switches:")?.to_owned();
        all.push(Waiting { thread: path.file_name()?.to_string_lossy().into_owned(), call, switches, outside });
    }
    (!all.is_empty()).then_some(all)
}

fn field<'a>(status: &'a str, name: &str) -> Option<&'a str> {
    status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim)
}

/// The number of the system call `futex` on x86-64.
const FUTEX: u64 = 202;
/// Its operations that wait: `WAIT`, `LOCK_PI`, `WAIT_BITSET`, `WAIT_REQUEUE_PI`, `LOCK_PI2`.
const WAITS: [u64; 5] = [0, 6, 9, 11, 13];
const COMMANDS: u64 = 0x7f;
const PRIVATE: u64 = 0x80;

/// Does a thread in this call wait for a word of its process's own memory, without a time limit?
fn waits_for_ever(call: &str, process: &Path) -> Option<bool> {
    let words = numbers(call);
    let &[FUTEX, word, operation, _, limit, ..] = words.as_slice() else { return Some(false) };
    let waits = WAITS.contains(&(operation & COMMANDS)) && limit == 0;
    Some(waits && (operation & PRIVATE != 0 || is_own(word, process)?))
}

/// Is this memory private to the process?
fn is_own(address: u64, process: &Path) -> Option<bool> {
    let maps = fs::read_to_string(process.join("maps")).ok()?;
    let rights = maps.lines().find_map(|line| {
        let (range, rest) = line.split_once(' ')?;
        let (start, end) = range.split_once('-')?;
        let inside = u64::from_str_radix(start, 16).ok()? <= address && address < u64::from_str_radix(end, 16).ok()?;
        inside.then(|| rest.split(' ').next()).flatten()
    })?;
    Some(rights.ends_with('p'))
}

/// Signals that a timer or a file sends: `SIGALRM`, `SIGVTALRM`, `SIGPROF`, `SIGIO`, and the real-time signals that
/// libc does not reserve.
const BY_ITSELF: u64 = 1 << (14 - 1) | 1 << (26 - 1) | 1 << (27 - 1) | 1 << (29 - 1) | !0 << (35 - 1);

fn handles_what_comes_by_itself(process: &Path) -> bool {
    let status = fs::read_to_string(process.join("status")).unwrap_or_default();
    let handled = field(&status, "SigCgt:").and_then(|mask| u64::from_str_radix(mask, 16).ok());
    handled.is_none_or(|mask| mask & BY_ITSELF != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_futex_of_its_own_without_a_limit_is_waited_for_for_ever() {
        let own = Path::new("/proc/self");
        let here = Box::new(0u32);
        let address = std::ptr::from_ref(&*here) as u64;
        let waits = |call: &str| waits_for_ever(call, own);
        assert_eq!(waits("202 0x7f00 0x80 0x2 0x0 0x0 0x0 0x7ffd 0x7f11\n"), Some(true));
        assert_eq!(waits("202 0x7f00 0x189 0x0 0x0 0x0 0xffffffff 0x7ffd 0x7f11\n"), Some(true));
        assert_eq!(waits("202 0x7f00 0x189 0x0 0x7ffd0 0x0 0xffffffff 0x7ffd 0x7f11\n"), Some(false));
        assert_eq!(waits("202 0x7f00 0x81 0x1 0x0 0x0 0x0 0x7ffd 0x7f11\n"), Some(false));
        assert_eq!(waits(&format!("202 {address:#x} 0x109 0x1 0x0 0x0 0xffffffff 0x7ffd 0x7f11\n")), Some(true));
        assert_eq!(waits("230 0x0 0x0 0x7ffd 0x7ffd 0x0 0x0 0x7ffd 0x7f11\n"), Some(false));
        assert_eq!(waits("running\n"), Some(false));
        assert_eq!(waits("-1 0x7ffd 0x7f11\n"), Some(false));
        assert_eq!(waits(""), Some(false));
    }

    #[test]
    fn calls_that_wait_for_others_without_a_limit_are_outside() {
        for call in
            ["0 0x3 0x7ffd 0x400 0x0", "43 0x3 0x0", "232 0x4 0x7ffd 0x10 0xffffffff", "7 0x7ffd 0x1 0xffffffff"]
        {
            assert!(is_outside(call), "{call}");
        }
        for call in
            ["7 0x7ffd 0x1 0x3e8", "7 0x7ffd 0x1 0x0", "232 0x4 0x7ffd 0x10 0x64", "202 0x1 0x80 0x0 0x0", "running"]
        {
            assert!(!is_outside(call), "{call}");
        }
    }

    #[test]
    fn a_process_that_runs_does_not_stand_still() {
        let mut watch = Watch::new(std::process::id());
        assert!(watch.look().is_none() && watch.look().is_none());
        assert!(Watch::new(u32::MAX).look().is_none());
    }
}
