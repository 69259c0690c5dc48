//! The functions and lines of a module's code, from its DWARF.
//!
//! Debug information is read, not mapped: a mapped file that shrinks kills the process. Units whose debug information
//! is in separate files (`-gsplit-dwarf`) are read when they are first needed. A path that such a unit names is as
//! untrusted as the module itself, so only regular files are opened.
//!
//! *Deviations* from addr2line's loader, which maps its files, opens whatever a unit names, and prints its errors.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use addr2line::{Context, FrameIter, LookupContinuation, LookupResult, SplitDwarfLoad};
use gimli::{Dwarf, DwarfPackage, EndianRcSlice, LittleEndian};

use super::Location;
use super::file::{LONGEST_MODULE, demangled, unpacked};

type Bytes = EndianRcSlice<LittleEndian>;

/// The code of a module.
pub(super) struct Lines {
    context: Context<Bytes>,
    /// The units of all files, packed into one beside the module.
    package: Option<DwarfPackage<Bytes>>,
}

impl Lines {
    /// From the file with the debug information, which is at `path`.
    pub(super) fn of(file: &object::File<'_>, path: &Path) -> Option<Self> {
        let dwarf = Dwarf::load(|id| section(file, Some(id.name()))).ok()?;
        Some(Self { context: Context::from_dwarf(dwarf).ok()?, package: package(path) })
    }

    /// The functions at an address, innermost first.
    pub(super) fn frames(&self, address: u64) -> Vec<Location> {
        let mut found = Vec::new();
        if let Some(mut frames) = self.look_up(address) {
            while let Ok(Some(frame)) = frames.next() {
                found.push(location(&frame));
            }
        }
        found
    }

    fn look_up(&self, address: u64) -> Option<FrameIter<'_, Bytes>> {
        let mut looked = self.context.find_frames(address);
        loop {
            match looked {
                LookupResult::Output(frames) => return frames.ok(),
                LookupResult::Load { load, continuation } => looked = continuation.resume(self.unit(&load)),
            }
        }
    }

    /// The debug information of a unit that has a file of its own.
    fn unit(&self, load: &SplitDwarfLoad<Bytes>) -> Option<Arc<Dwarf<Bytes>>> {
        let packed =
            self.package.as_ref().and_then(|package| package.find_cu(load.dwo_id, &load.parent).ok().flatten());
        let found = packed.or_else(|| unit_in_file(load))?;
        // The library requires this type. Nothing of a module leaves its thread.
        #[allow(clippy::arc_with_non_send_sync)]
        Some(Arc::new(found))
    }
}

fn location(frame: &addr2line::Frame<'_, Bytes>) -> Location {
    let name = frame.function.as_ref().and_then(|function| function.raw_name().ok());
    let place = frame.location.as_ref();
    Location {
        function: name.map(|name| demangled(&name)),
        file: place.and_then(|place| place.file).map(Into::into),
        line: place.and_then(|place| place.line).unwrap_or(0),
        column: place.and_then(|place| place.column).unwrap_or(0),
        fallback: String::new(),
    }
}

fn unit_in_file(load: &SplitDwarfLoad<Bytes>) -> Option<Dwarf<Bytes>> {
    let part = |bytes: &Option<Bytes>| bytes.as_ref().map(|bytes| PathBuf::from(OsStr::from_bytes(bytes.bytes())));
    let path = part(&load.comp_dir).unwrap_or_default().join(part(&load.path)?);
    let bytes = foretrace_file::read(&path, LONGEST_MODULE).ok()?;
    let file = object::File::parse(&*bytes).ok()?;
    let mut dwarf = Dwarf::load(|id| section(&file, id.dwo_name())).ok()?;
    let header = dwarf.units().next().ok()??;
    let is_asked_for = dwarf.unit(header).ok()?.dwo_id == Some(load.dwo_id);
    dwarf.make_dwo(&load.parent);
    is_asked_for.then_some(dwarf)
}

/// The package beside a module: `prog.dwp` beside `prog`.
fn package(module: &Path) -> Option<DwarfPackage<Bytes>> {
    let mut path = module.as_os_str().to_owned();
    path.push(".dwp");
    let bytes = foretrace_file::read(Path::new(&path), LONGEST_MODULE).ok()?;
    let file = object::File::parse(&*bytes).ok()?;
    DwarfPackage::load(|id| section(&file, id.dwo_name()), in_memory(&[])).ok()
}

fn section(file: &object::File<'_>, name: Option<&str>) -> gimli::Result<Bytes> {
    let bytes = name.and_then(|name| unpacked(file, name)).unwrap_or_default();
    Ok(in_memory(&bytes))
}

fn in_memory(bytes: &[u8]) -> Bytes {
    Bytes::new(Rc::from(bytes), LittleEndian)
}
