//! Threads that wait for each other, or for what will not come.

use super::{Failure, Suspect, addresses};
use crate::resolver::{Locks, Resolver, index_of};
use crate::steps::{self, Followed};
use foretrace_event::EventId;
use foretrace_finding::{Deadlock, Schedule};
use foretrace_report::{Act, Holder, Kind, Site, Sort, Thread, Wait};
use foretrace_run::SeenStuck;
use foretrace_trace::Trace;

impl Failure for Vec<SeenStuck> {
    fn threads(&self) -> Vec<u32> {
        self.iter().map(|stuck| stuck.thread).collect()
    }

    fn locks(&self) -> Vec<u64> {
        let is_lock = |stuck: &&SeenStuck| matches!(stuck.op.as_str(), "lock" | "rdlock");
        let wanted = self.iter().filter(is_lock).map(|stuck| stuck.object);
        self.iter().flat_map(|stuck| addresses(&stuck.locks)).chain(wanted).collect()
    }

    fn sites(&self, resolver: &Resolver<'_>, threads: &[Thread], locks: &Locks) -> Vec<Site> {
        self.iter().map(|one| stuck(resolver, one, threads, locks)).collect()
    }

    fn followed<'a>(&self, schedule: &'a Schedule, sites: &[Site]) -> Followed<'a> {
        Followed::to_the_end(schedule, sites, true)
    }
}

fn stuck(resolver: &Resolver<'_>, stuck: &SeenStuck, threads: &[Thread], locks: &Locks) -> Site {
    let holder = stuck.owner.map(|owner| match owner == stuck.thread {
        true => Holder::Itself,
        false => Holder::Thread(resolver.thread_name(owner)),
    });
    let lock = |shared| Wait::Lock { lock: locks.thing(resolver, stuck.object), shared, holder: holder.clone() };
    let on = |sort| resolver.thing(sort, stuck.object);
    let wait = match stuck.op.as_str() {
        "lock" => lock(false),
        "rdlock" => lock(true),
        "join" => Wait::End { thread: stuck.owner.map(|owner| resolver.thread_name(owner)) },
        "wait" => Wait::Signal { condition: on(Sort::Condition), lost: false },
        "sem_wait" => Wait::Post { semaphore: on(Sort::Semaphore) },
        "barrier_exit" | "barrier_enter" => Wait::Barrier { barrier: on(Sort::Barrier) },
        "once_pass" => Wait::Once { once: on(Sort::Once) },
        other => Wait::Other { operation: other.to_owned() },
    };
    Site {
        thread: index_of(threads, stuck.thread),
        does: Act::Wait(wait),
        stack: resolver.sources.stack(&stuck.stack, resolver.symbols, resolver.modules),
        locks: resolver.locks(&stuck.locks, locks),
    }
}

impl Suspect for Deadlock {
    fn kind(&self) -> Kind {
        Kind::DEADLOCK
    }

    fn acts(&self, trace: &Trace) -> Vec<(EventId, Act)> {
        let act = |stuck: &foretrace_finding::Stuck| Act::Wait(steps::waits_for(trace, stuck.waits_for));
        self.stuck().iter().map(|stuck| (stuck.at, act(stuck))).collect()
    }
}
