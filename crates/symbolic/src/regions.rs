//! Which accesses of other threads might break the regions of a run that are meant to be atomic (section 5.1 of the paper).

use crate::model::Model;
use crate::site::Site;
use foretrace_cssa::goals::{self, Region, Triple};
use foretrace_ctp::{Ctp, EventId};
use foretrace_explore::Step;
use foretrace_explore::regions::Regions;
use rustc_hash::FxHashMap;

/// Triples with the same three places, at most: of more, some from each part of the run.
const MOST_ALIKE: usize = 8;
/// Combinations of accesses that are looked at, at most: runs with more have regions that are too long.
const MOST_LOOKED_AT: usize = 20_000_000;

/// Three accesses of which the middle one may break a region.
pub struct Suspect {
    pub site: Site,
    pub triple: Triple,
}

/// What is to be asked about the regions of a run; what always comes before what, and locks, leave out most.
pub fn suspects(model: &Model, steps: &[Step], regions: Option<Regions>) -> Vec<Suspect> {
    let Some(regions) = regions else { return Vec::new() };
    let mut all = goals::marked_regions(&model.ctp);
    if regions == Regions::Sections {
        all.extend(goals::critical_sections(&model.ctp));
    }
    if all.is_empty() || combinations(&model.ctp, &all) > MOST_LOOKED_AT {
        return Vec::new();
    }
    let place = |id: EventId| {
        let step = model.ctp.event(id).link.and_then(|link| steps.get(link.index as usize));
        step.map_or(0, |step| step.place)
    };
    let mut alike: FxHashMap<[u64; 3], Vec<Triple>> = FxHashMap::default();
    for triple in goals::triples(&model.ctp, &all).1 {
        alike.entry([triple.first, triple.remote, triple.second].map(place)).or_default().push(triple);
    }
    let mut found: Vec<(Site, Vec<Triple>)> =
        alike.into_iter().map(|(places, triples)| (Site::Region(places), triples)).collect();
    found.sort_unstable_by_key(|(_, triples)| triples[0]);
    found.iter().flat_map(|(site, triples)| some(triples).map(move |triple| Suspect { site: *site, triple })).collect()
}

fn some(triples: &[Triple]) -> impl Iterator<Item = Triple> {
    triples.iter().step_by(triples.len().div_ceil(MOST_ALIKE).max(1)).copied()
}

fn combinations(ctp: &Ctp, regions: &[Region]) -> usize {
    let accesses = ctp.events().filter(|(_, event)| event.action.place().is_some()).count();
    let of = |region: &Region| (region.last.index - region.first.index) as usize;
    regions.iter().map(|region| of(region).pow(2) * accesses).sum()
}
