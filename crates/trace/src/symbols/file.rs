//! What is read from object files, within bounds.

use object::{Object, ObjectSection};

/// Larger files are not read: a recording may name any file as a module.
pub(super) const LONGEST_MODULE: u64 = 4 << 30;
/// The largest factor by which a section may expand. Debug information compresses to a third or a fifth.
const MOST_UNPACKED: u64 = 64;

/// A C name is not demangled, even if it could be a mangled type.
pub(super) fn demangled(name: &str) -> String {
    if !name.starts_with("_Z") && !name.starts_with("_R") {
        return name.to_owned();
    }
    addr2line::demangle_auto(name.into(), None).into_owned()
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The bytes of a section. A section that claims to expand by more than the limit is left out.
pub(super) fn unpacked(file: &object::File<'_>, name: &str) -> Option<Vec<u8>> {
    let section = file.section_by_name(name)?;
    let packed = section.compressed_data().ok()?;
    let most = (packed.data.len() as u64).saturating_mul(MOST_UNPACKED);
    let fits = packed.uncompressed_size <= most;
    if fits { packed.decompress().ok().map(std::borrow::Cow::into_owned) } else { None }
}
