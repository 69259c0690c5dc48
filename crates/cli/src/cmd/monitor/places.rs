//! Names: of the code at an address, and of the variable there.

use foretrace_stream::value::Value;
use foretrace_trace::{Module, Recording, Symbols};
use object::{Object, ObjectSymbol, SymbolKind};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// In larger variables than this no parts are looked for.
const LARGEST: u64 = 1 << 20;

/// Where an instruction is in the source.
#[derive(Clone)]
pub struct Code {
    pub function: Value,
    pub file: Value,
    pub line: Value,
    pub column: Value,
}

/// What is said of a place.
#[derive(Clone, Copy, Debug)]
pub enum Part {
    Function,
    Line,
    Column,
    File,
}

impl Part {
    pub const ALL: [Part; 4] = [Part::Function, Part::Line, Part::Column, Part::File];
}

impl Code {
    pub fn part(&self, part: Part) -> &Value {
        match part {
            Part::Function => &self.function,
            Part::Line => &self.line,
            Part::Column => &self.column,
            Part::File => &self.file,
        }
    }
}

/// A variable with a name.
#[derive(Clone)]
pub struct Variable {
    pub start: u64,
    pub end: u64,
    pub name: Value,
}

/// Where variables begin and end.
#[derive(Clone, Default)]
pub struct Borders(Vec<Range<u64>>);

impl Borders {
    fn of(variables: &[Variable]) -> Borders {
        Borders(variables.iter().map(|variable| variable.start..variable.end).collect())
    }

    /// The beginning of the variable at an address.
    fn around(&self, address: u64) -> Option<u64> {
        let after = self.0.partition_point(|variable| variable.start <= address);
        self.0[..after].last().filter(|variable| address < variable.end).map(|variable| variable.start)
    }

    /// Whether no variable begins or ends within these bytes.
    fn is_whole(&self, bytes: Range<u64>) -> bool {
        let (before, after) = self.0.split_at(self.0.partition_point(|variable| variable.start <= bytes.start));
        let inside = |border: u64| bytes.start < border && border < bytes.end;
        !before.last().is_some_and(|variable| inside(variable.end))
            && !after.first().is_some_and(|variable| inside(variable.start))
    }

    /// Splits the bytes of a line at the borders of variables and of gaps.
    pub fn split(&self, line: u64, mask: u64) -> Vec<u64> {
        if self.is_whole(line * 64..line * 64 + 64) {
            return runs(mask);
        }
        let mut groups: Vec<u64> = Vec::new();
        let mut owner = None;
        for byte in 0..64 {
            let bit = 1u64 << byte;
            if mask & bit == 0 {
                owner = None;
                continue;
            }
            let here = Some(self.around(line * 64 + byte));
            match groups.last_mut() {
                Some(group) if owner == here => *group |= bit,
                _ => groups.push(bit),
            }
            owner = here;
        }
        groups
    }
}

/// Bits that are next to each other.
fn runs(mut mask: u64) -> Vec<u64> {
    let mut runs = Vec::new();
    while mask != 0 {
        let lowest = mask & mask.wrapping_neg();
        let run = mask & !mask.wrapping_add(lowest);
        runs.push(run);
        mask &= !run;
    }
    runs
}

/// What is known of the program's files.
pub struct Places {
    modules: Vec<Module>,
    symbols: Symbols,
    /// In the order of their addresses.
    variables: Vec<Variable>,
    borders: Borders,
    codes: FxHashMap<u64, Code>,
    /// Parts of variables that the specification names, by address.
    parts: FxHashMap<u64, Value>,
    /// The recording of a program that still runs, and may load more files.
    directory: Option<PathBuf>,
    /// The names of the program's own events by address, of a recording that is complete.
    events: BTreeMap<u64, String>,
}

impl Places {
    /// What is known so far of a program that runs.
    pub fn of_directory(directory: &Path) -> anyhow::Result<Places> {
        let mut places = Places::new(&Recording::modules_in(directory)?);
        places.directory = Some(directory.to_owned());
        Ok(places)
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.modules.is_empty()
    }

    /// Reads the symbols of the program's files; a file that cannot be read has no names.
    pub fn new(modules: &[Module]) -> Places {
        let mut variables: Vec<Variable> = modules.iter().flat_map(variables).collect();
        variables.sort_by_key(|variable| variable.start);
        Places {
            modules: modules.to_vec(),
            symbols: Symbols::of_modules(modules.to_vec(), None),
            borders: Borders::of(&variables),
            variables,
            codes: FxHashMap::default(),
            parts: FxHashMap::default(),
            directory: None,
            events: BTreeMap::new(),
        }
    }

    /// With the names of the program's own events.
    pub fn with_events(self, events: &BTreeMap<u64, String>) -> Places {
        Places { events: events.clone(), ..self }
    }

    /// The name of an event of the program's own, by the name's address.
    pub fn event(&self, address: u64) -> Option<String> {
        match &self.directory {
            Some(directory) => Recording::event_names_in(directory).ok()?.remove(&address),
            None => self.events.get(&address).cloned(),
        }
    }

    /// The program's files.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.modules.iter().map(|module| module.path.as_path())
    }

    /// The place that a return address belongs to.
    pub fn code(&mut self, pc: u64) -> &Code {
        if !self.codes.contains_key(&pc) {
            self.learn(pc);
        }
        &self.codes[&pc]
    }

    #[cold]
    fn learn(&mut self, pc: u64) {
        let address = pc.saturating_sub(1);
        if !self.modules.iter().any(|module| (module.start..module.end).contains(&address)) {
            self.look_again();
        }
        let code = self.look_up(pc);
        self.codes.insert(pc, code);
    }

    pub fn borders(&self) -> &Borders {
        &self.borders
    }

    /// Reads again which files there are, if there are more by now.
    pub fn look_again(&mut self) {
        let Some(Ok(modules)) = self.directory.as_deref().map(Recording::modules_in) else { return };
        if modules.len() > self.modules.len() {
            let codes = std::mem::take(&mut self.codes);
            let parts = std::mem::take(&mut self.parts);
            let symbols = self.symbols.of_other_run(modules.clone());
            *self = Places { symbols, codes, parts, directory: self.directory.take(), ..Places::new(&modules) };
        }
    }

    fn look_up(&self, pc: u64) -> Code {
        let place = self.symbols.location(pc);
        let file = place.file.map(|file| file.display().to_string());
        Code {
            function: Value::str(place.function.as_deref().unwrap_or("?")),
            file: Value::str(file.as_deref().unwrap_or("?")),
            line: Value::Int(place.line.into()),
            column: Value::Int(place.column.into()),
        }
    }

    /// Looks for the variables that a specification names, such as `total` or `accounts[0].balance`; those that the
    /// program does not have are returned.
    pub fn watch(&mut self, names: &[Rc<str>]) -> Vec<Rc<str>> {
        names.iter().filter(|name| !self.find(name)).cloned().collect()
    }

    fn find(&mut self, name: &str) -> bool {
        let base = name.split(['[', '.']).next().unwrap_or(name);
        let mut whole = self.variables.iter().filter(|variable| *variable.name.to_string() == *format!("{base:?}"));
        if base == name {
            return whole.next().is_some();
        }
        let part = whole.find_map(|variable| {
            let mut bytes = variable.start..variable.end.min(variable.start + LARGEST);
            bytes.find(|address| self.symbols.name_of(*address).as_deref() == Some(name))
        });
        self.parts.extend(part.map(|address| (address, Value::str(name))));
        part.is_some()
    }

    /// What the specification calls the variable at an address, if it names a part.
    pub fn part(&self, address: u64) -> Option<Value> {
        if self.parts.is_empty() { None } else { self.parts.get(&address).cloned() }
    }

    /// The variable that lies at an address.
    pub fn variable(&self, address: u64) -> Option<Variable> {
        let after = self.variables.partition_point(|variable| variable.start <= address);
        self.variables[..after].last().filter(|variable| address < variable.end).cloned()
    }
}

fn variables(module: &Module) -> Vec<Variable> {
    read_symbols(&module.path, module.bias).unwrap_or_default()
}

/// A larger file is not looked into.
const LONGEST_MODULE: u64 = 4 << 30;

fn read_symbols(path: &Path, bias: u64) -> Option<Vec<Variable>> {
    let bytes = foretrace_file::read(path, LONGEST_MODULE).ok()?;
    let file = object::File::parse(&*bytes).ok()?;
    let data = file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Data && symbol.size() > 0);
    let named = data.filter_map(|symbol| {
        let start = symbol.address().wrapping_add(bias);
        // A static variable of a function carries a number behind its name.
        let name = symbol.name().ok()?.split('.').next()?;
        Some(Variable { start, end: start.saturating_add(symbol.size()), name: Value::str(name) })
    });
    Some(named.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_split_at_gaps_and_at_the_borders_of_variables() {
        let borders = Borders(vec![64..72, 72..80, 200..320]);
        let runs = |line, mask| borders.split(line, mask);
        assert_eq!(runs(1, 0xffff_ff0f), [0xf, 0xff00, 0xffff_0000]);
        // A line between variables, and one within a variable.
        assert_eq!(runs(2, 0x8000_0000_0000_00f1), [0x1, 0xf0, 1 << 63]);
        assert_eq!(runs(4, u64::MAX), [u64::MAX]);
        // A variable begins in this one.
        assert_eq!(runs(3, u64::MAX), [0xff, !0xff]);
        assert!(runs(9, 0).is_empty());
    }
}
