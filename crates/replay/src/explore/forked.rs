//! Why executions are forked that could be run faster.

use foretrace_event::channel::forked;
use std::fmt;

/// A reason why each execution is a fork of the program, where putting its memory back would be faster.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WhyForked {
    /// The program makes this system call in its threads.
    Call(u32),
    /// Too much of its memory changes.
    Memory,
    /// It chooses the stacks of threads itself.
    Stacks,
    /// It cancels threads.
    Cancels,
    /// Something else.
    Other,
}

impl WhyForked {
    /// From the number that the runtime has written; none if there is no reason.
    pub fn from_number(number: u64) -> Option<Self> {
        Some(match number {
            0 => return None,
            forked::MEMORY => Self::Memory,
            forked::STACK => Self::Stacks,
            forked::CANCEL => Self::Cancels,
            forked::OTHER.. => Self::Other,
            call => Self::Call(call as u32 - 1),
        })
    }
}

/// Completes "executions are forked, which is slower, because".
impl fmt::Display for WhyForked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call(number) => match name(i64::from(*number)) {
                Some(name) => write!(f, "the program calls `{name}` in its threads"),
                None => write!(f, "the program makes system call {number} in its threads"),
            },
            Self::Memory => f.write_str("more than 16 MB of the program's memory change"),
            Self::Stacks => f.write_str("the program chooses the stacks of its threads"),
            Self::Cancels => f.write_str("the program cancels threads"),
            Self::Other => f.write_str("this system or this program does not allow anything else"),
        }
    }
}

/// What users know system calls as.
const NAMES: [(&[i64], &str); 38] = [
    (&[libc::SYS_read, libc::SYS_pread64, libc::SYS_readv], "read"),
    (&[libc::SYS_write, libc::SYS_pwrite64, libc::SYS_writev], "write"),
    (&[libc::SYS_open, libc::SYS_openat], "open"),
    (&[libc::SYS_close], "close"),
    (&[libc::SYS_lseek], "lseek"),
    (&[libc::SYS_mmap], "mmap"),
    (&[libc::SYS_munmap], "munmap"),
    (&[libc::SYS_mprotect], "mprotect"),
    (&[libc::SYS_madvise], "madvise"),
    (&[libc::SYS_brk], "brk"),
    (&[libc::SYS_futex], "futex"),
    (&[libc::SYS_fork, libc::SYS_vfork, libc::SYS_clone, libc::SYS_clone3], "fork"),
    (&[libc::SYS_kill, libc::SYS_tgkill, libc::SYS_tkill], "kill"),
    (&[libc::SYS_rt_sigprocmask], "sigprocmask"),
    (&[libc::SYS_rt_sigaction], "sigaction"),
    (&[libc::SYS_rt_sigtimedwait], "sigwait"),
    (&[libc::SYS_sigaltstack], "sigaltstack"),
    (&[libc::SYS_alarm], "alarm"),
    (&[libc::SYS_setitimer], "setitimer"),
    (&[libc::SYS_timer_create], "timer_create"),
    (&[libc::SYS_socket, libc::SYS_socketpair], "socket"),
    (&[libc::SYS_bind], "bind"),
    (&[libc::SYS_listen], "listen"),
    (&[libc::SYS_accept, libc::SYS_accept4], "accept"),
    (&[libc::SYS_connect], "connect"),
    (&[libc::SYS_sendto, libc::SYS_sendmsg], "send"),
    (&[libc::SYS_recvfrom, libc::SYS_recvmsg], "recv"),
    (&[libc::SYS_pipe, libc::SYS_pipe2], "pipe"),
    (&[libc::SYS_eventfd2], "eventfd"),
    (&[libc::SYS_poll, libc::SYS_ppoll], "poll"),
    (&[libc::SYS_select, libc::SYS_pselect6], "select"),
    (&[libc::SYS_epoll_wait, libc::SYS_epoll_pwait, libc::SYS_epoll_create1, libc::SYS_epoll_ctl], "epoll"),
    (&[libc::SYS_fcntl], "fcntl"),
    (&[libc::SYS_ioctl], "ioctl"),
    (&[libc::SYS_prctl], "prctl"),
    (&[libc::SYS_sched_setaffinity], "sched_setaffinity"),
    (&[libc::SYS_pause], "pause"),
    (&[libc::SYS_mq_timedsend, libc::SYS_mq_timedreceive, libc::SYS_mq_open], "mq_open"),
];

fn name(number: i64) -> Option<&'static str> {
    NAMES.iter().find_map(|(numbers, name)| numbers.contains(&number).then_some(*name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_told_in_words() {
        let told = |number| WhyForked::from_number(number).map(|why| why.to_string());
        assert_eq!(told(0), None);
        assert_eq!(told(libc::SYS_openat as u64 + 1).unwrap(), "the program calls `open` in its threads");
        assert_eq!(told(9999).unwrap(), "the program makes system call 9998 in its threads");
        assert!(told(forked::MEMORY).unwrap().contains("16 MB"));
        assert!(WhyForked::from_number(u64::MAX) == Some(WhyForked::Other));
    }
}
