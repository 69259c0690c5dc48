//! Names for addresses: files, lines and functions from DWARF, variables from symbol tables, all after the run.
//!
//! A module is looked up at the path it had when the program ran, and used only if its build id is still the same. Its
//! debug information may be in a separate file ([`separate`]). If something is missing or stripped, the name degrades
//! to `module+0xoffset`, never to an error.

mod blocks;
mod file;
mod frame;
mod lines;
mod members;
mod module;
mod separate;

use std::cell::RefCell;
use std::fmt;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::recording::{Module, Recording};
use crate::trace::{Name, Trace};
pub use blocks::InBlock;
use module::Loaded;

/// A place of the program's source.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Location {
    /// The function, demangled.
    pub function: Option<String>,
    /// The source file.
    pub file: Option<PathBuf>,
    /// Its line, from 1; zero if unknown.
    pub line: u32,
    /// The column in it, from 1; zero if unknown.
    pub column: u32,
    /// Where no line is known: the module and the offset in it, or the bare address.
    pub fallback: String,
}

impl fmt::Display for Location {
    /// `file:line`, or what there is instead.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.file {
            Some(file) if self.line > 0 => write!(f, "{}:{}", file.display(), self.line),
            _ => f.write_str(&self.fallback),
        }
    }
}

/// Looks up addresses of one run and caches the answers.
pub struct Symbols {
    modules: Vec<Module>,
    /// By the number of the module.
    loaded: RefCell<FxHashMap<usize, Option<Rc<Loaded>>>>,
    /// The files of this run and of others.
    files: Rc<Files>,
    places: RefCell<FxHashMap<u64, Location>>,
    /// Files below it are named relative to it.
    base: Option<PathBuf>,
}

/// Files that have been read, by path and build id.
type Files = RefCell<FxHashMap<(PathBuf, String), Option<Rc<Loaded>>>>;

impl Symbols {
    /// The symbols of a recording's program.
    pub fn new(recording: &Recording) -> Self {
        let base = recording.run().get("directory").map(PathBuf::from);
        Self::of_modules(recording.modules().to_vec(), base)
    }

    /// The symbols of these mapped files.
    pub fn of_modules(modules: Vec<Module>, base: Option<PathBuf>) -> Self {
        Self { modules, loaded: RefCell::default(), files: Rc::default(), places: RefCell::default(), base }
    }

    /// The symbols of another run, most of whose files are the same.
    pub fn of_other_run(&self, modules: Vec<Module>) -> Self {
        Self { files: self.files.clone(), ..Self::of_modules(modules, self.base.clone()) }
    }

    /// No symbols: every address stays a number.
    pub fn none() -> Self {
        Self::of_modules(Vec::new(), None)
    }

    /// The place of the call that returns to this address.
    pub fn location(&self, pc: u64) -> Location {
        if let Some(found) = self.places.borrow().get(&pc) {
            return found.clone();
        }
        let frames = self.frames(pc);
        let location = frames.into_iter().next().unwrap_or_default();
        self.places.borrow_mut().insert(pc, location.clone());
        location
    }

    /// The places of the call that returns to this address, innermost inlined function first.
    pub fn frames(&self, pc: u64) -> Vec<Location> {
        let fallback = self.offset(pc);
        let probe = pc.wrapping_sub(1);
        let found = self.with(probe, |module, address| module.frames(address)).unwrap_or_default();
        if found.is_empty() {
            return vec![Location { fallback, ..Location::default() }];
        }
        let finish = |frame: Location| Location {
            file: frame.file.map(|file| self.shorten(file)),
            fallback: frame.function.clone().unwrap_or_else(|| fallback.clone()),
            ..frame
        };
        found.into_iter().map(finish).collect()
    }

    /// The global variable at this address: its name, and the offset in it.
    pub fn variable(&self, address: u64) -> Option<(String, u64)> {
        self.with(address, |module, address| module.variable(address)).flatten()
    }

    /// The name of the memory at this address: a global variable or a part of it, as in `table[3].lock`.
    pub fn name_of(&self, address: u64) -> Option<String> {
        self.with(address, |module, address| module.name_of(address)).flatten()
    }

    /// The thread-local variable of an executable at this distance below the thread pointer.
    pub fn local(&self, executable: &Path, below: u64) -> Option<String> {
        let module = self.modules.iter().find(|module| module.path == executable)?;
        self.with(module.start, |module, _| module.local(below)).flatten()
    }

    /// The local variable at this address, or the part of it, in the frame with this frame pointer of the function at
    /// `pc`.
    pub fn in_frame(&self, pc: u64, frame: u64, address: u64) -> Option<String> {
        let distance = address.wrapping_sub(frame).cast_signed();
        self.with(pc.wrapping_sub(1), |module, pc| module.in_frame(pc, distance)).flatten()
    }

    /// The names that a byte of a heap block may have, by the types that the code at `pc` knows.
    pub fn in_block(&self, pc: u64, block: InBlock<'_>) -> Vec<String> {
        self.with(pc.wrapping_sub(1), |module, pc| module.in_block(pc, block)).unwrap_or_default()
    }

    /// The zero-terminated text at this address of a module's constant data.
    pub fn text(&self, address: u64) -> Option<String> {
        self.with(address, |module, address| module.text(address)).flatten()
    }

    /// `module+0xoffset`, or the address.
    pub fn offset(&self, pc: u64) -> String {
        match self.module(pc) {
            Some(index) => {
                let module = &self.modules[index];
                let name = module.path.file_name().unwrap_or(module.path.as_os_str());
                format!("{}+{:#x}", name.display(), pc.wrapping_sub(module.bias))
            }
            None => format!("{pc:#x}"),
        }
    }

    fn module(&self, address: u64) -> Option<usize> {
        self.modules.iter().position(|module| (module.start..module.end).contains(&address))
    }

    fn file(&self, module: &Module) -> Option<Rc<Loaded>> {
        let mut files = self.files.borrow_mut();
        let file = files.entry((module.path.clone(), module.build_id.clone()));
        file.or_insert_with(|| Loaded::open(&module.path, &module.build_id).map(Rc::new)).clone()
    }

    fn with<T>(&self, address: u64, look: impl FnOnce(&Loaded, u64) -> T) -> Option<T> {
        let index = self.module(address)?;
        let module = &self.modules[index];
        let mut loaded = self.loaded.borrow_mut();
        let found = loaded.entry(index).or_insert_with(|| self.file(module));
        found.as_ref().map(|loaded| look(loaded, address.wrapping_sub(module.bias)))
    }

    fn shorten(&self, file: PathBuf) -> PathBuf {
        let file = straight(file);
        let below = self.base.as_deref().and_then(|base| file.strip_prefix(base).ok());
        below.map(Path::to_owned).unwrap_or(file)
    }

    /// Gives the objects of a trace the names of their variables.
    pub fn name(&self, trace: &mut Trace) {
        let objects = &mut trace.objects;
        let name = |given: &mut Name, address: u64| {
            if given.is_none() && address != 0 {
                *given = self.name_of(address).map(Into::into);
            }
        };
        objects.locks.iter_mut().for_each(|info| name(&mut info.name, info.address));
        objects.conditions.iter_mut().for_each(|info| name(&mut info.name, info.address));
        objects.barriers.iter_mut().for_each(|info| name(&mut info.name, info.address));
        objects.sems.iter_mut().for_each(|info| name(&mut info.name, info.address));
        objects.onces.iter_mut().for_each(|info| name(&mut info.name, info.address));
        objects.channels.iter_mut().for_each(|info| name(&mut info.name, info.address));
        objects.atomics.iter_mut().for_each(|info| name(&mut info.name, info.address));
        objects.intervals.iter_mut().for_each(|info| name(&mut info.name, info.address));
        for info in objects.customs.iter_mut().filter(|info| info.name.is_none()) {
            info.name = self.text(info.address).map(Into::into);
        }
    }
}

/// The path without detours (`a/../b`), if it leads to the same file.
fn straight(file: PathBuf) -> PathBuf {
    let mut short = PathBuf::new();
    for part in file.components() {
        match part {
            Component::ParentDir if short.file_name().is_some() => drop(short.pop()),
            part => short.push(part),
        }
    }
    let same =
        short == file || short.canonicalize().is_ok_and(|path| file.canonicalize().is_ok_and(|file| file == path));
    if same { short } else { file }
}

impl fmt::Debug for Symbols {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Symbols").field("modules", &self.modules).finish_non_exhaustive()
    }
}
