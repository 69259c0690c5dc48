//! One module: its DWARF, its variables, its constant data.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use object::{Object, ObjectSection, ObjectSymbol, SectionKind, SymbolKind};

use super::Location;
use super::blocks::InBlock;
use super::file::{LONGEST_MODULE, demangled, hex};
use super::lines::Lines;
use super::members::Members;
use super::separate;

/// How many bytes of code around an instruction without a line are searched for one.
const NEAR: u64 = 96;

/// Address, size and name of symbols, by address.
type Table = Vec<(u64, u64, Box<str>)>;

/// A module that could be opened.
pub(super) struct Loaded {
    lines: Option<Lines>,
    /// Address, size and name of each function, by address.
    functions: Table,
    /// Address, size and name of each variable, by address.
    variables: Table,
    /// The same for thread-local variables, by their offset in the module's thread-local storage.
    locals: Table,
    /// The aligned size of that storage.
    local_bytes: u64,
    /// Address and content of each section with constant data.
    constants: Vec<(u64, Vec<u8>)>,
    /// The file with its debug information.
    debug: PathBuf,
    /// Read on demand.
    members: OnceCell<Option<Members>>,
}

impl Loaded {
    /// Opens a module, if it is still the one that was recorded.
    pub(super) fn open(path: &Path, build_id: &str) -> Option<Self> {
        let bytes = foretrace_file::read(path, LONGEST_MODULE).ok()?;
        let file = object::File::parse(&*bytes).ok()?;
        let found = file.build_id().ok().flatten().map(hex).unwrap_or_default();
        if !build_id.is_empty() && !found.is_empty() && build_id != found {
            return None;
        }
        let constants = file.sections().filter(|section| section.name() == Ok(".rodata"));
        let constants = constants.filter_map(|section| Some((section.address(), section.data().ok()?.to_vec())));
        let debug = separate::find(path, &file).unwrap_or_else(|| path.to_owned());
        let symbols = foretrace_file::read(&debug, LONGEST_MODULE).ok().filter(|_| debug != path);
        let symbols = symbols.as_deref().and_then(|bytes| object::File::parse(bytes).ok());
        let named = |kind| table([Some(&file), symbols.as_ref()].into_iter().flatten(), kind);
        Some(Self {
            lines: Lines::of(symbols.as_ref().unwrap_or(&file), &debug),
            functions: named(SymbolKind::Text),
            variables: named(SymbolKind::Data),
            locals: named(SymbolKind::Tls),
            local_bytes: local_bytes(&file),
            constants: constants.collect(),
            debug,
            members: OnceCell::new(),
        })
    }

    /// The functions at an address, innermost first. An instruction without a line (a store that is composed of
    /// several) gets the line of its neighbours.
    pub(super) fn frames(&self, address: u64) -> Vec<Location> {
        let mut found = self.frames_at(address);
        if let Some(inner) = found.first_mut().filter(|frame| frame.line == 0 && frame.function.is_some()) {
            let before = (1..=NEAR).map(|bytes| address.wrapping_sub(bytes));
            let neighbours = before.chain((1..=NEAR).map(|bytes| address.wrapping_add(bytes)));
            let like = |near: &Location| near.line > 0 && near.function == inner.function;
            let mut known = neighbours.filter_map(|near| self.frames_at(near).into_iter().next());
            if let Some(near) = known.find(like) {
                *inner = near;
            }
        }
        found
    }

    fn frames_at(&self, address: u64) -> Vec<Location> {
        let found = self.lines.as_ref().map(|lines| lines.frames(address)).unwrap_or_default();
        if found.iter().any(|frame| frame.function.is_some() || frame.line > 0) {
            return found;
        }
        let function = find(&self.functions, address).map(|(name, _)| name);
        function.map(|function| Location { function: Some(function), ..Location::default() }).into_iter().collect()
    }

    pub(super) fn variable(&self, address: u64) -> Option<(String, u64)> {
        find(&self.variables, address)
    }

    /// The thread-local variable at this distance below the thread pointer, where the storage of an executable ends.
    pub(super) fn local(&self, below: u64) -> Option<String> {
        let (name, offset) = find(&self.locals, self.local_bytes.checked_sub(below)?)?;
        Some(if offset == 0 { name } else { format!("{name}+{offset}") })
    }

    /// The name of the memory at an address: a variable, or a part of it.
    pub(super) fn name_of(&self, address: u64) -> Option<String> {
        let (name, offset) = self.variable(address)?;
        let part = self.members().and_then(|members| members.part(address - offset, offset));
        let plain = || if offset == 0 { String::new() } else { format!("+{offset}") };
        Some(name + &part.unwrap_or_else(plain))
    }

    /// The local variable of the function at `pc` at this distance from its frame pointer.
    pub(super) fn in_frame(&self, pc: u64, distance: i64) -> Option<String> {
        self.members()?.in_frame(pc, distance)
    }

    /// The names that a byte of a heap block may have for the code at `pc`.
    pub(super) fn in_block(&self, pc: u64, block: InBlock<'_>) -> Vec<String> {
        self.members().map(|members| members.in_block(pc, block)).unwrap_or_default()
    }

    fn members(&self) -> Option<&Members> {
        let read = || {
            let bytes = foretrace_file::read(&self.debug, LONGEST_MODULE).ok()?;
            Members::of(&object::File::parse(&*bytes).ok()?)
        };
        self.members.get_or_init(read).as_ref()
    }

    pub(super) fn text(&self, address: u64) -> Option<String> {
        let (start, content) = self
            .constants
            .iter()
            .find(|(start, content)| address.checked_sub(*start).is_some_and(|at| at < content.len() as u64))?;
        let text = &content[(address - start) as usize..];
        let end = text.iter().position(|byte| *byte == 0)?;
        String::from_utf8(text[..end].to_vec()).ok()
    }
}

/// The symbol that contains an address, and the offset in it.
fn find(symbols: &Table, address: u64) -> Option<(String, u64)> {
    let after = symbols.partition_point(|(start, ..)| *start <= address);
    let (start, size, name) = &symbols[after.checked_sub(1)?];
    (address - start < *size).then(|| (spelled(name), address - start))
}

fn local_bytes(file: &object::File<'_>) -> u64 {
    let storage = || {
        let kinds = [SectionKind::Tls, SectionKind::UninitializedTls];
        file.sections().filter(move |section| kinds.contains(&section.kind()))
    };
    let start = storage().map(|section| section.address()).min().unwrap_or(0);
    let end = storage().map(|section| section.address().saturating_add(section.size())).max().unwrap_or(0);
    let align = storage().map(|section| section.align()).max().unwrap_or(1).max(1);
    (end - start).checked_next_multiple_of(align).unwrap_or(0)
}

fn table<'a>(files: impl Iterator<Item = &'a object::File<'a>>, kind: SymbolKind) -> Table {
    let symbols = files.flat_map(|file| file.symbols().chain(file.dynamic_symbols()));
    let defined = symbols.filter(|symbol| symbol.kind() == kind && symbol.size() > 0 && !symbol.is_undefined());
    let entry = |symbol: object::Symbol<'_, '_>| Some((symbol.address(), symbol.size(), symbol.name().ok()?.into()));
    let mut table: Table = defined.filter_map(entry).collect();
    table.sort();
    table.dedup_by_key(|(address, ..)| *address);
    table
}

/// The name in its source form.
fn spelled(name: &str) -> String {
    match name {
        "_IO_2_1_stdin_" => "stdin".to_owned(),
        "_IO_2_1_stdout_" => "stdout".to_owned(),
        "_IO_2_1_stderr_" => "stderr".to_owned(),
        name => demangled(name),
    }
}
