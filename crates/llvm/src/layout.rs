//! Sizes and offsets of LLVM's types, for x86-64 and other targets with natural alignment.

use crate::text::split;
use std::collections::HashMap;

/// The named structures of a module.
pub struct Layout<'a> {
    named: HashMap<&'a str, &'a str>,
}

/// The deepest nesting of types.
const DEPTH: u32 = 64;

impl<'a> Layout<'a> {
    pub(crate) fn read(lines: impl Iterator<Item = &'a str>) -> Self {
        let named = lines.filter(|line| line.starts_with('%')).filter_map(|line| line.split_once(" = type "));
        Self { named: named.collect() }
    }

    /// The size of a type in bytes; `None` if it is not known.
    pub fn size(&self, kind: &str) -> Option<u64> {
        Some(self.measure(kind, DEPTH)?.0)
    }

    /// The offset of a part of a type, by the indices of a `getelementptr` after the first.
    pub fn offset(&self, kind: &str, indices: &[u64]) -> Option<u64> {
        let Some((index, rest)) = indices.split_first() else { return Some(0) };
        let kind = self.resolved(kind);
        if let Some((_, element)) = array(kind) {
            return self.size(element)?.checked_mul(*index)?.checked_add(self.offset(element, rest)?);
        }
        let (parts, packed) = parts(kind)?;
        let mut at = 0_u64;
        for (number, part) in parts.iter().enumerate() {
            let (size, align) = self.measure(part, DEPTH)?;
            at = if packed { at } else { at.next_multiple_of(align) };
            if number as u64 == *index {
                return at.checked_add(self.offset(part, rest)?);
            }
            at += size;
        }
        None
    }

    fn resolved<'b>(&self, kind: &'b str) -> &'b str
    where
        'a: 'b,
    {
        self.named.get(kind).copied().unwrap_or(kind)
    }

    /// Size and alignment.
    fn measure(&self, kind: &str, depth: u32) -> Option<(u64, u64)> {
        let kind = self.resolved(kind);
        if depth == 0 {
            return None;
        }
        if let Some((count, element)) = array(kind) {
            let (size, align) = self.measure(element, depth - 1)?;
            return Some((size.checked_mul(count)?, align));
        }
        if let Some((parts, packed)) = parts(kind) {
            let (mut at, mut widest) = (0_u64, 1);
            for part in parts {
                let (size, align) = self.measure(part, depth - 1)?;
                let align = if packed { 1 } else { align };
                at = at.next_multiple_of(align).checked_add(size)?;
                widest = widest.max(align);
            }
            return Some((at.next_multiple_of(widest), widest));
        }
        scalar(kind)
    }
}

fn scalar(kind: &str) -> Option<(u64, u64)> {
    let size = match kind {
        "ptr" | "double" => 8,
        "float" => 4,
        "half" | "bfloat" => 2,
        "x86_fp80" | "fp128" => 16,
        _ => {
            let bits: u64 = kind.strip_prefix('i')?.parse().ok()?;
            bits.div_ceil(8).next_power_of_two()
        }
    };
    (size <= 1 << 20).then_some((size, size.min(16)))
}

/// The length and the element of `[4 x i32]`.
fn array(kind: &str) -> Option<(u64, &str)> {
    let (count, element) = kind.strip_prefix('[')?.strip_suffix(']')?.split_once(" x ")?;
    Some((count.parse().ok()?, element))
}

/// The parts of a structure, and whether it is packed.
fn parts(kind: &str) -> Option<(Vec<&str>, bool)> {
    let (inner, packed) = match kind.strip_prefix("<{").and_then(|kind| kind.strip_suffix("}>")) {
        Some(inner) => (inner, true),
        None => (kind.strip_prefix('{')?.strip_suffix('}')?, false),
    };
    Some((split(inner)?.into_iter().filter(|part| !part.is_empty()).collect(), packed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_of_members() {
        let lines = [
            "%struct.S = type { i8, i32, %struct.anon }",
            "%struct.anon = type { i64, i16 }",
            "%P = type <{ i8, i32 }>",
        ];
        let layout = Layout::read(lines.into_iter());
        assert_eq!(
            (layout.size("%struct.S"), layout.size("%P"), layout.size("[3 x %struct.anon]")),
            (Some(24), Some(5), Some(48))
        );
        assert_eq!(layout.offset("%struct.S", &[2, 1]), Some(16));
        assert_eq!(layout.offset("%P", &[1]), Some(1));
        assert_eq!(layout.offset("[4 x %struct.S]", &[2, 1]), Some(52));
        assert_eq!(layout.size("%unknown"), None);
    }
}
