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
    let plain = addr2line::demangle_auto(name.into(), None).into_owned();
    if plain.starts_with("_Z") { outline(name).unwrap_or(plain) } else { plain }
}

/// The name alone, such as `std::swap<…>`, of a function whose whole name the demangler does not understand.
fn outline(mangled: &str) -> Option<String> {
    let mut rest = mangled.strip_prefix("_Z")?.trim_start_matches(['N', 'K', 'V', 'R', 'O']);
    let mut parts = Vec::new();
    loop {
        if let Some(behind) = rest.strip_prefix("St") {
            (rest, parts) = (behind, [parts, vec!["std"]].concat());
            continue;
        }
        let digits = rest.find(|letter: char| !letter.is_ascii_digit()).filter(|digits| *digits > 0);
        let Some(digits) = digits else { break };
        let end = digits.checked_add(rest[..digits].parse().ok()?)?;
        parts.push(rest.get(digits..end)?);
        rest = &rest[end..];
    }
    let arguments = if rest.starts_with('I') { "<…>" } else { "" };
    (!parts.is_empty()).then(|| parts.join("::") + arguments)
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

#[cfg(test)]
mod tests {
    use super::{demangled, outline};

    #[test]
    fn names_that_are_not_understood_are_cut_short() {
        assert_eq!(outline("_ZSt4swapIPiENSt9enable_ifIXsrT_E").as_deref(), Some("std::swap<…>"));
        assert_eq!(outline("_ZNKSt6vectorIiE4sizeEv").as_deref(), Some("std::vector<…>"));
        for strange in ["_Z", "_Z99999999999999999999x", "_Z5ab", "_Z1é", "_ZTV1A"] {
            assert_eq!(outline(strange), None, "{strange}");
        }
        assert_eq!(
            (demangled("_Z1fv"), demangled("_ZSt"), demangled("main")),
            ("f()".into(), "std".into(), "main".into())
        );
    }
}
