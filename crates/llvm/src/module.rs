//! A module: the definitions of functions, and the lines between them.

use crate::debug::Debug;
use crate::function::Function;
use crate::global::Global;
use crate::layout::Layout;
use crate::signature::Signature;
use std::collections::BTreeSet;

/// A module of LLVM's textual IR.
///
/// Every line that no pass has changed is written as it was read: [`Module::to_text`] of an unchanged module is the
/// original text.
pub struct Module<'a> {
    items: Vec<Item<'a>>,
    declarations: BTreeSet<String>,
    /// Constants that passes have added.
    constants: Constants,
}

/// A part of a module.
enum Item<'a> {
    /// A line outside functions.
    Line(&'a str),
    /// A line outside functions that a pass has changed.
    Changed(String),
    /// The definition of a function.
    Definition(Definition<'a>),
}

/// Constants that passes have added.
#[derive(Default)]
pub struct Constants {
    lines: Vec<String>,
}

impl Constants {
    /// Adds strings that end in zeros, one after the other, in a section if one is named. Returns the constant's name
    /// with the `@`; the same text in the same section is one constant.
    pub fn add(&mut self, strings: &[&str], section: Option<&str>) -> String {
        let bytes: Vec<u8> = strings.iter().flat_map(|text| text.bytes().chain([0])).collect();
        let text: String = bytes.iter().map(|byte| format!("\\{byte:02X}")).collect();
        let section = section.map_or(String::new(), |name| format!(", section \"{name}\""));
        let rest = format!(" = private constant [{} x i8] c\"{text}\"{section}, align 1", bytes.len());
        let known = self.lines.iter().position(|line| line.ends_with(&rest));
        let number = known.unwrap_or(self.lines.len());
        let name = format!("@foretrace.constant.{number}");
        if known.is_none() {
            self.lines.push(format!("{name}{rest}"));
        }
        name
    }
}

/// The definition of a function.
pub struct Definition<'a> {
    header: &'a str,
    body: Vec<&'a str>,
    /// The blocks, parsed on demand.
    function: Option<Function>,
    /// Do the blocks differ from the body that was read?
    changed: bool,
}

impl<'a> Module<'a> {
    /// Parses a text. Lines that are not understood are kept, so this cannot fail.
    pub fn parse(text: &'a str) -> Self {
        let mut items = Vec::new();
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            items.push(if line.starts_with("define ") && line.ends_with('{') {
                let body = lines.by_ref().take_while(|line| *line != "}").collect();
                Item::Definition(Definition { header: line, body, function: None, changed: false })
            } else {
                Item::Line(line)
            });
        }
        Self { items, declarations: BTreeSet::new(), constants: Constants::default() }
    }

    /// The functions that are defined here.
    pub fn definitions(&self) -> impl Iterator<Item = &Definition<'a>> {
        self.items.iter().filter_map(|item| match item {
            Item::Definition(definition) => Some(definition),
            Item::Line(_) | Item::Changed(_) => None,
        })
    }

    /// The functions that are defined here, for rewriting.
    pub fn definitions_mut(&mut self) -> impl Iterator<Item = &mut Definition<'a>> {
        self.items.iter_mut().filter_map(|item| match item {
            Item::Definition(definition) => Some(definition),
            Item::Line(_) | Item::Changed(_) => None,
        })
    }

    /// The lines outside functions.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &'a str> {
        self.items.iter().filter_map(|item| match item {
            Item::Line(line) => Some(*line),
            Item::Changed(_) | Item::Definition(_) => None,
        })
    }

    /// The global variables, including those of other modules.
    pub fn globals(&self) -> impl Iterator<Item = Global<'a>> {
        self.lines().filter_map(Global::parse)
    }

    /// The functions of other modules.
    pub fn declared(&self) -> impl Iterator<Item = Signature<'a>> {
        self.lines().filter(|line| line.starts_with("declare ")).filter_map(Signature::parse)
    }

    /// The debug information of the module.
    pub fn debug(&self) -> Debug<'a> {
        Debug::read(self.lines())
    }

    /// Declares a function for calls that a pass adds; repeated declarations have no effect.
    pub fn declare(&mut self, signature: &str) {
        let name = |declaration: &str| Signature::parse(declaration).map(|signature| signature.name.to_owned());
        let wanted = format!("declare {signature}");
        if !self.declared().any(|known| Some(known.name) == name(&wanted).as_deref()) {
            self.declarations.insert(wanted);
        }
    }

    /// Adds a global variable.
    pub(crate) fn add_global(&mut self, line: String) {
        self.declarations.insert(line);
    }

    /// The constants that passes have added, to add more while functions are rewritten.
    pub fn take_constants(&mut self) -> Constants {
        std::mem::take(&mut self.constants)
    }

    /// Puts them back.
    pub fn put_constants(&mut self, constants: Constants) {
        self.constants = constants;
    }

    /// Removes promises from functions: that calls of them may be merged or left out. `named` says which functions.
    pub fn forget_purity(&mut self, named: impl Fn(&str) -> bool) {
        let mut groups = BTreeSet::new();
        for line in self.all_lines().filter(|line| line.contains('@') && line.contains('#')) {
            if let Some((_, tail)) = crate::purity::named_in(line).filter(|(name, _)| named(name)) {
                groups.extend(crate::purity::groups(tail).map(str::to_owned));
            }
        }
        for item in &mut self.items {
            if let Item::Line(line) = item
                && let Some(changed) = crate::purity::without(line, &groups)
            {
                *item = Item::Changed(changed);
            }
        }
    }

    fn all_lines(&self) -> impl Iterator<Item = &str> {
        self.items.iter().flat_map(|item| {
            let (line, body) = match item {
                Item::Line(line) => (*line, None),
                Item::Changed(line) => (line.as_str(), None),
                Item::Definition(definition) => (definition.header, Some(definition.lines())),
            };
            std::iter::once(line).chain(body.into_iter().flatten())
        })
    }

    /// The sizes and offsets of the module's types.
    pub fn layout(&self) -> Layout<'a> {
        Layout::read(self.lines())
    }

    /// The text of the module.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for item in &self.items {
            match item {
                Item::Line(line) => push_line(&mut text, line),
                Item::Changed(line) => push_line(&mut text, line),
                Item::Definition(definition) => definition.write(&mut text),
            }
        }
        self.constants.lines.iter().for_each(|line| push_line(&mut text, line));
        self.declarations.iter().for_each(|line| push_line(&mut text, line));
        text
    }
}

impl Definition<'_> {
    /// Its name, result and parameters; `None` if the form of the line is unknown.
    pub fn signature(&self) -> Option<Signature<'_>> {
        Signature::parse(self.header)
    }

    /// Does any line of the body contain this text?
    pub fn mentions(&self, text: &str) -> bool {
        self.lines().any(|line| line.contains(text))
    }

    /// Lets `change` rewrite the blocks, and returns its result: whether it changed anything. `None` if the form of the
    /// body is unknown.
    pub fn rewrite(&mut self, change: impl FnOnce(&mut Function) -> bool) -> Option<bool> {
        if self.function.is_none() {
            self.function = Function::parse(&self.body);
        }
        let changed = change(self.function.as_mut()?);
        self.changed |= changed;
        Some(changed)
    }

    /// The lines of the body.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &str> {
        let rewritten = self.function.as_ref().filter(|_| self.changed);
        let read = rewritten.is_none().then_some(&self.body).into_iter().flatten().copied();
        rewritten.into_iter().flat_map(Function::lines).chain(read)
    }

    fn write(&self, text: &mut String) {
        push_line(text, self.header);
        self.lines().for_each(|line| push_line(text, line));
        push_line(text, "}");
    }
}

fn push_line(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}
