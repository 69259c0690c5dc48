//! Members of heap blocks: `task.done` instead of "a heap block of 96 bytes".
//!
//! DWARF does not say what type an access has. A type fits if whole objects of it fill the block, and if the member at the
//! accessed byte is named by the statement that makes the access; the caller decides whether all that fit agree. Only types of
//! the compilation unit that makes the access are candidates, and anonymous ones go by the name of their `typedef`.

use gimli::{self, UnitOffset};

use super::members::{Entry, Members, Path, Slice, Unit, size_of, type_of};

type Dwarf<'a> = gimli::Dwarf<Slice<'a>>;

/// What is known of a byte of a heap block.
#[derive(Clone, Copy, Debug)]
pub struct InBlock<'a> {
    /// The size of the block.
    pub size: u64,
    /// Which of its bytes is accessed.
    pub offset: u64,
    /// The statement that makes the access.
    pub statement: &'a str,
}

impl Members {
    /// The names that the byte has in each type that fits, in the unit of the code at `pc`.
    pub(super) fn in_block(&self, pc: u64, block: InBlock<'_>) -> Vec<String> {
        let dwarf = self.dwarf();
        let mut headers = dwarf.units();
        while let Ok(Some(header)) = headers.next() {
            let Ok(unit) = dwarf.unit(header) else { continue };
            if covers(&dwarf, &unit, pc) {
                return names(&dwarf, &unit, block);
            }
        }
        Vec::new()
    }
}

fn covers(dwarf: &Dwarf<'_>, unit: &Unit<'_>, pc: u64) -> bool {
    let Ok(mut ranges) = dwarf.unit_ranges(unit) else { return false };
    while let Ok(Some(range)) = ranges.next() {
        if (range.begin..range.end).contains(&pc) {
            return true;
        }
    }
    false
}

fn names(dwarf: &Dwarf<'_>, unit: &Unit<'_>, block: InBlock<'_>) -> Vec<String> {
    let mut names = Vec::new();
    let mut entries = unit.entries();
    while let Ok(Some(entry)) = entries.next_dfs() {
        let found = structure(dwarf, unit, entry)
            .and_then(|(name, kind)| member(dwarf, unit, kind, block).map(|part| name + &part));
        names.extend(found);
    }
    names.sort();
    names.dedup();
    names
}

/// The type's name and its place, if the entry is a structure with a name, or the name of one without.
fn structure<'a>(dwarf: &Dwarf<'a>, unit: &Unit<'a>, entry: &Entry<'a>) -> Option<(String, UnitOffset)> {
    let is_structure =
        |entry: &Entry<'a>| matches!(entry.tag(), gimli::DW_TAG_structure_type | gimli::DW_TAG_class_type);
    let kind = match entry.tag() {
        gimli::DW_TAG_typedef => {
            let meant = unit.entry(type_of(unit, entry)?).ok()?;
            (is_structure(&meant) && meant.attr_value(gimli::DW_AT_name).is_none()).then(|| meant.offset())?
        }
        _ if is_structure(entry) => entry.offset(),
        _ => return None,
    };
    let name = dwarf.attr_string(unit, entry.attr_value(gimli::DW_AT_name)?).ok()?;
    Some((name.to_string_lossy().into_owned(), kind))
}

/// The member at the byte, in the form that follows the type's name, if the type fits.
fn member<'a>(dwarf: &Dwarf<'a>, unit: &Unit<'a>, kind: UnitOffset, block: InBlock<'_>) -> Option<String> {
    let size = size_of(unit, dwarf, kind).filter(|size| *size > 0 && block.size.is_multiple_of(*size))?;
    let levels = Path::new(unit, dwarf, block.offset % size).levels(kind);
    let is_meant =
        |path: &String| last_word(path).is_some_and(|word| words(block.statement).any(|other| other == word));
    levels.into_iter().rev().find(is_meant)
}

/// `next` of `.list.next`, `name` of `.name[3]`.
fn last_word(path: &str) -> Option<&str> {
    path.split('[').next()?.rsplit('.').next().filter(|word| !word.is_empty())
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
}

#[cfg(test)]
mod tests {
    use super::{last_word, words};

    #[test]
    fn a_path_ends_with_the_member_that_a_statement_names() {
        assert_eq!(last_word(".list.next"), Some("next"));
        assert_eq!(last_word(".name[3]"), Some("name"));
        assert_eq!(last_word(""), None);
        assert!(words("strcpy(b, c->name)").any(|word| word == "name"));
        assert!(!words("p->names[0]").any(|word| word == "name"));
    }
}
