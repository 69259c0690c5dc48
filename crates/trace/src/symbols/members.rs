//! Parts of variables: `table[3].lock` instead of `table+168`, from DWARF types.
//!
//! The variables of all units are read once, when the first part is looked up. A part that cannot be named (a union, a
//! type that is described elsewhere) stays `+offset` after the part that can.

use gimli::{
    self, AttributeValue, DebugInfoOffset, DebuggingInformationEntry, Dwarf, DwarfSections, EndianSlice, LittleEndian,
    UnitOffset,
};
use rustc_hash::FxHashMap;

use super::file::unpacked;

pub(super) type Slice<'a> = EndianSlice<'a, LittleEndian>;
pub(super) type Unit<'a> = gimli::Unit<Slice<'a>>;
pub(super) type Entry<'a> = DebuggingInformationEntry<Slice<'a>>;

/// The deepest nesting of types.
const DEEPEST: usize = 32;

/// The variables of a module with their types.
pub(super) struct Members {
    sections: DwarfSections<Vec<u8>>,
    /// By address: the unit, and the type in it.
    variables: FxHashMap<u64, (DebugInfoOffset, UnitOffset)>,
}

impl Members {
    pub(super) fn of(file: &object::File<'_>) -> Option<Self> {
        let load = |id: gimli::SectionId| gimli::Result::Ok(unpacked(file, id.name()).unwrap_or_default());
        let mut members = Self { sections: DwarfSections::load(load).ok()?, variables: FxHashMap::default() };
        members.variables = variables(&members.dwarf()).ok()?;
        Some(members)
    }

    pub(super) fn dwarf(&self) -> Dwarf<Slice<'_>> {
        self.sections.borrow(|bytes| EndianSlice::new(bytes, LittleEndian))
    }

    /// The part that begins `offset` bytes into the variable at `start`, in the form that follows the variable's name.
    pub(super) fn part(&self, start: u64, offset: u64) -> Option<String> {
        let (unit, kind) = *self.variables.get(&start)?;
        let dwarf = self.dwarf();
        let unit = dwarf.unit(dwarf.debug_info.header_from_offset(unit).ok()?).ok()?;
        Some(part(&unit, &dwarf, kind, offset))
    }
}

/// The part that begins `offset` bytes into an object of this type.
pub(super) fn part(unit: &Unit<'_>, dwarf: &Dwarf<Slice<'_>>, kind: UnitOffset, offset: u64) -> String {
    let mut path = Path::new(unit, dwarf, offset);
    if offset == 0 && path.is_array(kind) {
        return "[0]".to_owned();
    }
    path.walk(kind);
    let rest = if path.left > 0 { format!("+{}", path.left) } else { String::new() };
    path.text + &rest
}

/// The size of an object of this type in bytes.
pub(super) fn size_of(unit: &Unit<'_>, dwarf: &Dwarf<Slice<'_>>, kind: UnitOffset) -> Option<u64> {
    Path::new(unit, dwarf, 0).size(kind)
}

/// The variables that have a fixed address.
fn variables(dwarf: &Dwarf<Slice<'_>>) -> Result<FxHashMap<u64, (DebugInfoOffset, UnitOffset)>, gimli::Error> {
    let mut variables = FxHashMap::default();
    let mut headers = dwarf.units();
    while let Some(header) = headers.next()? {
        let Some(number) = header.debug_info_offset() else { continue };
        let unit = dwarf.unit(header)?;
        let mut entries = unit.entries();
        while let Some(entry) = entries.next_dfs()? {
            if entry.tag() == gimli::DW_TAG_variable
                && let Some(address) = location(dwarf, &unit, entry)
                && let Some(kind) = type_of(&unit, entry)
            {
                variables.entry(address).or_insert((number, kind));
            }
        }
    }
    Ok(variables)
}

/// Where a variable lies, if that is a constant address.
fn location(dwarf: &Dwarf<Slice<'_>>, unit: &Unit<'_>, entry: &Entry<'_>) -> Option<u64> {
    let AttributeValue::Exprloc(expression) = entry.attr_value(gimli::DW_AT_location)? else { return None };
    let mut operations = expression.operations(unit.encoding());
    match (operations.next().ok()??, operations.next().ok()?) {
        (gimli::Operation::Address { address }, None) => Some(address),
        (gimli::Operation::AddressIndex { index }, None) => dwarf.address(unit, index).ok(),
        _ => None,
    }
}

/// The type of an entry; the type of a variable may be given at its declaration.
pub(super) fn type_of(unit: &Unit<'_>, entry: &Entry<'_>) -> Option<UnitOffset> {
    let reference = |entry: &Entry<'_>, name| match entry.attr_value(name)? {
        AttributeValue::UnitRef(offset) => Some(offset),
        _ => None,
    };
    let declared = || reference(&unit.entry(reference(entry, gimli::DW_AT_specification)?).ok()?, gimli::DW_AT_type);
    reference(entry, gimli::DW_AT_type).or_else(declared)
}

/// The path into a variable.
pub(super) struct Path<'a> {
    unit: &'a Unit<'a>,
    dwarf: &'a Dwarf<Slice<'a>>,
    text: String,
    /// Bytes that have no name yet.
    left: u64,
}

impl<'a> Path<'a> {
    /// A path to the byte at this offset.
    pub(super) fn new(unit: &'a Unit<'a>, dwarf: &'a Dwarf<Slice<'a>>, offset: u64) -> Self {
        Self { unit, dwarf, text: String::new(), left: offset }
    }

    /// The path after each step into an object of this type, down to a part without parts.
    pub(super) fn levels(mut self, mut kind: UnitOffset) -> Vec<String> {
        let mut levels = Vec::new();
        while let Some(next) = self.step(kind).filter(|_| levels.len() < DEEPEST) {
            levels.push(self.text.clone());
            kind = next;
        }
        levels
    }

    /// Is it an array, and not a string?
    fn is_array(&self, mut kind: UnitOffset) -> bool {
        for _ in 0..DEEPEST {
            let Ok(entry) = self.unit.entry(kind) else { return false };
            let Some(next) = type_of(self.unit, &entry) else { return false };
            if entry.tag() == gimli::DW_TAG_array_type {
                return self.size(next).is_some_and(|size| size > 1)
                    && self.counts(kind).is_some_and(|all| all.len() == 1);
            }
            kind = next;
        }
        false
    }

    /// Descends into a type, until the byte in question begins a part or cannot be named.
    fn walk(&mut self, mut kind: UnitOffset) {
        for _ in 0..DEEPEST {
            if self.left == 0 {
                return;
            }
            let Some(next) = self.step(kind) else { return };
            kind = next;
        }
    }

    /// Descends one level.
    fn step(&mut self, kind: UnitOffset) -> Option<UnitOffset> {
        let entry = self.unit.entry(kind).ok()?;
        match entry.tag() {
            gimli::DW_TAG_typedef
            | gimli::DW_TAG_const_type
            | gimli::DW_TAG_volatile_type
            | gimli::DW_TAG_atomic_type => type_of(self.unit, &entry),
            gimli::DW_TAG_structure_type | gimli::DW_TAG_class_type => self.enter(kind),
            gimli::DW_TAG_array_type => self.index(kind, &entry),
            _ => None,
        }
    }

    /// Descends into the member that contains the byte: the last one that begins at or before it, unless the byte is padding
    /// after that member. The size of a member may be unknown: clang only declares a class that is defined in another file.
    fn enter(&mut self, kind: UnitOffset) -> Option<UnitOffset> {
        let mut tree = self.unit.entries_tree(Some(kind)).ok()?;
        let mut children = tree.root().ok()?.children();
        let mut found: Option<((u64, bool), UnitOffset, Option<String>)> = None;
        while let Ok(Some(child)) = children.next() {
            let entry = child.entry();
            let is_part = matches!(entry.tag(), gimli::DW_TAG_member | gimli::DW_TAG_inheritance);
            let Some(start) = entry.attr_value(gimli::DW_AT_data_member_location).and_then(|at| at.udata_value())
            else {
                continue;
            };
            let Some(member) = type_of(self.unit, entry).filter(|_| is_part && start <= self.left) else { continue };
            // An empty base begins where the first member does, and does not hold its bytes.
            let fit = (start, self.size(member).is_none_or(|size| self.left - start < size));
            if found.as_ref().is_none_or(|(best, ..)| *best <= fit) {
                found = Some((fit, member, self.name(entry)));
            }
        }
        let ((start, _), member, name) = found.filter(|((_, holds), ..)| *holds)?;
        self.left -= start;
        if let Some(name) = name {
            self.text += &format!(".{name}");
        }
        Some(member)
    }

    /// Descends into the element that contains the byte.
    fn index(&mut self, kind: UnitOffset, entry: &Entry<'_>) -> Option<UnitOffset> {
        let element = type_of(self.unit, entry)?;
        let mut size = self.size(element).filter(|size| *size > 0)?;
        let counts = self.counts(kind)?;
        size *= counts.iter().skip(1).product::<u64>();
        for count in counts.iter().skip(1).chain([&1]) {
            self.text += &format!("[{}]", self.left / size);
            self.left %= size;
            size /= (*count).max(1);
        }
        Some(element)
    }

    /// How many elements an array has in each dimension.
    fn counts(&self, kind: UnitOffset) -> Option<Vec<u64>> {
        let mut tree = self.unit.entries_tree(Some(kind)).ok()?;
        let mut children = tree.root().ok()?.children();
        let mut counts = Vec::new();
        while let Ok(Some(child)) = children.next() {
            let number = |name| child.entry().attr_value(name).and_then(|value| value.udata_value());
            let upper = || number(gimli::DW_AT_upper_bound).and_then(|upper| upper.checked_add(1));
            if child.entry().tag() == gimli::DW_TAG_subrange_type {
                counts.push(number(gimli::DW_AT_count).or_else(upper).filter(|count| *count > 0)?);
            }
        }
        (!counts.is_empty()).then_some(counts)
    }

    fn name(&self, entry: &Entry<'_>) -> Option<String> {
        let name = self.dwarf.attr_string(self.unit, entry.attr_value(gimli::DW_AT_name)?).ok()?;
        Some(name.to_string_lossy().into_owned())
    }

    fn size(&self, mut kind: UnitOffset) -> Option<u64> {
        for _ in 0..DEEPEST {
            let entry = self.unit.entry(kind).ok()?;
            if let Some(size) = entry.attr_value(gimli::DW_AT_byte_size).and_then(|size| size.udata_value()) {
                return Some(size);
            }
            match entry.tag() {
                gimli::DW_TAG_array_type => {
                    let count: u64 = self.counts(kind)?.iter().product();
                    return self.size(type_of(self.unit, &entry)?)?.checked_mul(count);
                }
                gimli::DW_TAG_pointer_type | gimli::DW_TAG_reference_type => return Some(8),
                _ => kind = type_of(self.unit, &entry)?,
            }
        }
        None
    }
}
