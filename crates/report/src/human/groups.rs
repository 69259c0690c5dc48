//! Threads that are at the same place, told as one.

use crate::model::{Finding, Frame, Site};

/// So many threads at one place are shown one by one.
const FEW: usize = 3;
/// Of more, so many are.
const EXAMPLES: usize = 2;

/// The sites that are shown, in order, and for the last of each place those that are not.
pub(super) fn of(finding: &Finding) -> Vec<(&Site, Vec<&Site>)> {
    let mut places: Vec<Vec<&Site>> = Vec::new();
    for site in &finding.sites {
        match places.iter_mut().find(|place| calls(place[0]) == calls(site)) {
            Some(place) => place.push(site),
            None => places.push(vec![site]),
        }
    }
    places.into_iter().flat_map(examples).collect()
}

fn examples(mut place: Vec<&Site>) -> Vec<(&Site, Vec<&Site>)> {
    let shown = if place.len() > FEW { EXAMPLES } else { place.len() };
    let rest = place.split_off(shown);
    let mut shown: Vec<(&Site, Vec<&Site>)> = place.into_iter().map(|site| (site, Vec::new())).collect();
    if let Some((_, others)) = shown.last_mut() {
        *others = rest;
    }
    shown
}

type Call<'a> = (Option<&'a str>, u32, u32, &'a str);

fn calls(site: &Site) -> Vec<Call<'_>> {
    fn call(frame: &Frame) -> Call<'_> {
        (frame.file.as_deref(), frame.line, frame.column, frame.name())
    }
    site.stack.iter().map(call).collect()
}

#[cfg(test)]
mod tests {
    use super::of;
    use crate::act::{Act, Operation, What};
    use crate::model::Kind;
    use crate::model::{Finding, Frame, Site};

    #[test]
    fn many_threads_of_one_place_are_told_as_one() {
        let site = |thread: usize, line: u32| Site {
            thread,
            does: Act::Operation(Operation::new(What::Begin)),
            stack: vec![Frame { line, ..Frame::default() }],
            locks: Vec::new(),
        };
        let shown = |sites: Vec<Site>| {
            let finding = Finding { sites, ..Finding::new(Kind::DEADLOCK) };
            of(&finding).into_iter().map(|(site, rest)| (site.thread, rest.len())).collect::<Vec<_>>()
        };
        let mut sites: Vec<Site> = (0..5).map(|thread| site(thread, 7)).collect();
        sites.insert(1, site(9, 8));
        assert_eq!(shown(sites), [(0, 0), (1, 3), (9, 0)]);
        assert_eq!(shown((0..3).map(|thread| site(thread, 7)).collect()), [(0, 0), (1, 0), (2, 0)]);
    }
}
