//! Local variables by their place in a frame, from DWARF: `x` of `main` is at a fixed offset from main's frame pointer.
//!
//! Only frames with a frame pointer are supported, which all builds of `foretrace cc` have: the canonical frame address
//! is then sixteen bytes above it. Variables in registers, or whose place changes over time, get no name here.

use gimli::{self, AttributeValue, Operation, UnitOffset};

use super::members::{Entry, Members, Slice, Unit, part, size_of, type_of};

type Dwarf<'a> = gimli::Dwarf<Slice<'a>>;

/// From the frame pointer to the canonical frame address: the saved pointer and the return address.
const TO_CFA: i64 = 16;
/// The number of the frame pointer's register.
const RBP: gimli::Register = gimli::Register(6);

impl Members {
    /// The variable at this distance from the frame pointer of the function at `pc`, with the part that is meant.
    pub(super) fn in_frame(&self, pc: u64, distance: i64) -> Option<String> {
        let dwarf = self.dwarf();
        let mut headers = dwarf.units();
        while let Ok(Some(header)) = headers.next() {
            let Ok(unit) = dwarf.unit(header) else { continue };
            if let Some(function) = function_at(&dwarf, &unit, pc) {
                return variable(&dwarf, &unit, function, distance);
            }
        }
        None
    }
}

/// The function whose code this address is in.
fn function_at<'a>(dwarf: &Dwarf<'a>, unit: &Unit<'a>, pc: u64) -> Option<UnitOffset> {
    let mut entries = unit.entries();
    while let Ok(Some(entry)) = entries.next_dfs() {
        if entry.tag() == gimli::DW_TAG_subprogram && covers(dwarf, unit, entry, pc) {
            return Some(entry.offset());
        }
    }
    None
}

fn covers<'a>(dwarf: &Dwarf<'a>, unit: &Unit<'a>, entry: &Entry<'a>, pc: u64) -> bool {
    let Ok(mut ranges) = dwarf.die_ranges(unit, entry) else { return false };
    while let Ok(Some(range)) = ranges.next() {
        if (range.begin..range.end).contains(&pc) {
            return true;
        }
    }
    false
}

fn variable(dwarf: &Dwarf<'_>, unit: &Unit<'_>, function: UnitOffset, distance: i64) -> Option<String> {
    let base = frame_base(unit, &unit.entry(function).ok()?)?;
    let mut tree = unit.entries_tree(Some(function)).ok()?;
    search(dwarf, unit, tree.root().ok()?, distance - base)
}

/// Searches the variables of a scope and of the scopes within it.
fn search<'a>(
    dwarf: &Dwarf<'a>,
    unit: &Unit<'a>,
    scope: gimli::EntriesTreeNode<'_, '_, Slice<'a>>,
    offset: i64,
) -> Option<String> {
    let mut children = scope.children();
    while let Ok(Some(child)) = children.next() {
        let found = match child.entry().tag() {
            gimli::DW_TAG_variable | gimli::DW_TAG_formal_parameter => named(dwarf, unit, child.entry(), offset),
            gimli::DW_TAG_lexical_block | gimli::DW_TAG_inlined_subroutine => search(dwarf, unit, child, offset),
            _ => None,
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

/// The name of a variable, if it contains the byte.
fn named<'a>(dwarf: &Dwarf<'a>, unit: &Unit<'a>, entry: &Entry<'a>, offset: i64) -> Option<String> {
    let within = u64::try_from(offset - place(unit, entry)?).ok()?;
    let origin = match entry.attr_value(gimli::DW_AT_abstract_origin) {
        Some(AttributeValue::UnitRef(origin)) => unit.entry(origin).ok(),
        _ => None,
    };
    let (name, kind) = name_and_type(unit, entry).or_else(|| name_and_type(unit, origin.as_ref()?))?;
    let name = dwarf.attr_string(unit, name).ok()?.to_string_lossy().into_owned();
    (within < size_of(unit, dwarf, kind)?).then(|| name + &part(unit, dwarf, kind, within))
}

fn name_and_type<'a>(unit: &Unit<'a>, entry: &Entry<'a>) -> Option<(AttributeValue<Slice<'a>>, UnitOffset)> {
    Some((entry.attr_value(gimli::DW_AT_name)?, type_of(unit, entry)?))
}

/// The base from which a function's variables are counted, as a distance from its frame pointer.
fn frame_base(unit: &Unit<'_>, function: &Entry<'_>) -> Option<i64> {
    let AttributeValue::Exprloc(expression) = function.attr_value(gimli::DW_AT_frame_base)? else { return None };
    match expression.operations(unit.encoding()).next().ok()?? {
        Operation::CallFrameCFA => Some(TO_CFA),
        Operation::Register { register } if register == RBP => Some(0),
        Operation::RegisterOffset { register, offset, .. } if register == RBP => Some(offset),
        _ => None,
    }
}

/// The distance of a variable from that base.
fn place(unit: &Unit<'_>, entry: &Entry<'_>) -> Option<i64> {
    let AttributeValue::Exprloc(expression) = entry.attr_value(gimli::DW_AT_location)? else { return None };
    let mut operations = expression.operations(unit.encoding());
    match (operations.next().ok()??, operations.next().ok()?) {
        (Operation::FrameOffset { offset }, None) => Some(offset),
        _ => None,
    }
}
