//! Waits in loops that check their condition (thesis, 4.3.2 and Figure 4.6).
//!
//! `lock; while (!ready) wait; unlock` cannot miss a signal of a thread that changes `ready` under the lock. The running
//! program says before each wait whether it is in such a loop (`__foretrace_wait_in_loop`), and the recording keeps it with
//! the wait. A wait is marked if
//!
//! * it is in a loop;
//! * an operation that takes its lock dominates the loop's header;
//! * between the two, a branch can lead around the wait, so that something is checked first;
//! * on every way from each exit of the loop to the function's return, the lock is given back.
//!
//! **Deviations** from Figure 4.6. The wait itself stays an event, because a replay enforces it; a loop that does not wait has
//! none. Loops may have several back edges and exits. The check before the wait is asked for, because an optimised `while` has
//! the form of a `do`. In C++ the lock is an object whose destructor gives it back, so its exits are not examined, and the waits
//! that take a predicate are loops of the standard library, which the standard allows to be called only with the lock held.
//!
//! **What it misses.** Locks that a caller takes, and waits in a function that is called from the loop.

use crate::call::Call;
use crate::function::{Definitions, Function};
use crate::graph::Graph;
use crate::module::Module;
use crate::pass::{Pass, Purpose, Refusal};
use std::fmt;

/// Marks waits in loops.
pub struct MarkWaitLoops;

/// Why a wait is not marked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unmet {
    /// It is in no loop.
    NoLoop,
    /// Nothing that takes its lock comes before the loop on every way.
    NoLock,
    /// Nothing is checked between the lock and the wait.
    NoCheck,
    /// The loop can be left without giving the lock back.
    NoUnlock,
}

impl fmt::Display for Unmet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoLoop => "it is in no loop",
            Self::NoLock => "its lock is not taken before the loop in this function",
            Self::NoCheck => "nothing is checked between taking the lock and waiting",
            Self::NoUnlock => "the lock is not given back after the loop in this function",
        })
    }
}

/// A wait that is not marked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnmarkedWait {
    /// The function that it is in, by its source name if that is known.
    pub function: String,
    /// Why.
    pub why: Unmet,
}

impl Pass for MarkWaitLoops {
    fn name(&self) -> &'static str {
        "mark-wait-loops"
    }

    fn purpose(&self) -> Purpose {
        Purpose::Speed
    }

    fn run(&self, module: &mut Module<'_>) -> Result<bool, Refusal> {
        let mut changed = false;
        for definition in module.definitions_mut() {
            if !definition.lines().any(may_wait) {
                continue;
            }
            let symbol = definition.signature().map_or("", |signature| signature.name).to_owned();
            definition.rewrite(|function| {
                let marked: Vec<_> = waits(function, &symbol).into_iter().filter(|(_, why)| why.is_none()).collect();
                // From the last to the first, so that the lines before keep their numbers.
                for ((block, line), _) in marked.iter().rev() {
                    function.blocks[*block].lines.insert(*line, format!("  call void @{MARK}()"));
                }
                changed |= !marked.is_empty();
                !marked.is_empty()
            });
        }
        if changed {
            module.declare(&format!("void @{MARK}()"));
        }
        Ok(changed)
    }
}

const MARK: &str = "__foretrace_wait_in_loop";

/// The waits of a module that are not marked.
pub fn unmarked_waits(text: &str) -> Vec<UnmarkedWait> {
    let mut module = Module::parse(text);
    let debug = module.debug();
    let mut found = Vec::new();
    for definition in module.definitions_mut() {
        if !definition.lines().any(may_wait) {
            continue;
        }
        let Some(signature) = definition.signature() else { continue };
        let symbol = signature.name.to_owned();
        let place = signature.debug.and_then(|number| debug.place(number));
        let name = place.map_or(symbol.clone(), |place| place.function.to_owned());
        definition.rewrite(|function| {
            let unmet = waits(function, &symbol).into_iter().filter_map(|(_, why)| why);
            found.extend(unmet.map(|why| UnmarkedWait { function: name.clone(), why }));
            false
        });
    }
    found
}

/// Waits, each with the position of the lock among its arguments.
const WAITS: [(&str, usize); 6] = [
    ("pthread_cond_wait", 1),
    ("pthread_cond_timedwait", 1),
    ("pthread_cond_clockwait", 1),
    ("cnd_wait", 1),
    ("cnd_timedwait", 1),
    (CXX_WAIT, 1),
];
const CXX_WAIT: &str = "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE";
/// The same with a predicate: a loop of the standard library.
const WAIT_UNTIL: &str = "_ZNSt18condition_variable4waitI";
/// What takes the lock that is the first argument.
const LOCKS: [&str; 6] = [
    "pthread_mutex_lock",
    "mtx_lock",
    "_ZNSt5mutex4lockEv",
    "_ZNSt11unique_lockISt5mutexEC1ERS0_",
    "_ZNSt11unique_lockISt5mutexEC2ERS0_",
    "_ZNSt11unique_lockISt5mutexE4lockEv",
];
/// What gives it back.
const UNLOCKS: [&str; 2] = ["pthread_mutex_unlock", "mtx_unlock"];

fn may_wait(line: &str) -> bool {
    line.contains("_wait(") || line.contains("wait(ptr") || line.contains(CXX_WAIT)
}

/// The waits of a function, by block and line, and why each is not marked, if it is not.
fn waits(function: &Function, symbol: &str) -> Vec<((usize, usize), Option<Unmet>)> {
    let Some(graph) = Graph::new(function) else { return Vec::new() };
    let shape = Shape { function, definitions: function.definitions(), graph, symbol };
    let mut waits = Vec::new();
    for (number, block) in function.blocks.iter().enumerate() {
        for (line, text) in block.lines.iter().enumerate() {
            let Some(call) = Call::parse(text) else { continue };
            let Some((name, lock)) = WAITS.into_iter().find(|(name, _)| *name == call.callee) else { continue };
            let Some(lock) = call.arguments.get(lock) else { continue };
            waits.push(((number, line), shape.unmet(number, lock.value, name == CXX_WAIT)));
        }
    }
    waits
}

/// A function and what is known about it.
struct Shape<'a> {
    function: &'a Function,
    definitions: Definitions,
    graph: Graph,
    symbol: &'a str,
}

/// How far the computation of a lock's address is followed.
const DEPTH: usize = 8;

impl Shape<'_> {
    fn unmet(&self, wait: usize, lock: &str, is_cxx: bool) -> Option<Unmet> {
        let Some((header, blocks)) = self.loop_around(wait) else { return Some(Unmet::NoLoop) };
        let place = self.expression(lock, DEPTH);
        let takes = |block: &usize| {
            // The constructor of a C++ lock may be inlined: then its mutex is what is locked.
            self.calls(*block, &LOCKS, |name, first| name == "pthread_mutex_lock" && is_cxx || first == place)
        };
        let before = |block: &usize| *block != header && self.graph.dominates(*block, header);
        let by_contract = self.symbol.starts_with(WAIT_UNTIL);
        let locked = (0..self.graph.next.len()).filter(before).find(takes);
        let Some(from) = locked.or(by_contract.then_some(0)) else { return Some(Unmet::NoLock) };
        if !self.is_checked(from, wait) {
            return Some(Unmet::NoCheck);
        }
        let left = |block: &&usize| !blocks.contains(*block);
        let mut exits = blocks.iter().flat_map(|block| self.graph.next[*block].iter().filter(left));
        let gives_back = |block: usize| self.calls(block, &UNLOCKS, |_, first| first == place);
        let is_left_locked = !is_cxx && exits.any(|exit| !self.on_every_way(*exit, &gives_back, None));
        is_left_locked.then_some(Unmet::NoUnlock)
    }

    /// The innermost loop around a block: its header and its blocks.
    fn loop_around(&self, block: usize) -> Option<(usize, Vec<usize>)> {
        let headers = (0..self.graph.next.len()).filter(|header| self.graph.dominates(*header, block));
        let loops = headers.filter_map(|header| {
            let latches = self.graph.previous[header].iter().copied();
            let latches: Vec<usize> = latches.filter(|latch| self.graph.dominates(header, *latch)).collect();
            let blocks = self.reaching(&latches, header);
            blocks.contains(&block).then_some((header, blocks))
        });
        loops.min_by_key(|(_, blocks)| blocks.len())
    }

    /// The header, and the blocks that reach these without passing it; none if there are none.
    fn reaching(&self, latches: &[usize], header: usize) -> Vec<usize> {
        if latches.is_empty() {
            return Vec::new();
        }
        let mut found = vec![header];
        let mut open = latches.to_vec();
        while let Some(block) = open.pop() {
            if !found.contains(&block) {
                found.push(block);
                open.extend(&self.graph.previous[block]);
            }
        }
        found
    }

    /// Does a branch behind `from`, which comes before the wait on every way to it, also lead elsewhere?
    fn is_checked(&self, from: usize, wait: usize) -> bool {
        let behind =
            |block: &usize| *block != wait && self.graph.dominates(from, *block) && self.graph.dominates(*block, wait);
        let at_wait = |block: usize| block == wait;
        // A thread that takes the lock again has gone around the wait, too.
        let goes_around = |block: usize| block == from || !self.on_every_way(block, &at_wait, Some(from));
        (0..self.graph.next.len())
            .filter(behind)
            .any(|block| self.graph.next[block].iter().any(|next| goes_around(*next)))
    }

    /// Does every way from a block to the end of the function, or to this block, pass such a block? Ways that go nowhere do
    /// not count.
    fn on_every_way(&self, from: usize, such: &dyn Fn(usize) -> bool, end: Option<usize>) -> bool {
        let (mut seen, mut open) = (vec![false; self.graph.next.len()], vec![from]);
        while let Some(block) = open.pop() {
            if std::mem::replace(&mut seen[block], true) || such(block) {
                continue;
            }
            let returns = |line: &String| line.trim_start().starts_with("ret ");
            if end == Some(block) || self.function.blocks[block].lines.last().is_some_and(returns) {
                return false;
            }
            open.extend(&self.graph.next[block]);
        }
        true
    }

    /// Does a block call one of these functions with such a first argument?
    fn calls(&self, block: usize, names: &[&str], such: impl Fn(&str, String) -> bool) -> bool {
        let calls = self.function.blocks[block].lines.iter().filter_map(|line| Call::parse(line));
        let mut named = calls.filter(|call| names.contains(&call.callee));
        named.any(|call| {
            call.arguments.first().is_some_and(|first| such(call.callee, self.expression(first.value, DEPTH)))
        })
    }

    /// How a value is computed, as a text that is the same for the same computation.
    fn expression(&self, value: &str, depth: usize) -> String {
        let line = self.definitions.get(value).and_then(|(block, line)| self.function.blocks[*block].lines.get(*line));
        let code = line.and_then(|line| line.split_once(" = ")).map(|(_, code)| code);
        let pure = ["getelementptr ", "load ", "bitcast "];
        let Some(code) = code.filter(|code| depth > 0 && pure.iter().any(|word| code.starts_with(word))) else {
            return value.to_owned();
        };
        let code = code.split_once(", !").map_or(code, |(code, _)| code);
        let code = code.split_once(", align").map_or(code, |(code, _)| code);
        let mut out = String::new();
        for word in code.split_inclusive([' ', ',', '(', ')']) {
            let name = word.trim_end_matches([' ', ',', '(', ')']);
            if name.starts_with('%') && self.definitions.contains_key(name) {
                out.push_str(&format!("[{}]", self.expression(name, depth - 1)));
            } else {
                out.push_str(name);
            }
            out.push_str(&word[name.len()..]);
        }
        out
    }
}
