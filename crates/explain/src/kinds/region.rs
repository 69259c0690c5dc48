//! A region that was meant to be atomic, and was not.

use super::{Failure, addresses};
use crate::resolver::{Locks, Resolver, index_of};
use crate::steps::Followed;
use foretrace_finding::Schedule;
use foretrace_report::{Act, Memory, Site, Thread, Touch, Verb};
use foretrace_run::{SeenAccess, SeenRace, SeenRegion};

impl Failure for SeenRegion {
    fn threads(&self) -> Vec<u32> {
        self.accesses.iter().map(|access| access.thread).collect()
    }

    fn locks(&self) -> Vec<u64> {
        self.accesses.iter().flat_map(|access| addresses(&access.locks)).collect()
    }

    /// In the order in which they came.
    fn sites(&self, resolver: &Resolver<'_>, threads: &[Thread], locks: &Locks) -> Vec<Site> {
        let name = resolver.memory(&as_race(self)).name;
        let site = |access: &SeenAccess| Site {
            thread: index_of(threads, access.thread),
            does: touch(self, access, name.as_deref()),
            stack: resolver.sources.stack(&access.stack, resolver.symbols, resolver.modules),
            locks: resolver.locks(&access.locks, locks),
        };
        self.accesses.iter().map(site).collect()
    }

    fn memory(&self, resolver: &Resolver<'_>) -> Option<Memory> {
        Some(resolver.memory(&as_race(self)))
    }

    /// The story ends where the region is broken: at its second access.
    fn followed<'a>(&self, schedule: &'a Schedule, sites: &[Site]) -> Followed<'a> {
        let done = self.accesses.iter().map(|access| access.step).collect();
        Followed { done, last: 2, ..Followed::to_the_end(schedule, sites, false) }
    }
}

/// The accesses that conflict, of which the memory is known in the same way.
fn as_race(region: &SeenRegion) -> SeenRace {
    let [_, remote, second] = region.accesses.clone();
    let (address, size) = (region.address, region.size);
    SeenRace { address, size, step: None, accesses: [second, remote], memory: None, library: None }
}

fn touch(region: &SeenRegion, access: &SeenAccess, name: Option<&str>) -> Act {
    let verb = if access.write { Verb::Write } else { Verb::Read };
    let (atomic, size, address) = (access.atomic, access.size, Some(region.address));
    Act::Touch(Touch { verb, atomic, size, address, name: name.map(str::to_owned), is_part: access.size > region.size })
}
