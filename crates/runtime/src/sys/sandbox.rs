//! Programs that give up system calls: the recorder asks their filter what it will refuse, before it is in force, and
//! from then on does without.
//!
//! What is refused is an error to whoever asks ([`crate::sys`]); no call is made that a filter would kill the program for. The
//! recorder takes room for what comes while it still can: see [`crate::sink::recording::keep_room`].
//!
//! *What it misses*: filters that were in force when the program began, or that are installed by a system call of the
//! program's own. Filters belong to threads; here they hold for all of them.

use crate::sys::bpf::{self, Call, Instruction};
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Is anything refused?
static ANYTHING: AtomicBool = AtomicBool::new(false);
/// The numbers of refused calls, one bit each.
static REFUSED: [AtomicU64; WORDS] = [const { AtomicU64::new(0) }; WORDS];
const WORDS: usize = 8;

/// A set of system calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Set([u64; WORDS]);

impl Set {
    fn add(&mut self, number: i64) {
        self.0[number as usize / 64] |= 1 << (number % 64);
    }

    /// Is there none?
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }
}

/// A stand-in for descriptors and addresses.
const SOME: u64 = 1000;

/// What the recorder calls, as it does; the same number several times if it matters how. Ending the process is not among
/// them: there is nothing to do instead.
const CALLS: [(i64, [u64; 6]); 35] = [
    (libc::SYS_pwritev, [SOME, SOME, 2, 0, 0, 0]),
    (libc::SYS_fallocate, [SOME, 0, 0, SOME, 0, 0]),
    (libc::SYS_ftruncate, [SOME, SOME, 0, 0, 0, 0]),
    (libc::SYS_fstat, [SOME, SOME, 0, 0, 0, 0]),
    (libc::SYS_prlimit64, [0, libc::RLIMIT_FSIZE as u64, 0, SOME, 0, 0]),
    (libc::SYS_mmap, [0, SOME, READ_WRITE, (libc::MAP_PRIVATE | ANONYMOUS) as u64, u64::MAX, 0]),
    (libc::SYS_mmap, [0, SOME, READ_WRITE, (libc::MAP_SHARED | libc::MAP_NORESERVE) as u64, SOME, 0]),
    (libc::SYS_munmap, [SOME, SOME, 0, 0, 0, 0]),
    (libc::SYS_madvise, [SOME, SOME, libc::MADV_REMOVE as u64, 0, 0, 0]),
    (libc::SYS_madvise, [SOME, SOME, libc::MADV_DONTNEED as u64, 0, 0, 0]),
    (libc::SYS_openat, [FROM_HERE, SOME, (libc::O_RDWR | NEW) as u64, 0o600, 0, 0]),
    (libc::SYS_openat, [FROM_HERE, SOME, (libc::O_WRONLY | libc::O_APPEND | NEW) as u64, 0o600, 0, 0]),
    (libc::SYS_openat, [FROM_HERE, SOME, (libc::O_RDONLY | libc::O_CLOEXEC) as u64, 0, 0, 0]),
    (libc::SYS_mkdirat, [FROM_HERE, SOME, 0o700, 0, 0, 0]),
    (libc::SYS_readlinkat, [FROM_HERE, SOME, SOME, SOME, 0, 0]),
    (libc::SYS_close, [SOME, 0, 0, 0, 0, 0]),
    (libc::SYS_fcntl, [SOME, libc::F_DUPFD_CLOEXEC as u64, SOME, 0, 0, 0]),
    (libc::SYS_read, [SOME, SOME, SOME, 0, 0, 0]),
    (libc::SYS_write, [SOME, SOME, SOME, 0, 0, 0]),
    (libc::SYS_lseek, [SOME, 0, libc::SEEK_END as u64, 0, 0, 0]),
    (libc::SYS_futex, [SOME, (libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG) as u64, 0, 0, 0, 0]),
    (libc::SYS_futex, [SOME, (libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG) as u64, 1, 0, 0, 0]),
    (libc::SYS_sched_yield, [0; 6]),
    (libc::SYS_sched_getaffinity, [0, SOME, SOME, 0, 0, 0]),
    (libc::SYS_nanosleep, [SOME, 0, 0, 0, 0, 0]),
    (libc::SYS_getpid, [0; 6]),
    (libc::SYS_getppid, [0; 6]),
    (libc::SYS_gettid, [0; 6]),
    (libc::SYS_getsockname, [SOME, SOME, SOME, 0, 0, 0]),
    (libc::SYS_getpeername, [SOME, SOME, SOME, 0, 0, 0]),
    (libc::SYS_pause, [0; 6]),
    (libc::SYS_rt_sigprocmask, [libc::SIG_BLOCK as u64, SOME, SOME, 8, 0, 0]),
    (libc::SYS_rt_sigtimedwait, [SOME, 0, SOME, 8, 0, 0]),
    (libc::SYS_getdents64, [SOME, SOME, SOME, 0, 0, 0]),
    (libc::SYS_clock_gettime, [libc::CLOCK_MONOTONIC as u64, SOME, 0, 0, 0, 0]),
];

const READ_WRITE: u64 = (libc::PROT_READ | libc::PROT_WRITE) as u64;
const ANONYMOUS: i32 = libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
const NEW: i32 = libc::O_CREAT | libc::O_EXCL | libc::O_NOFOLLOW | libc::O_CLOEXEC;
const FROM_HERE: u64 = libc::AT_FDCWD as u64;

/// Is this call refused?
#[inline]
pub fn refuses(number: i64) -> bool {
    let refused = |word: &AtomicU64| word.load(Ordering::Relaxed) >> (number % 64) & 1 != 0;
    ANYTHING.load(Ordering::Relaxed) && REFUSED.get(number as usize / 64).is_some_and(refused)
}

/// What a filter refuses of what the recorder calls. An answer that is not understood is a refusal.
pub fn refused_by(filter: &[Instruction]) -> Set {
    let mut set = Set::default();
    for (number, arguments) in CALLS {
        let answer = bpf::run(filter, &Call::new(number, arguments)).map(|answer| answer & 0xffff_0000);
        if !matches!(answer, Some(libc::SECCOMP_RET_ALLOW | libc::SECCOMP_RET_LOG)) {
            set.add(number);
        }
    }
    set
}

/// What is refused to a program that has given up all but reading, writing and ending.
pub fn refused_by_strict() -> Set {
    let mut set = Set::default();
    let kept = [libc::SYS_read, libc::SYS_write];
    CALLS.iter().filter(|(number, _)| !kept.contains(number)).for_each(|(number, _)| set.add(*number));
    set
}

/// From now on these are refused, too. Returns those that were not before.
pub fn refuse(set: Set) -> Set {
    let mut new = Set::default();
    for ((word, bits), new) in REFUSED.iter().zip(set.0).zip(&mut new.0) {
        *new = bits & !word.fetch_or(bits, Ordering::Relaxed);
    }
    ANYTHING.store(true, Ordering::Relaxed);
    new
}

/// The filter has not come into force after all.
pub fn allow(set: Set) {
    for (word, bits) in REFUSED.iter().zip(set.0) {
        word.fetch_and(!bits, Ordering::Relaxed);
    }
}
