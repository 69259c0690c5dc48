//! Adds to a function the calls that tell what is done.

use super::call::{Access, Call, accesses};
use super::effects::{Effects, Walk};
use super::flow::{Flow, is_return};
use super::library::{Does, does, is_silent};
use super::object::Values;
use super::table::{SLOTS, entry};
use super::{Body, Summaries, is_ordinary};
use crate::function::Function;
use std::collections::BTreeMap;

/// What is said about accesses or a call: the numbers that the runtime uses.
#[derive(Clone, Copy)]
enum Hint {
    /// Nothing any more.
    Nothing = 0,
    /// The next access is to this memory in any case; with a size of 1, what it reads goes nowhere but back to it.
    Here = 1,
    /// It is within so many bytes from an address on.
    Within = 2,
    /// All accesses and operations of the call that follows are to the memory that they are to now.
    CallHere = 3,
    /// They are within so many bytes from an address on.
    CallWithin = 4,
    /// Another module is called.
    Outside = 5,
    /// The arguments of a call may point to something else.
    Unsure = 6,
    /// Nothing is known about the function.
    Unknown = 7,
    /// A known function is called.
    Call = 8,
}

/// A function with the calls.
pub struct Instrumented(pub Function);

/// What is needed for a function.
pub struct Making<'a> {
    /// What the numbers of joins begin with.
    pub base: u64,
    pub module: &'a Summaries,
    pub body: &'a Body,
    /// The table, which grows.
    pub entries: &'a mut Vec<Vec<String>>,
}

/// The calls of a function that belong to its branches.
#[derive(Default)]
struct Branches {
    /// What comes before the last instruction of a block.
    before_end: BTreeMap<usize, Vec<String>>,
    /// The numbers of the joins that are reported, by block.
    joins: BTreeMap<usize, u64>,
}

fn hint(hint: Hint, from: &str, size: &str) -> String {
    format!("  call void @__foretrace_hint(i64 {}, ptr {from}, i64 {size})", hint as u64)
}

fn plain(what: Hint) -> String {
    hint(what, "null", "0")
}

impl Making<'_> {
    /// The function with the calls.
    pub fn function(mut self) -> Instrumented {
        let mut function = self.body.function.clone();
        let values = Values::new(&self.body.function, self.body.parameters.clone());
        let flow = Flow::new(&self.body.function).filter(|_| is_ordinary(&self.body.function));
        let branches = match &flow {
            Some(flow) => self.branches(&mut function, flow, &values),
            None => Branches::default(),
        };
        let end = function.blocks.len();
        for block in 0..end {
            let mut lines = Vec::new();
            let old = std::mem::take(&mut function.blocks[block].lines);
            let (head, body) = old.split_at(old.iter().take_while(|line| is_head(line)).count());
            lines.extend_from_slice(head);
            if block == 0 {
                lines.push("  call void @__foretrace_here()".to_owned());
                lines.extend(flow.is_none().then(|| plain(Hint::Unknown)));
            }
            lines.extend(branches.joins.get(&block).map(join));
            for (at, line) in body.iter().enumerate() {
                if at + 1 == body.len() {
                    lines.extend(branches.before_end.get(&block).into_iter().flatten().cloned());
                    lines.extend(branches.joins.get(&end).filter(|_| is_return(line)).map(join));
                }
                self.line(line, body, &values, &mut lines);
            }
            function.blocks[block].lines = lines;
        }
        Instrumented(function)
    }

    /// Finds the branches with sides that matter, and enters them into the table.
    fn branches(&mut self, function: &mut Function, flow: &Flow, values: &Values<'_>) -> Branches {
        let module = self.module;
        let walk = module.walk(&self.body.function, flow, values);
        let mut branches = Branches::default();
        for block in 0..flow.next.len() {
            if flow.next[block].len() < 2 {
                continue;
            }
            let sides = sides(&walk, flow, block);
            if sides.values().all(Effects::is_nothing) {
                continue;
            }
            let number = flow
                .join(block)
                .map(|join| *branches.joins.entry(join).or_insert(self.base | (self.entries.len() as u64 + 1)));
            let calls = self.enter((function, values), block, &sides, number.unwrap_or(0));
            branches.before_end.insert(block, calls);
        }
        branches
    }

    /// The calls before a branch; for each side the table says what the others may do.
    fn enter(
        &mut self,
        (function, values): (&mut Function, &Values<'_>),
        block: usize,
        sides: &BTreeMap<usize, Effects>,
        join: u64,
    ) -> Vec<String> {
        let (mut slots, mut numbers) = (Vec::new(), BTreeMap::new());
        let decided_by = values.decided_by(self.body.function.blocks[block].lines.last().map_or("", String::as_str));
        for side in sides.keys() {
            let others = sides.iter().filter(|(other, _)| *other != side);
            let others = others.fold(Effects::default(), |all, (_, effects)| all.or(effects));
            numbers.insert(function.blocks[*side].name.clone(), self.entries.len());
            self.entries.push(entry(&others, join, &self.body.parameters, &mut slots, decided_by.as_deref()));
        }
        slots.resize(SLOTS, "null".to_owned());
        let terminator = function.blocks[block].lines.last().cloned().unwrap_or_default();
        let mut lines = Vec::new();
        let Some(chosen) = choose(&terminator, &numbers, function, &mut lines) else {
            return vec![plain(Hint::Unknown)];
        };
        let slots: Vec<String> = slots.iter().map(|slot| format!("ptr {slot}")).collect();
        lines.push(format!("  call void @__foretrace_branch(ptr {chosen}, {})", slots.join(", ")));
        lines
    }

    /// A line with what is said about it.
    fn line(&self, line: &str, block: &[String], values: &Values<'_>, lines: &mut Vec<String>) {
        if let Some(made) = accesses(line) {
            // A copy has two addresses, and only one hint: it is about both, or there is none.
            let hints: Vec<_> = made.iter().map(|access| self.of_access(access, block, values)).collect();
            match hints.as_slice() {
                [Some(one)] => lines.push(one.clone()),
                [Some(first), Some(_)] if first.contains("(i64 1,") => {
                    return lines.extend([plain(Hint::CallHere), line.to_owned(), plain(Hint::Nothing)]);
                }
                _ => lines.push(plain(Hint::Nothing)),
            }
            return lines.push(line.to_owned());
        }
        let Some(call) = Call::parse(line).filter(|call| !call.name.is_some_and(is_silent)) else {
            return lines.push(line.to_owned());
        };
        let is_sure = |operand: &str| values.resolve(operand).is_some_and(|object| !object.somewhere);
        let all_sure = call
            .arguments
            .iter()
            .filter(|(_, pointer)| *pointer)
            .all(|(operand, _)| is_sure(operand) || *operand == "null" || values.is_stream(operand));
        if call.name.is_some_and(|name| self.module.bodies.contains_key(name)) {
            lines.extend((!all_sure).then(|| plain(Hint::Unsure)));
            return lines.push(line.to_owned());
        }
        lines.extend(self.before_call(&call, all_sure, values));
        lines.push(line.to_owned());
        lines.push(plain(Hint::Nothing));
    }

    fn before_call(&self, call: &Call<'_>, all_sure: bool, values: &Values<'_>) -> Vec<String> {
        match call.name.and_then(does).or_else(|| call.name.filter(|name| creates(name)).map(|_| Does::Waits)) {
            None => {
                let unsure = (!all_sure).then(|| plain(Hint::Unsure));
                unsure.into_iter().chain([plain(Hint::Outside)]).collect()
            }
            Some(Does::Transfers) => vec![self.transfer(call, values).unwrap_or_else(|| plain(Hint::Call))],
            Some(_) if all_sure => vec![plain(Hint::CallHere)],
            Some(_) => vec![plain(Hint::Call)],
        }
    }

    fn transfer(&self, call: &Call<'_>, values: &Values<'_>) -> Option<String> {
        let [_, (buffer, _), (size, _), ..] = call.arguments.as_slice() else { return None };
        values.resolve(buffer).filter(|object| !object.somewhere)?;
        let size: u64 = size.parse().ok()?;
        Some(hint(Hint::CallWithin, buffer, &size.to_string()))
    }

    fn of_access(&self, access: &Access, block: &[String], values: &Values<'_>) -> Option<String> {
        let object = values.resolve(&access.address)?;
        if !object.somewhere {
            let quiet = !access.atomic && values.is_quiet(block, &access.address);
            return access.size.map(|_| hint(Hint::Here, "null", if quiet { "1" } else { "0" }));
        }
        let whole = object.whole(&self.module.globals, values)?;
        Some(hint(Hint::Within, &object.start()?, &whole))
    }
}

fn creates(name: &str) -> bool {
    matches!(name, "pthread_create" | "thrd_create")
}

fn join(number: &u64) -> String {
    format!("  call void @__foretrace_join(i64 {number})")
}

/// What must stay at the beginning of a block.
fn is_head(line: &str) -> bool {
    line.contains(" = phi ") || line.contains(" = landingpad ") || line.contains(" = alloca ")
}

/// What each side of a branch may do until they meet.
fn sides(walk: &Walk<'_>, flow: &Flow, block: usize) -> BTreeMap<usize, Effects> {
    let of = |&side: &usize| match flow.join(block) {
        Some(join) if join == side => (side, Effects::nothing()),
        Some(join) => (side, walk.effects(side, join)),
        None => (side, Effects::unknown()),
    };
    flow.next[block].iter().map(of).collect()
}

/// The calls that choose the entry of the side that is taken; its name.
fn choose(
    terminator: &str,
    numbers: &BTreeMap<String, usize>,
    function: &mut Function,
    lines: &mut Vec<String>,
) -> Option<String> {
    let entry =
        |label: &str| Some(format!("@foretrace.branch.{}", numbers.get(label.trim().strip_prefix("label %")?)?));
    let code = terminator.trim();
    if let Some(rest) = code.strip_prefix("br i1 ") {
        let mut parts = rest.split(',');
        let (condition, yes, no) = (parts.next()?, entry(parts.next()?)?, entry(parts.next()?)?);
        let name = format!("%{}", function.fresh());
        lines.push(format!("  {name} = select i1 {condition}, ptr {yes}, ptr {no}"));
        return Some(name);
    }
    let rest = code.strip_prefix("switch ")?;
    let (head, cases) = rest.split_once('[')?;
    let (value, default) = head.split_once(',')?;
    let mut chosen = entry(default.trim())?;
    for case in cases.lines().filter(|line| line.contains("label %")) {
        let (constant, label) = case.split_once(',')?;
        let constant = constant.trim().rsplit_once(' ')?.1;
        let (equal, name) = (format!("%{}", function.fresh()), format!("%{}", function.fresh()));
        lines.push(format!("  {equal} = icmp eq {value}, {constant}"));
        lines.push(format!("  {name} = select i1 {equal}, ptr {}, ptr {chosen}", entry(label)?));
        chosen = name;
    }
    Some(chosen)
}
