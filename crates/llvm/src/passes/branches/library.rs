//! What functions of libraries do, as far as it is known.

/// What a call does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Does {
    /// Takes the lock that the argument points to.
    Locks,
    /// Gives it back.
    Unlocks,
    /// Takes it for reading, or tries to: it may not be held alone afterwards.
    MayLock,
    /// Waits for something else than a lock.
    Waits,
    /// Nothing that others notice.
    Nothing,
    /// Reads what its arguments point to.
    Reads,
    /// Transfers as many bytes as the third argument says, to or from the second.
    Transfers,
    /// Writes what its arguments point to.
    Fills,
    /// Does not return.
    Ends,
}

/// A table: what is known of each function.
pub fn does(name: &str) -> Option<Does> {
    Some(match name {
        "pthread_mutex_lock" | "pthread_rwlock_wrlock" | "pthread_spin_lock" | "mtx_lock" => Does::Locks,
        "pthread_mutex_unlock" | "pthread_rwlock_unlock" | "pthread_spin_unlock" | "mtx_unlock" => Does::Unlocks,
        "pthread_mutex_trylock"
        | "pthread_rwlock_rdlock"
        | "pthread_rwlock_tryrdlock"
        | "pthread_rwlock_trywrlock"
        | "pthread_spin_trylock"
        | "mtx_trylock" => Does::MayLock,
        "pthread_cond_wait"
        | "pthread_cond_timedwait"
        | "pthread_barrier_wait"
        | "sem_wait"
        | "sem_trywait"
        | "pthread_join"
        | "cnd_wait"
        | "thrd_join" => Does::Waits,
        "pthread_cond_signal"
        | "pthread_cond_broadcast"
        | "cnd_signal"
        | "cnd_broadcast"
        | "sem_post"
        | "pthread_self"
        | "sched_yield"
        | "usleep"
        | "sleep"
        | "nanosleep"
        | "malloc"
        | "calloc"
        | "getpid"
        | "abs"
        | "toupper"
        | "tolower"
        | "isalpha"
        | "isdigit"
        | "isspace"
        | "isalnum"
        | "isupper"
        | "islower"
        | "__ctype_b_loc"
        | "__errno_location"
        | "fflush"
        | "time"
        | "close"
        | "sqrt"
        | "pow"
        | "sin"
        | "cos"
        | "exp"
        | "log" => Does::Nothing,
        "printf" | "puts" | "putchar" | "fprintf" | "fputs" | "fputc" | "fwrite" | "perror" | "strlen" | "strcmp"
        | "strncmp" | "memcmp" | "strstr" | "strchr" | "atoi" | "atol" | "strtol" | "memchr" => Does::Reads,
        "read" | "write" | "pread" | "pwrite" | "recv" | "send" | "pread64" | "pwrite64" => Does::Transfers,
        "socketpair" | "pipe" | "pipe2" | "clock_gettime" | "gettimeofday" | "fgets" | "fread" | "snprintf"
        | "sprintf" => Does::Fills,
        "exit" | "_exit" | "abort" | "__assert_fail" | "pthread_exit" | "quick_exit" | "_Exit" => Does::Ends,
        _ => return None,
    })
}

/// Intrinsics and calls of the instrumentation that are no accesses.
pub fn is_silent(name: &str) -> bool {
    let intrinsic = name.strip_prefix("llvm.");
    let moves = |rest: &str| rest.starts_with("mem") || rest.starts_with("threadlocal") || rest.starts_with("eh.sjlj");
    intrinsic.is_some_and(|rest| !moves(rest))
        || matches!(name, "__tsan_func_entry" | "__tsan_func_exit" | "__tsan_init")
}
