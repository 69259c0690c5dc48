//! Debug information in a separate file, where distributions and `objcopy --only-keep-debug` put it.
//!
//! The search order is gdb's: by build id below each debug directory, then by the name in `.gnu_debuglink` beside the
//! module, in `.debug` beside it, and at the module's own path below each debug directory. A file counts only if it has
//! the module's build id.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use object::{Object, ObjectSection};

/// Directories to look in before `/usr/lib/debug`, separated as in `PATH`.
const DIRECTORIES: &str = "FORETRACE_DEBUG_DIR";

/// Where distributions install it.
const SYSTEM: &str = "/usr/lib/debug";

/// The file with the debug information of a module: the module itself, if it has any, or one that belongs to it.
pub(super) fn find(path: &Path, file: &object::File<'_>) -> Option<PathBuf> {
    if has_lines(file) {
        return Some(path.to_owned());
    }
    let id = file.build_id().ok().flatten();
    let fits = |candidate: &PathBuf| is_debug_file(candidate, id);
    candidates(path, file, &directories()).into_iter().find(fits)
}

fn directories() -> Vec<PathBuf> {
    let given = std::env::var_os(DIRECTORIES).unwrap_or_default();
    let given = std::env::split_paths(&given).filter(|directory| !directory.as_os_str().is_empty());
    given.chain([PathBuf::from(SYSTEM)]).collect()
}

fn candidates(path: &Path, file: &object::File<'_>, directories: &[PathBuf]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    if let Ok(Some([first, rest @ ..])) = file.build_id() {
        let name = format!("{}.debug", super::file::hex(rest));
        found.extend(
            directories.iter().map(|directory| directory.join(".build-id").join(format!("{first:02x}")).join(&name)),
        );
    }
    let link = file.gnu_debuglink().ok().flatten().map(|(name, _)| Path::new(OsStr::from_bytes(name)));
    if let (Some(link), Some(beside)) = (link.and_then(Path::file_name), path.parent()) {
        found.extend([beside.join(link), beside.join(".debug").join(link)]);
        let below = beside.strip_prefix("/").unwrap_or(beside);
        found.extend(directories.iter().flat_map(|directory| [directory.join(below).join(link), directory.join(link)]));
    }
    found
}

fn has_lines(file: &object::File<'_>) -> bool {
    [".debug_info", ".zdebug_info"]
        .iter()
        .any(|name| file.section_by_name(name).is_some_and(|section| section.size() > 0))
}

/// Does the file have debug information of the module with this build id?
fn is_debug_file(path: &Path, id: Option<&[u8]>) -> bool {
    let Ok(bytes) = foretrace_file::read(path, super::file::LONGEST_MODULE) else { return false };
    let Ok(file) = object::File::parse(&*bytes) else { return false };
    has_lines(&file) && (id.is_none() || file.build_id().ok().flatten() == id)
}
