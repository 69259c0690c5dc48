//! Debug information of a module: the source place of each instruction.

use crate::text;
use std::collections::HashMap;

/// A place in the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place<'a> {
    /// The file, as it was passed to the compiler.
    pub file: &'a str,
    /// The line.
    pub line: u32,
    /// The function that contains it, by its source name.
    pub function: &'a str,
}

/// The numbered metadata of a module.
pub struct Debug<'a> {
    nodes: HashMap<u32, &'a str>,
}

/// The deepest nesting of scopes; a longer chain is a cycle.
const DEPTH: usize = 256;

impl<'a> Debug<'a> {
    /// Records the position of each node; nodes are parsed on demand.
    pub(crate) fn read(lines: impl Iterator<Item = &'a str>) -> Self {
        let node = |line: &'a str| {
            let (number, text) = line.strip_prefix('!')?.split_once(" = ")?;
            Some((number.parse().ok()?, text.strip_prefix("distinct ").unwrap_or(text)))
        };
        Self { nodes: lines.filter_map(node).collect() }
    }

    /// The place of an instruction, or of a function's first line, by the number after its `!dbg`. Inlined code has the
    /// place where it was written.
    pub fn place(&self, number: u32) -> Option<Place<'a>> {
        let node = self.nodes.get(&number)?;
        // Code that the compiler generated has no line, and perhaps only a linker name.
        let line = field(node, "line").map_or(Some(0), |line| line.parse().ok())?;
        let subprogram = self.subprogram(number)?;
        let file = self.nodes.get(&reference(node, "file").or_else(|| reference(subprogram, "file"))?)?;
        let function = string(subprogram, "name").or_else(|| string(subprogram, "linkageName"))?;
        Some(Place { file: string(file, "filename")?, line, function })
    }

    /// The text of a node.
    pub(crate) fn node(&self, number: u32) -> Option<&'a str> {
        self.nodes.get(&number).copied()
    }

    /// All nodes, in no order.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = (u32, &'a str)> {
        self.nodes.iter().map(|(number, node)| (*number, *node))
    }

    fn subprogram(&self, mut number: u32) -> Option<&'a str> {
        for _ in 0..DEPTH {
            let node = *self.nodes.get(&number)?;
            if node.starts_with("!DISubprogram(") {
                return Some(node);
            }
            number = reference(node, "scope")?;
        }
        None
    }
}

/// The text after `name: `, up to the next comma or bracket.
pub(crate) fn field<'a>(node: &'a str, name: &str) -> Option<&'a str> {
    let (_, fields) = node.split_once('(')?;
    let at = fields.match_indices(name).map(|(at, _)| at).find(|at| {
        let starts = *at == 0 || fields[..*at].ends_with(", ");
        starts && fields[at + name.len()..].starts_with(": ")
    })?;
    let value = &fields[at + name.len() + 2..];
    Some(value.split([',', ')']).next().unwrap_or(value))
}

pub(crate) fn reference(node: &str, name: &str) -> Option<u32> {
    field(node, name)?.strip_prefix('!')?.parse().ok()
}

pub(crate) fn string<'a>(node: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = node.split_once(&format!("{name}: "))?;
    rest.starts_with('"').then(|| text::name(rest)).flatten().map(|(text, _)| text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::module::Module;

    #[test]
    fn a_place_is_found_through_its_scopes() {
        let module = Module::parse(
            r#"!1 = !DIFile(filename: "a,b.c", directory: "/src")
!2 = distinct !DISubprogram(name: "work", scope: !1, file: !1, line: 3, unit: !0)
!3 = distinct !DILexicalBlock(scope: !2, file: !1, line: 4, column: 3)
!4 = !DILocation(line: 5, column: 7, scope: !3, inlinedAt: !9)
!5 = !DILocation(line: 5, scope: !5)
"#,
        );
        let debug = module.debug();
        assert_eq!(debug.place(4), Some(Place { file: "a,b.c", line: 5, function: "work" }));
        assert_eq!(debug.place(2), Some(Place { file: "a,b.c", line: 3, function: "work" }));
        assert_eq!(debug.place(5), None);
    }
}
