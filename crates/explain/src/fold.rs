//! One bug, one finding: races on one variable between the same two functions are one finding with several pairs of places.
//!
//! Which pair of accesses a replay shows first depends on the schedule, and a statement may be several instructions. What
//! stays the same from check to check is the variable and the two functions, so these make the finding and its id. Two
//! deadlocks are the same if their threads wait at the same lines.

use foretrace_report::{Access, Finding, Frame, Kind, Memory, Pair, Site};
use foretrace_search::Confirmed;
use std::collections::{BTreeMap, BTreeSet};

/// The failures of each confirmed finding, by its id. The first is the one that the finding tells.
pub type Failures<'a> = BTreeMap<String, Vec<&'a Confirmed>>;

/// Folds findings of one id. Confirmed ones come before predicted ones. A prediction that does not know what the memory is
/// stands for the same as any finding at its places.
pub(crate) fn all<'a>(told: impl Iterator<Item = (Finding, Option<&'a Confirmed>)>) -> (Vec<Finding>, Failures<'a>) {
    let mut ids = Vec::new();
    let mut groups: BTreeMap<String, Vec<(Finding, Option<&Confirmed>)>> = BTreeMap::new();
    let mut taken = BTreeSet::new();
    for (finding, failure) in told {
        let unknown = finding.memory.as_ref().is_some_and(|memory| memory.name.is_none());
        let again = !taken.insert((finding.kind, places(&finding, |site| place(site, true))));
        if again && unknown && !finding.is_confirmed() {
            continue;
        }
        let group = groups.entry(finding.id.clone()).or_default();
        if group.is_empty() {
            ids.push(finding.id.clone());
        }
        group.push((finding, failure));
    }
    let mut failures = Failures::new();
    let findings = ids.into_iter().filter_map(|id| {
        let (finding, of) = one(groups.remove(&id)?)?;
        failures.insert(id, of);
        Some(finding)
    });
    (findings.collect(), failures)
}

/// One finding of a group: the best pair of places stands for it, the others are listed. What was predicted beside
/// something that was confirmed adds nothing.
fn one(mut group: Vec<(Finding, Option<&Confirmed>)>) -> Option<(Finding, Vec<&Confirmed>)> {
    let confirmed = group.iter().any(|(finding, _)| finding.is_confirmed());
    group.retain(|(finding, _)| finding.is_confirmed() == confirmed);
    group.sort_by_cached_key(|(finding, _)| (finding.repeats.is_some(), places(finding, line_and_column)));
    let failures = group.iter().filter_map(|(_, failure)| *failure).collect();
    let mut group = group.into_iter().map(|(finding, _)| finding);
    let mut first = group.next()?;
    let mut known = BTreeSet::from([places(&first, line_only)]);
    for other in group.filter(|other| other.kind == Kind::DATA_RACE) {
        if known.insert(places(&other, line_only)) {
            first.also.push(pair(other));
        }
    }
    Some((first, failures))
}

fn pair(finding: Finding) -> Pair {
    let access = |site: Site| Access { does: site.does, stack: site.stack };
    Pair { accesses: finding.sites.into_iter().map(access).collect() }
}

/// Something of each site, in order.
fn places<T: Ord>(finding: &Finding, of: impl Fn(&Site) -> T) -> Vec<T> {
    let mut places: Vec<T> = finding.sites.iter().map(of).collect();
    places.sort();
    places
}

fn line_and_column(site: &Site) -> Option<(Option<String>, u32, u32)> {
    site.top().map(|frame| (frame.file.clone(), frame.line, frame.column))
}

fn line_only(site: &Site) -> Option<(Option<String>, u32, u64)> {
    let offset = |frame: &Frame| if frame.line == 0 { frame.offset } else { 0 };
    site.top().map(|frame| (frame.file.clone(), frame.line, offset(frame)))
}

/// The same for the same error in another build and another run: no addresses and no numbers of lines. A race is identified by
/// its variable and the two functions, or by the statements if nothing is known of the memory; a deadlock by the text of
/// its lines.
pub(crate) fn fingerprint(kind: Kind, memory: Option<&Memory>, property: Option<&str>, sites: &[Site]) -> u32 {
    let variable = memory.and_then(variable);
    let is_race = kind == Kind::DATA_RACE;
    // What violates a property comes first; what led there may differ.
    let sites = if property.is_some() { &sites[..1.min(sites.len())] } else { sites };
    let mut words: Vec<String> = match &variable {
        Some(_) if is_race => sites.iter().map(function).collect(),
        _ => sites.iter().map(|site| place(site, is_race)).collect(),
    };
    words.sort();
    words.insert(0, variable.unwrap_or_default());
    words.extend(property.map(str::to_owned));
    words.extend(memory.filter(|memory| memory.freed).map(|_| "freed".to_owned()));
    let hash = words
        .join("\n")
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    (hash ^ hash >> 32) as u32
}

/// Where a block comes from, or what other memory is called. Members of a block are not told apart: a block that is published
/// too early races in all of them. Neither are members that belong to the C++ library: a call on a container touches
/// several.
fn variable(memory: &Memory) -> Option<String> {
    let block = memory.origin.block().and_then(|block| block.place()).map(line);
    let name = || memory.name.as_deref().map(without_indices).map(|name| of_the_user(&name).to_owned());
    block.or_else(|| match &memory.function {
        Some(function) => Some(format!("{function} {}", name()?)),
        None => name(),
    })
}

/// A name up to the first member that belongs to the C++ library.
fn of_the_user(name: &str) -> &str {
    ["._M_", "._Vector_", ".std::"].iter().filter_map(|member| name.find(member)).min().map_or(name, |end| &name[..end])
}

/// Which entry of an array it is, and which byte of a variable, differs from run to run.
pub fn without_indices(name: &str) -> String {
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let whole = name.rsplit_once('+').filter(|(_, byte)| is_number(byte)).map_or(name, |(whole, _)| whole);
    let mut parts = whole.split('[');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| match part.split_once(']') {
        Some((index, rest)) if is_number(index) => format!("{text}[]{rest}"),
        _ => format!("{text}[{part}"),
    })
}

/// The function that a thread fails in: the user's, or else the function of the C++ library that was called from outside of
/// it, for example a destructor.
fn function(site: &Site) -> String {
    let Some(top) = site.top() else { return String::new() };
    let outermost = || site.stack.iter().rfind(|frame| frame.file.is_some() && frame.module == top.module);
    let frame = if top.is_own() { top } else { outermost().unwrap_or(top) };
    match &frame.function {
        Some(function) => format!("{} {function}", frame.file.as_deref().unwrap_or(&frame.module)),
        None => line(frame),
    }
}

/// Where a thread fails. If nothing else tells two errors of a line apart, the statement does.
fn place(site: &Site, with_statement: bool) -> String {
    let Some(frame) = site.top() else { return String::new() };
    let statement = frame.statement().filter(|_| with_statement).unwrap_or_default();
    format!("{} {statement}", line(frame))
}

/// A line by its text; by its number only if it cannot be read.
fn line(frame: &Frame) -> String {
    let file = frame.file.as_deref().unwrap_or(&frame.module);
    match &frame.source {
        Some(source) => format!("{file} {} {}", frame.name(), source.trim()),
        None => format!("{} {}", frame.name(), frame.short()),
    }
}

#[cfg(test)]
mod tests {
    use super::{all, fingerprint, without_indices};
    use foretrace_report::{Act, Block, Finding, Frame, Kind, Memory, Operation, Origin, Site, Status, What};

    fn frame(file: &str, line: u32, column: u32, source: &str) -> Frame {
        let (function, source) = (Some("work".to_owned()), Some(source.to_owned()));
        Frame { function, file: Some(file.to_owned()), line, column, source, ..Frame::default() }
    }

    fn site(stack: Vec<Frame>) -> Site {
        Site { thread: 0, does: Act::Operation(Operation::new(What::Begin)), stack, locks: Vec::new() }
    }

    fn memory(name: Option<&str>, origin: Origin, address: u64) -> Memory {
        Memory {
            name: name.map(str::to_owned),
            function: None,
            origin,
            address,
            size: 4,
            freed: false,
            freed_twice: false,
        }
    }

    fn heap(line: u32, source: &str) -> Origin {
        let allocated = vec![frame("a/main.c", line, 1, source)];
        Origin::Heap(Block { address: 64, size: 8, thread: "t1".to_owned(), allocated })
    }

    const SOURCE: &str = "{ a++; b++; p->x = p->x + 1; p->y++; return p; }";

    fn of(file: &str, column: u32, memory: &Memory) -> u32 {
        let at = |line| site(vec![frame(file, line, column, SOURCE)]);
        fingerprint(Kind::DATA_RACE, Some(memory), None, &[at(3), at(4)])
    }

    #[test]
    fn variables_of_one_line_are_different_errors() {
        let (a, b) = (memory(Some("a"), Origin::Global, 1), memory(Some("b"), Origin::Global, 2));
        assert_ne!(of("a/main.c", 3, &a), of("a/main.c", 8, &b));
        assert_ne!(of("a/main.c", 3, &a), of("b/main.c", 3, &a));
        assert_eq!(of("a/main.c", 3, &a), of("a/main.c", 4, &Memory { address: 9, ..a.clone() }));
        assert_ne!(of("a/main.c", 3, &a), of("a/main.c", 3, &Memory { freed: true, ..a.clone() }));
    }

    #[test]
    fn blocks_of_one_place_are_one_variable() {
        let block = memory(None, heap(1, "p = malloc(8);"), 64);
        assert_eq!(of("a/main.c", 13, &block), of("a/main.c", 30, &block));
        assert_ne!(of("a/main.c", 13, &block), of("a/main.c", 13, &memory(None, heap(2, "p = calloc(8, 1);"), 64)));
        assert_eq!(of("a/main.c", 13, &block), of("a/main.c", 13, &memory(None, heap(7, "p = malloc(8);"), 72)));
        let [x, y] = ["p.x", "p.y"].map(|name| memory(Some(name), heap(1, "p = malloc(8);"), 64));
        assert_eq!(of("a/main.c", 13, &x), of("a/main.c", 13, &y));
    }

    #[test]
    fn what_a_container_does_inside_is_one_error() {
        let header = |line, name: &str| Frame {
            function: Some(name.to_owned()),
            ..frame("/usr/include/c++/12/bits/stl_vector.h", line, 15, "_M_deallocate(_M_impl._M_start,")
        };
        let destroyed = header(733, "std::vector<int>::~vector()");
        let inner = vec![header(366, "std::_Vector_base<int>::~_Vector_base()"), destroyed.clone()];
        let of = |member: &str, stack: &[Frame]| {
            let sites = [site(stack.to_vec()), site(vec![frame("a/main.cc", 3, 1, "log.push_back(1);")])];
            fingerprint(Kind::DATA_RACE, Some(&memory(Some(member), Origin::Global, 64)), None, &sites)
        };
        let whole = of("log", std::slice::from_ref(&destroyed));
        assert_eq!(of("log._M_impl._M_finish", &inner), whole);
        assert_ne!(of("other._M_impl._M_finish", &inner), whole);
        assert_ne!(of("log", &[frame("a/main.cc", 9, 1, "log.size()")]), whole);
    }

    #[test]
    fn entries_of_an_array_are_one_variable() {
        assert_eq!(without_indices("table[3].row[12].lock"), "table[].row[].lock");
        assert_eq!(without_indices("count"), "count");
        assert_eq!(without_indices("p.value+3"), "p.value");
        assert_eq!(without_indices("f[abi:cxx11]::cache"), "f[abi:cxx11]::cache");
    }

    fn finding(status: Status, memory: Memory, (line, column): (u32, u32), source: &str) -> Finding {
        let sites = vec![site(vec![frame("a/main.c", line, column, source)])];
        let id = fingerprint(Kind::DATA_RACE, Some(&memory), None, &sites).to_string();
        Finding { id, status, memory: Some(memory), sites, ..Finding::new(Kind::DATA_RACE) }
    }

    fn folded(findings: impl IntoIterator<Item = Finding>) -> Vec<Finding> {
        all(findings.into_iter().map(|finding| (finding, None))).0
    }

    #[test]
    fn a_prediction_of_unknown_memory_is_not_told_beside_a_confirmed_race_of_its_lines() {
        let source = "{ p->x++; q->x++; }";
        let predicted =
            |column| finding(Status::Predicted(String::new()), memory(None, Origin::Unknown, 64), (3, column), source);
        let block = memory(None, heap(1, "p = malloc(8);"), 64);
        let confirmed = finding(Status::Confirmed, block, (3, 3), source);
        assert_eq!(folded([confirmed.clone(), predicted(3), predicted(11)]), [confirmed, predicted(11)]);
    }

    #[test]
    fn pairs_of_one_variable_and_one_pair_of_functions_are_one_finding() {
        let at = |line, column| {
            finding(Status::Confirmed, memory(Some("x"), Origin::Global, 64), (line, column), "x = x + 1;")
        };
        let mut often = at(2, 1);
        often.repeats = Some((3, 8));
        for order in [[at(7, 1), at(3, 1), at(3, 5), often.clone()], [often, at(3, 5), at(3, 1), at(7, 1)]] {
            let [one] = folded(order).try_into().expect("one finding");
            assert_eq!(one.place().map(|frame| (frame.line, frame.column)), Some((3, 1)));
            let mut lines: Vec<u32> = one.also.iter().map(|pair| pair.accesses[0].stack[0].line).collect();
            lines.sort_unstable();
            assert_eq!(lines, [2, 7], "the lines of each pair once");
        }
    }
}
