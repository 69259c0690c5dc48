//! The threads of this process, as the kernel sees them.

use super::decimal::Decimal;
use super::{Result, close, open, own_call, tid};

/// Is a thread of this process asleep in the kernel until another wakes it, with no limit of time? False if the kernel
/// does not say. A thread that has been woken is not, whether it runs yet or not.
pub fn sleeps_until_woken(tid: u32) -> bool {
    let mut text = [0; 128];
    let Ok(read) = read_of_task(tid, b"/syscall", &mut text) else { return false };
    let mut words = text[..read].split(|byte| *byte == b' ');
    let is_futex = words.next().is_some_and(|number| number == b"202");
    let command = words.nth(1).map_or(0, |word| word.last().map_or(0, |digit| *digit));
    let waits = matches!(command, b'0' | b'9');
    is_futex && waits && words.nth(1).is_some_and(|timeout| timeout == b"0x0")
}

/// What a thread of this process does, as the kernel sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Activity {
    /// It runs, or sleeps for a limited time.
    Runs,
    /// It waits for something, with no limit of time, or has ended.
    Waits,
}

/// What a thread does; one that the kernel does not tell of runs.
pub fn activity(tid: u32) -> Activity {
    let mut text = [0; 192];
    match read_of_task(tid, b"/syscall", &mut text) {
        Ok(read) => activity_of(&text[..read]),
        Err(libc::ESRCH | libc::ENOENT) => Activity::Waits,
        Err(_) => Activity::Runs,
    }
}

/// Of the text of `/proc/…/syscall`: the number of the call, and its arguments in hexadecimal; -1, the stack pointer and the
/// program counter outside of a call. A main thread that has ended before the others has neither.
fn activity_of(text: &[u8]) -> Activity {
    if text.trim_ascii_end() == b"-1 0x0 0x0" {
        return Activity::Waits;
    }
    let mut words = text.split(|byte| *byte == b' ');
    let number = words.next().and_then(|word| core::str::from_utf8(word).ok()?.parse::<i64>().ok());
    let mut argument = |index| words.nth(index).is_some_and(is_no_limit);
    let waits = match number {
        Some(libc::SYS_futex | libc::SYS_epoll_wait | libc::SYS_epoll_pwait) => argument(3),
        Some(libc::SYS_poll | libc::SYS_ppoll | libc::SYS_rt_sigtimedwait) => argument(2),
        Some(libc::SYS_select | libc::SYS_pselect6) => argument(4),
        Some(libc::SYS_read | libc::SYS_readv | libc::SYS_recvfrom | libc::SYS_recvmsg) => true,
        Some(libc::SYS_accept | libc::SYS_accept4 | libc::SYS_wait4 | libc::SYS_waitid) => true,
        Some(libc::SYS_pause | libc::SYS_rt_sigsuspend | libc::SYS_flock) => true,
        _ => false,
    };
    if waits { Activity::Waits } else { Activity::Runs }
}

/// Is this a null pointer to a limit of time, or -1 for none?
fn is_no_limit(word: &[u8]) -> bool {
    matches!(word, b"0x0" | b"0xffffffff" | b"0xffffffffffffffff")
}

/// Reads a file of a thread's directory in `/proc`.
fn read_of_task(tid: u32, file: &[u8], text: &mut [u8]) -> Result<usize> {
    let mut path = [0; 64];
    let mut used = 0;
    for part in [&b"/proc/self/task/"[..], Decimal::new(u64::from(tid)).bytes(), file] {
        path[used..used + part.len()].copy_from_slice(part);
        used += part.len();
    }
    let fd = open(&path[..=used], libc::O_RDONLY, 0)?;
    let read = call!(SYS_read, fd, text.as_mut_ptr(), text.len());
    close(fd);
    Ok(read? as usize)
}

/// Is it so of all other threads of this process? Yes if the kernel does not tell who they are.
pub fn other_threads(mut is_so: impl FnMut(u32) -> bool) -> bool {
    let Ok(fd) = open(b"/proc/self/task\0", libc::O_RDONLY | libc::O_DIRECTORY, 0) else { return true };
    let own = tid();
    let mut entries = Entries([0; 2048]);
    let mut all = true;
    while all
        && let Ok(size) = call!(SYS_getdents64, fd, entries.0.as_mut_ptr(), entries.0.len())
        && size > 0
    {
        all = entries.numbers(size as usize).filter(|tid| *tid != own).all(&mut is_so);
    }
    close(fd);
    all
}

/// Is there no other thread in this process?
pub fn is_alone() -> bool {
    other_threads(|_| false)
}

/// Entries of a directory, as `getdents64` gives them.
#[repr(align(8))]
struct Entries([u8; 2048]);

impl Entries {
    /// The names that are numbers.
    fn numbers(&self, size: usize) -> impl Iterator<Item = u32> + '_ {
        let mut rest = &self.0[..size];
        core::iter::from_fn(move || {
            let length = usize::from(u16::from_le_bytes([*rest.get(16)?, *rest.get(17)?])).max(19);
            let (entry, after) = rest.split_at_checked(length)?;
            rest = after;
            Some(entry[19..].split(|byte| *byte == 0).next().unwrap_or(&[]))
        })
        .filter_map(|name| core::str::from_utf8(name).ok()?.parse().ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_without_a_limit_of_time_wait() {
        let waits = [
            "-1 0x0 0x0\n",
            "202 0x7f00 0x80 0x0 0x0 0x0 0x0 0x7ffd 0x7f01\n",
            "0 0x0 0x7f00 0x1 0x0 0x0 0x0 0x7ffd 0x7f01\n",
        ];
        let runs =
            ["running\n", "-1 0x7ffd4000 0x7f01\n", "202 0x7f00 0x80 0x0 0x7ffd4000 0x0 0x0 0x7ffd 0x7f01\n", ""];
        assert!(waits.iter().all(|text| activity_of(text.as_bytes()) == Activity::Waits));
        assert!(runs.iter().all(|text| activity_of(text.as_bytes()) == Activity::Runs));
    }
}
