//! A function's body: blocks of lines.

use crate::instruction::Instruction;
use crate::text::is_name_character;
use std::collections::{HashMap, HashSet};

/// A basic block.
#[derive(Clone)]
pub struct Block {
    /// Its name in references, without the `%`; empty for an entry block without a label.
    pub name: String,
    /// The line of the label, if there is one.
    label: Option<String>,
    /// Its instructions; an instruction on several lines is one string.
    pub lines: Vec<String>,
}

/// A function's body.
#[derive(Clone)]
pub struct Function {
    /// The blocks, the entry first.
    pub blocks: Vec<Block>,
    /// The number of names that passes have created.
    names: usize,
}

/// Where a value is defined: the block, and the line before any insertion or removal.
pub type Definitions = HashMap<String, (usize, usize)>;

impl Function {
    /// Reads a body; `None` if its form is unknown.
    pub fn parse(body: &[&str]) -> Option<Self> {
        let mut blocks: Vec<Block> = Vec::new();
        let mut bracket = false;
        for line in body {
            if let Some(name) = label(line) {
                let label = Some((*line).to_owned());
                blocks.push(Block { name: name.to_owned(), label, lines: Vec::new() });
                continue;
            }
            if blocks.is_empty() && !line.trim().is_empty() {
                blocks.push(Block { name: String::new(), label: None, lines: Vec::new() });
            }
            let Some(block) = blocks.last_mut() else { continue };
            if line.trim().is_empty() {
                continue;
            }
            // Tables of switches, and the second lines of invokes and landing pads; debug records are also indented.
            let is_record = line.trim_start().starts_with("#dbg_");
            if bracket || (line.starts_with("    ") && !is_record) {
                let last = block.lines.last_mut()?;
                last.push('\n');
                last.push_str(line);
            } else if line.starts_with("  ") {
                block.lines.push((*line).to_owned());
            } else {
                return None;
            }
            bracket = match line.trim_end() {
                line if line.ends_with('[') => true,
                line if line.trim_start().starts_with(']') => false,
                _ => bracket,
            };
        }
        (!blocks.is_empty() && blocks.iter().all(|block| !block.lines.is_empty())).then_some(Self { blocks, names: 0 })
    }

    /// A fresh name for a value or block, without the `%`.
    pub fn fresh(&mut self) -> String {
        self.names += 1;
        format!("foretrace.{}", self.names)
    }

    /// Where each value is defined.
    pub fn definitions(&self) -> Definitions {
        let mut definitions = Definitions::new();
        for (number, block) in self.blocks.iter().enumerate() {
            for (line, text) in block.lines.iter().enumerate() {
                if let Some(name) = defined(text) {
                    definitions.insert(name.to_owned(), (number, line));
                }
            }
        }
        definitions
    }

    /// The instruction that defines a value.
    pub fn definition<'a>(&'a self, definitions: &Definitions, value: &str) -> Option<Instruction<'a>> {
        let (block, line) = definitions.get(value)?;
        let lines = &self.blocks[*block].lines;
        let defines = |line: &&String| defined(line) == Some(value);
        let line = lines.get(*line).filter(defines).or_else(|| lines.iter().find(defines))?;
        Instruction::parse(line)
    }

    /// Inserts a block on the edge from `from` to `to`, and returns its number. The phis of `to` then name it instead
    /// of `old`.
    pub fn split_edge(&mut self, from: usize, to: usize, old: &str) -> usize {
        let name = self.fresh();
        let target = self.blocks[to].name.clone();
        let terminator = self.blocks[from].lines.last_mut().expect("no block is empty");
        *terminator = replace_word(terminator, &format!("%{target}"), &format!("%{name}"));
        for line in &mut self.blocks[to].lines {
            if line.contains(" = phi ") {
                *line = line.replace(&format!(", {old} ]"), &format!(", %{name} ]"));
            }
        }
        let label = Some(format!("\n{name}:"));
        self.blocks.push(Block { name, label, lines: vec![format!("  br label %{target}")] });
        self.blocks.len() - 1
    }

    /// A body that goes on as `other` if the value `%foretrace.is`, which the lines of `test` define, holds, and otherwise as
    /// this one. `entry` is the implicit name of the first block. None if names are quoted.
    pub fn or_else(&self, other: &Self, entry: &str, test: &[String]) -> Option<Self> {
        let is_quoted = |function: &Self| function.lines().any(|line| line.contains("%\""));
        if is_quoted(self) || is_quoted(other) {
            return None;
        }
        let (mut first, mut second) = (self.clone(), other.clone());
        first.name_entry(entry);
        second.name_entry(entry);
        second.rename_locals("foretrace.f.");
        let mut lines = test.to_vec();
        let targets = [&second, &first].map(|function| function.blocks[0].name.as_str());
        lines.push(format!("  br i1 %foretrace.is, label %{}, label %{}", targets[0], targets[1]));
        let choice = Block { name: CHOICE.to_owned(), label: Some(format!("{CHOICE}:")), lines };
        let blocks = std::iter::once(choice).chain(first.blocks).chain(second.blocks).collect();
        Some(Self { blocks, names: self.names.max(other.names) })
    }

    /// Gives the first block a label, so that another one can come before it.
    fn name_entry(&mut self, entry: &str) {
        let first = &mut self.blocks[0];
        if first.name.is_empty() {
            entry.clone_into(&mut first.name);
            first.label = Some(format!("\n{entry}:"));
        }
    }

    /// Puts a prefix before the names of all values and blocks that are defined here.
    fn rename_locals(&mut self, prefix: &str) {
        let values = self.blocks.iter().flat_map(|block| &block.lines).filter_map(|line| defined(line));
        let values = values.map(|name| name[1..].to_owned());
        let locals: HashSet<String> = values.chain(self.blocks.iter().map(|block| block.name.clone())).collect();
        for block in &mut self.blocks {
            block.lines.iter_mut().for_each(|line| *line = prefixed(line, &locals, prefix));
            block.name.insert_str(0, prefix);
            block.label = Some(format!("\n{}:", block.name));
        }
    }

    /// The text of the body.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        self.blocks
            .iter()
            .flat_map(|block| block.label.as_deref().into_iter().chain(block.lines.iter().map(String::as_str)))
    }
}

/// The name of the block that chooses between two versions of a body.
const CHOICE: &str = "foretrace.entry";

/// A line with a prefix before each of these names.
fn prefixed(line: &str, locals: &HashSet<String>, prefix: &str) -> String {
    let mut out = String::with_capacity(line.len() + 4 * prefix.len());
    let mut rest = line;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..=at]);
        rest = &rest[at + 1..];
        let end = rest.find(|c| !is_name_character(c)).unwrap_or(rest.len());
        if locals.contains(&rest[..end]) {
            out.push_str(prefix);
        }
    }
    out.push_str(rest);
    out
}

/// The value that a line defines.
fn defined(line: &str) -> Option<&str> {
    let (name, _) = line.trim_start().split_once(" = ")?;
    name.starts_with('%').then_some(name)
}

/// The name of a block, if the line is a label.
fn label(line: &str) -> Option<&str> {
    if line.starts_with(' ') {
        return None;
    }
    let code = line.split_once(';').map_or(line, |(code, _)| code).trim_end();
    code.strip_suffix(':')
}

/// Replaces every whole occurrence of a value's name.
pub fn replace_word(text: &str, word: &str, by: &str) -> String {
    let mut out = String::with_capacity(text.len() + by.len());
    let mut rest = text;
    while let Some(at) = rest.find(word) {
        let end = at + word.len();
        let whole = !rest[end..].starts_with(is_name_character);
        out.push_str(&rest[..at]);
        out.push_str(if whole { by } else { word });
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}
