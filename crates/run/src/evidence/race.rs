//! Two unordered accesses.

use foretrace_event::EventId;
use foretrace_finding::{Candidate, Race};
use foretrace_trace::Trace;

use super::Failure;
use crate::{Modules, Run, SeenRace};

/// The races of a run. A race that a library may prevent is not one.
pub(super) fn in_run(run: &Run) -> impl Iterator<Item = SeenRace> + '_ {
    run.outcome.races.iter().filter(|race| race.library.is_none()).cloned()
}

impl Failure for SeenRace {
    fn rule(&self) -> &'static str {
        "data-race"
    }

    fn pcs(&self) -> Vec<u64> {
        self.accesses.iter().map(|access| access.pc).collect()
    }

    fn shows(&self, candidate: &Candidate, recorded: (&Trace, &Modules), modules: &Modules) -> bool {
        matches!(candidate, Candidate::Race(race) if same_race(self, race, recorded, modules))
    }

    fn is_of(&self, candidate: &Candidate, (trace, recorded): (&Trace, &Modules), modules: &Modules) -> bool {
        let Candidate::Race(race) = candidate else { return false };
        let place = |event: EventId| (event.thread.0, recorded.locate(trace.pc(event)));
        let mut places = self.accesses.each_ref().map(|access| (access.thread, modules.locate(access.pc)));
        places.sort();
        places == [place(race.first), place(race.second)]
    }
}

/// Is it the same variable? A global has the same place in its file, a heap variable the same offset in a block from
/// the same place, and a stack variable is identified by the places that access it.
pub fn same_race(seen: &SeenRace, race: &Race, (trace, recorded): (&Trace, &Modules), modules: &Modules) -> bool {
    let interval = trace.interval(race.interval);
    if modules.find(seen.address).is_some() {
        let (file, start) = recorded.locate(interval.address);
        let (seen_file, seen_start) = modules.locate(seen.address);
        return file == seen_file && seen_start < start + interval.length && start < seen_start + seen.size;
    }
    if let (Some(block), Some(allocation)) = (seen.block(), trace.allocation(race.interval)) {
        let place = recorded.locate(allocation.pc);
        let (seen_at, at) =
            (seen.address.wrapping_sub(block.address), interval.address.wrapping_sub(allocation.address));
        let overlap = seen_at < at.saturating_add(interval.length) && at < seen_at.saturating_add(seen.size);
        return overlap && block.stack.iter().any(|pc| modules.locate(*pc) == place);
    }
    let mut threads = seen.accesses.each_ref().map(|access| access.thread);
    threads.sort_unstable();
    threads == [race.first.thread.0, race.second.thread.0]
}
