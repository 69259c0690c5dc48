//! One instruction, parsed as far as the passes need.

use crate::text::{is_name_character, split};

/// Flags between an operation and its operands, which promise something about them.
const PROMISES: [&str; 8] = ["nuw", "nsw", "nusw", "inbounds", "exact", "disjoint", "nneg", "samesign"];

/// An instruction that defines a value, or a branch.
#[derive(Debug, PartialEq)]
pub struct Instruction<'a> {
    /// The value it defines, with the `%`; empty if none.
    pub result: &'a str,
    /// The operation.
    pub operation: &'a str,
    /// Its flags.
    pub promises: Vec<&'a str>,
    /// The parts between commas after that, without metadata.
    pub parts: Vec<&'a str>,
}

impl<'a> Instruction<'a> {
    /// Parses a line; `None` if it is not an instruction of one line.
    pub fn parse(line: &'a str) -> Option<Self> {
        if line.contains('\n') {
            return None;
        }
        let code = line.trim();
        let (result, code) = match code.split_once(" = ") {
            Some((name, rest)) if name.starts_with('%') => (name, rest),
            _ => ("", code),
        };
        let (operation, mut rest) = code.split_once(' ').unwrap_or((code, ""));
        let mut promises = Vec::new();
        while let Some((word, after)) = rest.split_once(' ').filter(|(word, _)| PROMISES.contains(word)) {
            promises.push(word);
            rest = after;
        }
        let parts = split(rest)?.into_iter().filter(|part| !part.starts_with('!')).collect();
        Some(Self { result, operation, promises, parts })
    }

    /// Does it have this flag?
    pub fn promises(&self, promise: &str) -> bool {
        self.promises.contains(&promise)
    }

    /// The operands of an operation, some of whose parts are `type operand` and others operands alone: in each part,
    /// whatever follows the last space.
    pub fn operands(&self) -> impl Iterator<Item = &'a str> {
        self.parts.iter().map(|part| last_word(part))
    }

    /// The values and blocks of a phi.
    pub fn incoming(&self) -> Option<(&'a str, Vec<(&'a str, &'a str)>)> {
        let (kind, first) = self.parts.first()?.split_once(" [")?;
        let rest = self.parts[1..].iter().map(|part| part.strip_prefix('['));
        let pairs = std::iter::once(Some(first)).chain(rest).map(|pair| pair?.strip_suffix(']')?.split_once(','));
        let pairs: Option<Vec<_>> = pairs.map(|pair| pair.map(|(value, block)| (value.trim(), block.trim()))).collect();
        Some((kind, pairs?))
    }
}

fn last_word(part: &str) -> &str {
    part.rsplit_once(' ').map_or(part, |(_, word)| word)
}

/// The blocks that a terminator may branch to, without the `%`.
pub fn targets(terminator: &str) -> impl Iterator<Item = &str> {
    terminator.split("label %").skip(1).map(|rest| {
        let end = rest.find(|c| !is_name_character(c)).unwrap_or(rest.len());
        &rest[..end]
    })
}
