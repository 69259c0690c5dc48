//! Types of the source, from debug information.

use crate::debug::{Debug, field, reference, string};

/// The longest chain of typedefs, qualifiers and base classes.
const DEPTH: usize = 32;

/// A type of the source, by the number of its metadata.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SourceType(u32);

/// What a type is, without typedefs and qualifiers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// A number of so many bytes.
    Number { bytes: u32, signed: bool },
    /// A pointer or reference.
    Pointer(Option<SourceType>),
    /// A structure, class or union.
    Structure(SourceType),
    /// Anything else.
    Other,
}

/// A member of a structure: where it is, and its type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemberPlace {
    /// The offset in bytes.
    pub offset: u64,
    /// Its type.
    pub kind: SourceType,
}

impl<'a> Debug<'a> {
    /// The types of a function's result and parameters, by the number of its debug metadata. `None` for `void`.
    pub fn signature(&self, subprogram: u32) -> Option<Vec<Option<SourceType>>> {
        let types = reference(self.node(reference(self.node(subprogram)?, "type")?)?, "types")?;
        Some(self.list(types)?.into_iter().map(|number| number.map(SourceType)).collect())
    }

    /// The metadata of a function by its linker name, for functions that are only declared.
    pub fn subprogram_of(&self, symbol: &str) -> Option<u32> {
        let named = |node: &str| {
            let linkage = string(node, "linkageName").or_else(|| string(node, "name"));
            node.starts_with("!DISubprogram(") && linkage == Some(symbol)
        };
        self.nodes().filter(|(_, node)| named(node)).map(|(number, _)| number).min()
    }

    /// The type of a global variable, by its linker name.
    pub fn variable(&self, symbol: &str) -> Option<SourceType> {
        let named = |node: &str| {
            let linkage = string(node, "linkageName").or_else(|| string(node, "name"));
            node.starts_with("!DIGlobalVariable(") && linkage == Some(symbol)
        };
        let found = self.nodes().filter(|(_, node)| named(node)).min_by_key(|(number, _)| *number)?;
        reference(found.1, "type").map(SourceType)
    }

    /// What a type is.
    pub fn shape(&self, of: SourceType) -> Shape {
        let Some((number, node)) = self.stripped(of) else { return Shape::Other };
        match field(node, "tag") {
            Some("DW_TAG_pointer_type" | "DW_TAG_reference_type" | "DW_TAG_rvalue_reference_type") => {
                Shape::Pointer(reference(node, "baseType").map(SourceType))
            }
            Some("DW_TAG_structure_type" | "DW_TAG_class_type" | "DW_TAG_union_type") => {
                Shape::Structure(SourceType(number))
            }
            Some("DW_TAG_enumeration_type") => self.number(node, reference(node, "baseType").map(SourceType)),
            _ if node.starts_with("!DIBasicType(") => self.number(node, None),
            _ => Shape::Other,
        }
    }

    fn number(&self, node: &str, base: Option<SourceType>) -> Shape {
        if let Some(base) = base {
            return self.shape(base);
        }
        let Some(bits) = field(node, "size").and_then(|size| size.parse::<u32>().ok()) else { return Shape::Other };
        let encoding = field(node, "encoding").unwrap_or("");
        match bits {
            8 | 16 | 32 | 64 if encoding != "DW_ATE_float" => {
                Shape::Number { bytes: bits / 8, signed: encoding.starts_with("DW_ATE_signed") }
            }
            _ => Shape::Other,
        }
    }

    /// A member of a structure, also of its base classes and of structures without a name in it.
    pub fn member(&self, structure: SourceType, name: &str) -> Option<MemberPlace> {
        self.member_within(structure, name, DEPTH)
    }

    fn member_within(&self, structure: SourceType, name: &str, depth: usize) -> Option<MemberPlace> {
        let (_, node) = self.stripped(structure)?;
        for number in self.list(reference(node, "elements")?)?.into_iter().flatten() {
            let Some(element) = self.node(number) else { continue };
            let is_part = matches!(field(element, "tag"), Some("DW_TAG_member" | "DW_TAG_inheritance"));
            let Some(kind) = reference(element, "baseType").map(SourceType).filter(|_| is_part) else { continue };
            let bits: u64 = field(element, "offset").and_then(|offset| offset.parse().ok()).unwrap_or(0);
            let offset = bits / 8;
            if string(element, "name") == Some(name) {
                let is_bit_field = element.contains("DIFlagBitField") || element.contains("DIFlagStaticMember");
                return (!is_bit_field).then_some(MemberPlace { offset, kind });
            }
            let is_transparent = string(element, "name").is_none() && depth > 0;
            let found = is_transparent.then(|| self.member_within(kind, name, depth - 1)).flatten();
            if let Some(inner) = found {
                return Some(MemberPlace { offset: offset + inner.offset, ..inner });
            }
        }
        None
    }

    /// The size of a type in bytes.
    pub fn size(&self, of: SourceType) -> Option<u64> {
        field(self.stripped(of)?.1, "size")?.parse::<u64>().ok().map(|bits| bits.div_ceil(8))
    }

    /// A type without typedefs and qualifiers.
    fn stripped(&self, of: SourceType) -> Option<(u32, &'a str)> {
        let mut number = of.0;
        for _ in 0..DEPTH {
            let node = self.node(number)?;
            match field(node, "tag") {
                Some(
                    "DW_TAG_typedef"
                    | "DW_TAG_const_type"
                    | "DW_TAG_volatile_type"
                    | "DW_TAG_atomic_type"
                    | "DW_TAG_restrict_type",
                ) => number = reference(node, "baseType")?,
                _ => return Some((number, node)),
            }
        }
        None
    }

    /// The numbers of a list `!{null, !1, !2}`.
    fn list(&self, number: u32) -> Option<Vec<Option<u32>>> {
        let inner = self.node(number)?.strip_prefix("!{")?.strip_suffix('}')?;
        let items = inner.split(',').map(str::trim).filter(|item| !item.is_empty());
        Some(items.map(|item| item.strip_prefix('!').and_then(|number| number.parse().ok())).collect())
    }
}
