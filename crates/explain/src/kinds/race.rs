//! Two unordered accesses.

use super::{Failure, Suspect, addresses};
use crate::resolver::{Locks, Resolver, index_of};
use crate::steps::{self, Followed};
use foretrace_event::{Event, EventId};
use foretrace_finding::{Race, Schedule};
use foretrace_report::{Act, Kind, Memory, Origin, Site, Thread, Touch, Verb};
use foretrace_run::{SeenAccess, SeenRace};
use foretrace_trace::Trace;

impl Failure for SeenRace {
    fn threads(&self) -> Vec<u32> {
        self.accesses.iter().map(|access| access.thread).collect()
    }

    fn locks(&self) -> Vec<u64> {
        self.accesses.iter().flat_map(|access| addresses(&access.locks)).collect()
    }

    fn sites(&self, resolver: &Resolver<'_>, threads: &[Thread], locks: &Locks) -> Vec<Site> {
        let name = resolver.memory(self).name;
        let site = |access: &SeenAccess| Site {
            thread: index_of(threads, access.thread),
            does: touch(self, access, name.as_deref()),
            stack: resolver.sources.stack(&access.stack, resolver.symbols, resolver.modules),
            locks: resolver.locks(&access.locks, locks),
        };
        self.accesses.iter().map(site).collect()
    }

    fn memory(&self, resolver: &Resolver<'_>) -> Option<Memory> {
        Some(resolver.memory(self))
    }

    fn followed<'a>(&self, schedule: &'a Schedule, _: &[Site]) -> Followed<'a> {
        let done = self.accesses.iter().map(|access| access.step).collect();
        Followed {
            schedule,
            until: self.step,
            done,
            waits: false,
            failing: self.accesses.len(),
            last: 0,
            told: Vec::new(),
            automaton: None,
        }
    }
}

fn touch(race: &SeenRace, access: &SeenAccess, name: Option<&str>) -> Act {
    let verb = match race.block() {
        Some(block) if access.free && block.mapped => Verb::Unmap,
        Some(_) if access.free => Verb::FreeBlock,
        None if access.free => Verb::Free,
        _ if access.write => Verb::Write,
        _ => Verb::Read,
    };
    let (atomic, size, address) = (access.atomic, access.size, Some(race.address));
    let (name, is_part) = (name.map(str::to_owned), access.size > race.size);
    Act::Touch(Touch { verb, atomic, size, address, name, is_part })
}

impl Suspect for Race {
    fn kind(&self) -> Kind {
        Kind::DATA_RACE
    }

    fn acts(&self, trace: &Trace) -> Vec<(EventId, Act)> {
        let info = trace.interval(self.interval);
        let touch = |verb| {
            let (name, size) = (info.name.as_deref().map(str::to_owned), info.length);
            Act::Touch(Touch { verb, atomic: false, size, address: None, name, is_part: false })
        };
        let does = |id: EventId| match trace.event(id) {
            Event::Read(_) => (id, touch(Verb::Read)),
            Event::Write(_) => (id, touch(Verb::Write)),
            other => (id, Act::Operation(steps::operation(trace, other))),
        };
        vec![does(self.first), does(self.second)]
    }

    fn memory(&self, trace: &Trace) -> Option<Memory> {
        let info = trace.interval(self.interval);
        Some(Memory {
            name: info.name.as_deref().map(str::to_owned),
            function: None,
            origin: if info.name.is_some() { Origin::Global } else { Origin::Unknown },
            address: info.address,
            size: info.length,
            freed: false,
            freed_twice: false,
        })
    }
}
