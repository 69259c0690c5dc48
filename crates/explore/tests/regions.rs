//! AeroDrome against the definition, on random executions.

use foretrace_explore::regions::{Regions, broken, broken_naively};
use foretrace_explore::{OpKind, Operation, Random, Step, ThreadId, ThreadSet};

fn step(thread: u32, kind: OpKind, object: u64, size: u64) -> Step {
    let enabled: ThreadSet = std::iter::once(ThreadId(thread)).collect();
    let operation = Operation::new(kind, object).with(size);
    Step { thread: ThreadId(thread), alternative: 0, alternatives: 1, operation, enabled, place: 0 }
}

/// Steps of up to four threads, in which every region that begins ends.
fn random(random: &mut Random) -> Vec<Step> {
    let threads = 2 + random.below(3);
    let mut depth = vec![0_u32; threads as usize];
    let mut steps = Vec::new();
    for _ in 0..4 + random.below(16) {
        let thread = random.below(threads) as u32;
        let own = &mut depth[thread as usize];
        match random.below(6) {
            0 if *own < 2 => {
                *own += 1;
                steps.push(step(thread, OpKind::RegionBegin, 0, 0));
            }
            1 if *own > 0 => {
                *own -= 1;
                steps.push(step(thread, OpKind::RegionEnd, 0, 0));
            }
            _ => {
                let kinds = [OpKind::PlainRead, OpKind::PlainWrite, OpKind::Load, OpKind::Store, OpKind::Update];
                let kind = kinds[random.below(5) as usize];
                steps.push(step(thread, kind, 0x1000 + 2 * random.below(4), 1 + random.below(4)));
            }
        }
    }
    let ends = depth.iter().enumerate().flat_map(|(thread, depth)| (0..*depth).map(move |_| thread as u32));
    steps.extend(ends.map(|thread| step(thread, OpKind::RegionEnd, 0, 0)));
    steps
}

#[test]
fn clocks_agree_with_the_definition() {
    let mut random_numbers = Random::new(18);
    let mut found = 0;
    for round in 0..20_000 {
        let steps = random(&mut random_numbers);
        let is_broken = broken_naively(&steps, Regions::Marked);
        found += u32::from(is_broken);
        assert_eq!(!broken(&steps, Regions::Marked).is_empty(), is_broken, "round {round}: {steps:#?}");
    }
    assert!((4_000..16_000).contains(&found), "{found} of 20000 are broken");
}

/// What a report names: an access of the region, one of another thread that conflicts, and one of the region that conflicts.
#[test]
fn the_accesses_that_are_named_conflict() {
    let mut random_numbers = Random::new(19);
    for _ in 0..5_000 {
        let steps = random(&mut random_numbers);
        for one in broken(&steps, Regions::Marked) {
            let [begin, first, remote, second] = [one.begin, one.first, one.remote, one.second];
            assert!(begin < first && first < remote && remote < second, "{one:?}");
            assert_eq!([steps[begin].thread, steps[first].thread], [steps[second].thread; 2]);
            assert_ne!(steps[remote].thread, steps[second].thread);
            let conflicts = |own: usize| steps[remote].operation.conflicts_with(&steps[own].operation);
            assert!(conflicts(first) || conflicts(second), "{one:?}");
        }
    }
}

/// The eight combinations of reads and writes of one variable: five are errors (section 5.1 of Wang et al.).
#[test]
fn five_of_eight_triples_are_errors() {
    let mut errors = Vec::new();
    for kinds in 0..8 {
        let kind = |bit: u32| if kinds >> bit & 1 == 1 { OpKind::PlainWrite } else { OpKind::PlainRead };
        let steps = [
            step(1, OpKind::RegionBegin, 0, 0),
            step(1, kind(2), 8, 4),
            step(2, kind(1), 8, 4),
            step(1, kind(0), 8, 4),
            step(1, OpKind::RegionEnd, 0, 0),
        ];
        if !broken(&steps, Regions::Marked).is_empty() {
            errors.push(format!("{kinds:03b}").replace('0', "r").replace('1', "w"));
        }
    }
    assert_eq!(errors, ["rwr", "rww", "wrw", "wwr", "www"]);
}

#[test]
fn critical_sections_are_regions_if_that_is_wanted() {
    let pair = |thread| {
        [(OpKind::Lock, 0x40), (OpKind::PlainRead, 8), (OpKind::Unlock, 0x40), (OpKind::PlainRead, 8)]
            .map(|(kind, object)| step(thread, kind, object, 4))
    };
    let mut steps = pair(1).to_vec();
    assert!(broken(&steps, Regions::Sections).is_empty());
    // A write without the lock, in the critical section of another thread that then reads again.
    steps.insert(2, step(2, OpKind::PlainWrite, 8, 4));
    steps.insert(3, step(1, OpKind::PlainRead, 8, 4));
    assert!(broken(&steps, Regions::Marked).is_empty());
    assert_eq!(broken(&steps, Regions::Sections).len(), 1);
}
