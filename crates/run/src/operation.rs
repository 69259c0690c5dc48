//! Operations in the words of reports. The runtime's answers have the short names of the wire format.

/// An operation with its article, by its name in the answers; one without an entry keeps its name.
pub fn in_words(name: &str) -> &str {
    match name {
        "start" => "its first operation",
        "end" => "its end",
        "fork" => "the creation of a thread",
        "join" => "a join",
        "lock" => "a lock",
        "flock" => "a lock that fails",
        "rdlock" => "a lock for reading",
        "frdlock" => "a lock for reading that fails",
        "unlock" => "an unlock",
        "signal" => "a signal",
        "broadcast" => "a broadcast",
        "wait" => "a wait",
        "fwait" => "a wait that ends without a signal",
        "barrier_enter" => "the entry of a barrier",
        "barrier_exit" => "the exit of a barrier",
        "sem_wait" => "a wait for a semaphore",
        "sem_fwait" => "a wait for a semaphore that fails",
        "sem_post" => "a post of a semaphore",
        "once_run" => "the first call of an initialiser",
        "once_done" => "the end of an initialiser",
        "once_abort" => "the failure of an initialiser",
        "once_pass" => "a later call of an initialiser",
        "release" => "a release",
        "acquire" => "an acquire",
        "aload" | "acas_fail" => "an atomic load",
        "astore" => "an atomic store",
        "armw" => "an atomic update",
        "fence" => "a fence",
        "custom" | "custom_list" => "an event of the program's own",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use foretrace_event::schedule::is_step;
    use foretrace_event::wire::Op;

    #[test]
    fn every_step_of_a_schedule_has_words() {
        let steps = (0..=u8::MAX).filter_map(Op::from_code).filter(|op| is_step(*op));
        let missing: Vec<_> = steps.map(Op::name).filter(|name| super::in_words(name) == *name).collect();
        assert!(missing.is_empty(), "no words for {missing:?}");
    }
}
