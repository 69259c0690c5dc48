//! Races that libstdc++ has in its own code. A program that uses the library as the standard allows cannot avoid them, and
//! what they do to it is nothing: `ctype<char>` keeps a table of conversions that two threads may fill in with the same
//! values (PR 77704), and a load of an `atomic<shared_ptr>` gives its lock back with a relaxed operation.

use foretrace_report::{Finding, Frame, Kind, Report};
use std::collections::BTreeSet;

/// How the functions are named: the beginning, a part of the rest, and what users call them.
const FUNCTIONS: [(&str, &str, &str); 6] = [
    ("std::ctype<char>::narrow(", "", "std::ctype<char>::narrow"),
    ("std::ctype<char>::widen(", "", "std::ctype<char>::widen"),
    ("std::_Sp_atomic<", ">::load(", SHARED),
    ("std::_Sp_atomic<", ">::store(", SHARED),
    ("std::_Sp_atomic<", ">::swap(", SHARED),
    ("std::_Sp_atomic<", ">::compare_exchange_", SHARED),
];
const SHARED: &str = "std::atomic<std::shared_ptr>";
/// The function is among so many innermost calls: others are helpers of the library that it uses.
const NEAR: usize = 3;

/// Takes such races out of the report, and says so.
pub fn hide(report: &mut Report) {
    let mut hidden = BTreeSet::new();
    report.findings.retain(|finding| {
        let known = of(finding);
        hidden.extend(known.clone().unwrap_or_default());
        known.is_none()
    });
    let note = |name| format!("not shown: a race in the C++ library's own code ({name}), which no program can avoid");
    report.notes.extend(hidden.into_iter().map(note));
}

/// The functions of the library, if all accesses of a race are theirs.
fn of(finding: &Finding) -> Option<BTreeSet<&'static str>> {
    let stacks = finding.sites.iter().map(|site| &site.stack);
    let others = finding.also.iter().flat_map(|pair| &pair.accesses).map(|access| &access.stack);
    let is_race = finding.kind == Kind::DATA_RACE && finding.death.is_none();
    is_race.then(|| stacks.chain(others).map(|stack| function(stack)).collect()).flatten()
}

fn function(stack: &[Frame]) -> Option<&'static str> {
    let mut named = stack.iter().take(NEAR).filter_map(|frame| frame.function.as_deref());
    let known = |name: &str| {
        let is_it = |(begin, part, _): &&(&str, &str, &str)| name.starts_with(begin) && name.contains(part);
        FUNCTIONS.iter().find(is_it).map(|(.., known)| *known)
    };
    named.find_map(known)
}

#[cfg(test)]
mod tests {
    use super::*;
    use foretrace_report::{Act, Site, Sort, Thing, Wait};

    fn race(functions: [&str; 2]) -> Finding {
        let frame = |name: &str| Frame { function: Some(name.to_owned()), ..Frame::default() };
        let does = || Act::Wait(Wait::Post { semaphore: Thing::new(Sort::Semaphore, None) });
        let site = |name| Site { thread: 0, does: does(), stack: vec![frame(name), frame("main")], locks: Vec::new() };
        Finding { sites: functions.map(site).into(), ..Finding::new(Kind::DATA_RACE) }
    }

    #[test]
    fn races_between_functions_of_the_library_are_hidden_and_said() {
        let narrow = "std::ctype<char>::narrow(char, char) const";
        let load = "std::_Sp_atomic<std::shared_ptr<int> >::load(std::memory_order) const";
        let end = "std::_Sp_atomic<std::shared_ptr<int> >::~_Sp_atomic()";
        for (functions, left) in [([narrow, narrow], 0), ([load, load], 0), ([load, end], 1), ([narrow, "main"], 1)] {
            let mut report = Report { findings: vec![race(functions)], ..Report::default() };
            hide(&mut report);
            assert_eq!((report.findings.len(), report.notes.len()), (left, 1 - left), "{functions:?}");
        }
    }
}
