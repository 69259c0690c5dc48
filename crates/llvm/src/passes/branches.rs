//! What the sides of each branch may do, for exploration that prunes.
//!
//! Wang, Yang, Gupta and Gopalakrishnan (ATVA'08), section 3.2: a search prunes the orders below a state if nothing that the
//! threads do there can race, branches that were not taken included. For each side of a branch, this pass writes into a table
//! what the *other* sides may do before all sides meet (the immediate post-dominator): accesses, with the locks taken and given
//! back before them, and how each path changes the locks that are held. Calls within the module are summarised bottom-up. What
//! is not known (recursion, function pointers, functions of other modules, addresses that are loaded) makes the entry unknown.
//!
//! The running program reports which entry belongs to the side that it takes (`__foretrace_branch`) and where sides meet
//! (`__foretrace_join`). Before accesses and calls, `__foretrace_hint` says whether the address would be the same with other
//! values in memory. Addresses in the table are relocations, so it is right after linking.

mod call;
mod effects;
mod flow;
mod instrument;
mod library;
mod object;
mod table;

use crate::function::Function;
use crate::module::Module;
use crate::pass::{Pass, Purpose, Refusal};
use crate::text::is_name_character;
use call::Call;
use effects::{Effects, Known, Walk, is_strange};
use flow::Flow;
use instrument::{Instrumented, Making};
use object::{Values, kinds};
use std::collections::{BTreeMap, BTreeSet};

/// Writes the table, and has the program report branches.
pub struct SummariseBranches;

/// A function of the module.
struct Body {
    function: Function,
    /// The names of its parameters; empty names, if unknown code calls it.
    parameters: Vec<String>,
}

impl Pass for SummariseBranches {
    fn name(&self) -> &'static str {
        "summarise-branches"
    }

    fn purpose(&self) -> Purpose {
        Purpose::Speed
    }

    fn runs_at_every_level(&self) -> bool {
        true
    }

    fn run(&self, module: &mut Module<'_>) -> Result<bool, Refusal> {
        let summaries = Summaries::of(module);
        let mut entries: Vec<Vec<String>> = Vec::new();
        let base = hash(module);
        for definition in module.definitions_mut() {
            let Some(name) = definition.signature().map(|signature| signature.name.to_owned()) else { continue };
            let Some(body) = summaries.bodies.get(&name).filter(|_| name != CONSTRUCTOR) else { continue };
            let making = Making { base, module: &summaries, body, entries: &mut entries };
            let Instrumented(function) = making.function();
            definition.rewrite(|text| {
                *text = function;
                true
            });
        }
        register(module, &entries);
        Ok(true)
    }
}

/// Where modules with hooks are initialised.
const CONSTRUCTOR: &str = "tsan.module_ctor";

/// What is known about a module.
struct Summaries {
    globals: BTreeMap<String, String>,
    bodies: BTreeMap<String, Body>,
    known: Known,
}

impl Summaries {
    fn of(module: &mut Module<'_>) -> Self {
        let globals = kinds(module.globals());
        let taken = taken(module);
        let mut bodies = BTreeMap::new();
        for definition in module.definitions_mut() {
            let Some(signature) = definition.signature() else { continue };
            let called = !taken.contains(signature.name);
            let name = |name: &str| if called { name.to_owned() } else { String::new() };
            let parameters = signature.parameters.iter().map(|parameter| name(parameter.name)).collect();
            let (name, mut function) = (signature.name.to_owned(), None);
            definition.rewrite(|text| {
                function = Some(text.clone());
                false
            });
            bodies.extend(function.map(|function| (name, Body { function, parameters })));
        }
        let mut summaries = Self { globals, bodies, known: Known::new() };
        let names: Vec<String> = summaries.bodies.keys().cloned().collect();
        names.iter().for_each(|name| summaries.summarise(name, &mut BTreeSet::new()));
        summaries
    }

    /// Callees first; what calls itself is unknown.
    fn summarise(&mut self, name: &str, above: &mut BTreeSet<String>) {
        if self.known.contains_key(name) || !self.bodies.contains_key(name) {
            return;
        }
        if !above.insert(name.to_owned()) {
            self.known.insert(name.to_owned(), Effects::unknown());
            return;
        }
        let lines = self.bodies[name].function.lines();
        let callees: BTreeSet<String> = lines.filter_map(|line| Some(Call::parse(line)?.name?.to_owned())).collect();
        callees.iter().for_each(|callee| self.summarise(callee, above));
        above.remove(name);
        if !self.known.contains_key(name) {
            let effects = self.effects(&self.bodies[name]).unwrap_or_else(Effects::unknown);
            self.known.insert(name.to_owned(), effects);
        }
    }

    fn effects(&self, body: &Body) -> Option<Effects> {
        let flow = Flow::new(&body.function)?;
        let values = Values::new(&body.function, body.parameters.clone());
        let walk = self.walk(&body.function, &flow, &values);
        Some(walk.effects(0, flow.next.len()))
    }

    fn walk<'a>(&'a self, function: &'a Function, flow: &'a Flow, values: &'a Values<'a>) -> Walk<'a> {
        Walk { function, flow, values, globals: &self.globals, known: &self.known }
    }
}

/// The functions that unknown code may call with arguments of its own. (A new thread's argument comes from its creator.)
fn taken(module: &Module<'_>) -> BTreeSet<String> {
    let mut taken = BTreeSet::new();
    let bodies = module.definitions().flat_map(|definition| definition.lines());
    for line in bodies.chain(module.lines()) {
        if line.contains("@pthread_create(") || line.contains("@thrd_create(") || line.starts_with("declare ") {
            continue;
        }
        for (at, _) in line.match_indices('@') {
            let rest = &line[at + 1..];
            let end = rest.find(|c| !is_name_character(c)).unwrap_or(rest.len());
            if !rest[end..].starts_with('(') {
                taken.insert(rest[..end].to_owned());
            }
        }
    }
    taken
}

/// A number for a module.
fn hash(module: &Module<'_>) -> u64 {
    let bodies = module.definitions().flat_map(|definition| definition.lines());
    let text = bodies.chain(module.lines()).flat_map(str::bytes);
    let hash =
        text.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    hash >> 24 << 16
}

/// Adds the table to the module, and has it made known when the program starts.
fn register(module: &mut Module<'_>, entries: &[Vec<String>]) {
    for (number, words) in entries.iter().enumerate() {
        let (count, words) =
            (words.len(), words.iter().map(|word| format!("i64 {word}")).collect::<Vec<_>>().join(", "));
        let line = format!(
            "@foretrace.branch.{number} = internal global [{count} x i64] [{words}], section \"{SECTION}\", align 8"
        );
        module.add_global(line);
    }
    let names: Vec<String> = (0..entries.len()).map(|number| format!("ptr @foretrace.branch.{number}")).collect();
    let count = names.len();
    if count > 0 {
        let list = names.join(", ");
        module.add_global(format!("@foretrace.branches = internal global [{count} x ptr] [{list}], align 8"));
        let call = format!("  call void @__foretrace_branches(ptr @foretrace.branches, i64 {count})");
        for definition in module.definitions_mut() {
            if definition.signature().is_some_and(|signature| signature.name == CONSTRUCTOR) {
                definition.rewrite(|function| {
                    function.blocks[0].lines.insert(0, call.clone());
                    true
                });
            }
        }
        module.declare("void @__foretrace_branches(ptr, i64)");
    }
    for hook in ["branch(ptr, ptr, ptr, ptr)", "join(i64)", "hint(i64, ptr, i64)", "here()"] {
        module.declare(&format!("void @__foretrace_{hook}"));
    }
}

/// The section of the table.
const SECTION: &str = "foretrace_branches";

fn is_ordinary(function: &Function) -> bool {
    !function.lines().any(is_strange)
}
