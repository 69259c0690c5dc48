//! Which memory a pointer points to, as far as it is the same in every execution.

use super::call::{Access, accesses};
use crate::function::{Definitions, Function};
use crate::global::Global;
use crate::instruction::Instruction;
use crate::text::is_name_character;
use std::collections::{BTreeMap, HashMap};

/// What an address is computed from.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Base {
    /// A constant: a global, or a part of one.
    Constant(String),
    /// A parameter of the function, by its number.
    Parameter(usize),
    /// A variable of the function, by its name.
    Local(String),
}

/// An address: a base, and constant steps into its type. (A step is a type, and its indices.)
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Object {
    pub base: Base,
    pub steps: Vec<(String, String)>,
    /// The address is somewhere in the base.
    pub somewhere: bool,
}

/// Why it is not known where a pointer points to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unresolved {
    /// It may point to anything.
    Unknown,
    /// It is computed from the pointer that is being followed.
    Circular,
}

impl Base {
    /// The object that a constant is a part of.
    fn whole(self) -> Self {
        match &self {
            Self::Constant(text) => Self::Constant(global_of(text).unwrap_or(text).to_owned()),
            _ => self,
        }
    }
}

/// The operand of a pointer.
fn pointer(part: &str) -> Result<&str, Unresolved> {
    part.strip_prefix("ptr ").ok_or(Unresolved::Unknown)
}

/// What is known about the values of a function.
pub struct Values<'a> {
    function: &'a Function,
    definitions: Definitions,
    /// The values that are stored to each variable whose address stays within the function; none, if it does not.
    stored: HashMap<String, Option<Vec<String>>>,
    parameters: Vec<String>,
}

/// The longest chain of values that is followed.
const DEPTH: usize = 32;

impl<'a> Values<'a> {
    /// Of a function. Parameters that may be anything have empty names.
    pub fn new(function: &'a Function, parameters: Vec<String>) -> Self {
        let mut stored = HashMap::new();
        for line in function.blocks.iter().flat_map(|block| &block.lines) {
            if let Some(instruction) = Instruction::parse(line).filter(|found| found.operation == "alloca") {
                stored.insert(instruction.result.to_owned(), stored_to(function, instruction.result));
            }
        }
        Self { function, definitions: function.definitions(), stored, parameters }
    }

    /// Where an operand points to; none, if that may change.
    pub fn resolve(&self, operand: &str) -> Option<Object> {
        self.resolve_to(operand, &mut Vec::new(), DEPTH).ok()
    }

    /// `open` has the values that are being followed.
    fn resolve_to(&self, operand: &str, open: &mut Vec<String>, depth: usize) -> Result<Object, Unresolved> {
        let of = |base| Ok(Object { base, steps: Vec::new(), somewhere: false });
        if operand.starts_with('@') || operand.starts_with("getelementptr") && operand.contains("ptr @") {
            return of(Base::Constant(operand.to_owned()));
        }
        if let Some(number) = self.parameters.iter().position(|name| !name.is_empty() && name == operand) {
            return of(Base::Parameter(number));
        }
        let depth = depth.checked_sub(1).ok_or(Unresolved::Unknown)?;
        let instruction = self.function.definition(&self.definitions, operand).ok_or(Unresolved::Unknown)?;
        match instruction.operation {
            "alloca" if self.definitions.get(operand).is_some_and(|(block, _)| *block == 0) => {
                of(Base::Local(operand.to_owned()))
            }
            "getelementptr" => {
                let [kind, base, indices @ ..] = instruction.parts.as_slice() else { return Err(Unresolved::Unknown) };
                let mut object = self.resolve_to(pointer(base)?, open, depth)?;
                if indices.iter().any(|index| index.contains('%')) {
                    object.somewhere = true;
                }
                object.steps.push(((*kind).to_owned(), indices.join(", ")));
                Ok(object)
            }
            "load" => {
                let variable = pointer(instruction.parts.get(1).copied().unwrap_or_default())?;
                match self.stored.get(variable).and_then(Option::as_deref) {
                    Some([value]) => self.resolve_to(value, open, depth),
                    Some(values) => self.resolve_all(variable, values, open, depth),
                    None => Err(Unresolved::Unknown),
                }
            }
            "phi" => {
                let (_, pairs) = instruction.incoming().ok_or(Unresolved::Unknown)?;
                let values: Vec<String> = pairs.into_iter().map(|(value, _)| value.to_owned()).collect();
                self.resolve_all(operand, &values, open, depth)
            }
            _ => Err(Unresolved::Unknown),
        }
    }

    /// A pointer that is one of several: somewhere in the object that all of them point to.
    fn resolve_all(
        &self,
        operand: &str,
        values: &[String],
        open: &mut Vec<String>,
        depth: usize,
    ) -> Result<Object, Unresolved> {
        if open.iter().any(|known| known == operand) {
            return Err(Unresolved::Circular);
        }
        open.push(operand.to_owned());
        let mut all: Option<Base> = None;
        for value in values {
            let base = match self.resolve_to(value, open, depth) {
                Ok(object) => object.base.whole(),
                Err(Unresolved::Circular) => continue,
                Err(unknown) => return Err(unknown),
            };
            if all.get_or_insert_with(|| base.clone()) != &base {
                return Err(Unresolved::Unknown);
            }
        }
        open.pop();
        let object = |base| Object { base, steps: Vec::new(), somewhere: true };
        all.map(object).ok_or(Unresolved::Circular)
    }

    /// The memory that decides a branch; none, if it is not known.
    pub fn decided_by(&self, terminator: &str) -> Option<Vec<(Object, u64)>> {
        let code = terminator.trim();
        let code = code.strip_prefix("br i1 ").or_else(|| code.strip_prefix("switch "))?;
        let operand = code.split(',').next()?.rsplit(' ').next()?;
        let mut parts = Vec::new();
        self.depends(operand, DEPTH, &mut parts)?;
        Some(parts)
    }

    /// Adds the memory that a value is computed from.
    fn depends(&self, operand: &str, depth: usize, parts: &mut Vec<(Object, u64)>) -> Option<()> {
        if !operand.starts_with('%') {
            return (!operand.contains('@') && !operand.contains('%')).then_some(());
        }
        let depth = depth.checked_sub(1)?;
        let instruction = self.function.definition(&self.definitions, operand)?;
        match instruction.operation {
            "load" => {
                let from = instruction.parts.get(1)?.strip_prefix("ptr ")?;
                match self.stored.get(from) {
                    Some(Some(values)) => match values.as_slice() {
                        [value] => self.depends(value, depth, parts),
                        _ => None,
                    },
                    _ => {
                        let object = self.resolve(from).filter(|object| !object.somewhere && self.is_told(object))?;
                        parts.push((object, bytes_of(instruction.parts.first()?)?));
                        Some(())
                    }
                }
            }
            "icmp" | "add" | "sub" | "mul" | "and" | "or" | "xor" | "zext" | "sext" | "trunc" | "shl" | "lshr"
            | "ashr" | "srem" | "urem" | "sdiv" | "udiv" => {
                let operands: Vec<String> = instruction
                    .parts
                    .iter()
                    .flat_map(|part| part.split(' '))
                    .filter(|word| word.starts_with('%'))
                    .map(str::to_owned)
                    .collect();
                operands.iter().try_for_each(|operand| self.depends(operand, depth, parts))
            }
            _ => None,
        }
    }

    /// Are accesses of this memory reported? Those of variables whose address stays within the function are not.
    fn is_told(&self, object: &Object) -> bool {
        let is_local = matches!(object.base, Base::Local(_));
        let mut told = self.function.blocks.iter().flat_map(|block| &block.lines).filter_map(|line| accesses(line));
        let is_same = |access: &Access| self.resolve(&access.address).is_some_and(|known| known.base == object.base);
        !is_local || told.any(|accesses| accesses.iter().any(is_same))
    }

    /// Do the values that a block reads at an address go nowhere but back to it, as in `x++`?
    pub fn is_quiet(&self, block: &[String], address: &str) -> bool {
        let from = format!("ptr {address}");
        let loads = block.iter().filter_map(|line| Instruction::parse(line));
        let mut loads =
            loads.filter(|found| found.operation == "load" && found.parts.get(1) == Some(&from.as_str())).peekable();
        loads.peek().is_some() && loads.all(|load| self.goes_back(load.result, address, DEPTH))
    }

    fn goes_back(&self, value: &str, address: &str, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        let lines = self.function.blocks.iter().flat_map(|block| &block.lines);
        lines.filter(|line| !is_record(line) && mentions(line, value)).all(|line| match Instruction::parse(line) {
            Some(found) if found.result == value => true,
            Some(found) if found.operation == "store" => {
                let to = found.parts.get(1).and_then(|to| to.strip_prefix("ptr "));
                to.is_some_and(|to| {
                    to != value
                        && (to == address
                            || self.resolve(to) == self.resolve(address)
                                && self.resolve(to).is_some_and(|object| !object.somewhere))
                })
            }
            Some(found) => {
                matches!(found.operation, "add" | "sub" | "and" | "or" | "xor" | "mul" | "zext" | "sext" | "trunc")
                    && self.goes_back(found.result, address, depth)
            }
            None => false,
        })
    }

    /// The type of a variable of the function.
    pub fn kind_of(&self, local: &str) -> Option<&str> {
        self.function.definition(&self.definitions, local)?.parts.first().copied()
    }

    /// Is it the address of a standard stream?
    pub fn is_stream(&self, operand: &str) -> bool {
        let loaded = self.function.definition(&self.definitions, operand).filter(|found| found.operation == "load");
        loaded.and_then(|load| load.parts.get(1).copied()).is_some_and(|from| from.starts_with("ptr @std"))
    }
}

/// The values that are stored to a variable; none, if something else is done with its address.
fn stored_to(function: &Function, variable: &str) -> Option<Vec<String>> {
    let mut values = Vec::new();
    let lines = function.blocks.iter().flat_map(|block| &block.lines);
    for line in lines.filter(|line| !is_record(line) && mentions(line, variable)) {
        let instruction = Instruction::parse(line)?;
        match instruction.operation {
            "load" | "alloca" => {}
            "store" if instruction.parts.get(1).is_some_and(|to| *to == format!("ptr {variable}")) => {
                let (_, value) = instruction.parts[0].split_once(' ')?;
                if mentions(value, variable) {
                    return None;
                }
                values.push(value.to_owned());
            }
            _ if line.contains("@llvm.lifetime.") || line.contains("@llvm.dbg.") => {}
            _ => return None,
        }
    }
    Some(values)
}

/// Is a line there for debuggers alone?
fn is_record(line: &str) -> bool {
    line.trim_start().starts_with("#dbg_")
}

fn mentions(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| !text[at + word.len()..].starts_with(is_name_character))
}

impl Object {
    /// A constant expression for the address, where `base` stands for what it is computed from.
    fn over(&self, base: &str) -> String {
        let step = |inner: String, (kind, indices): &(String, String)| {
            format!("getelementptr ({kind}, ptr {inner}, {indices})")
        };
        let steps = if self.somewhere { &[] } else { self.steps.as_slice() };
        steps.iter().fold(base.to_owned(), step)
    }

    /// The address as a number: of a constant itself, of others the distance from the base.
    pub fn number(&self) -> String {
        let base = match &self.base {
            Base::Constant(text) if self.somewhere => global_of(text).unwrap_or(text),
            Base::Constant(text) => text,
            Base::Parameter(_) | Base::Local(_) => "null",
        };
        format!("ptrtoint (ptr {} to i64)", self.over(base))
    }

    /// Where the object begins that it is somewhere in, as an operand.
    pub fn start(&self) -> Option<String> {
        match &self.base {
            Base::Constant(text) => global_of(text).map(str::to_owned),
            Base::Local(name) => Some(name.clone()),
            Base::Parameter(_) => None,
        }
    }

    /// The size of what it is somewhere in, as a constant expression.
    pub fn whole(&self, globals: &BTreeMap<String, String>, values: &Values<'_>) -> Option<String> {
        let kind = match &self.base {
            Base::Constant(text) => globals.get(global_of(text)?.strip_prefix('@')?)?.as_str(),
            Base::Local(name) => values.kind_of(name)?,
            Base::Parameter(_) => return None,
        };
        Some(format!("ptrtoint (ptr getelementptr ({kind}, ptr null, i32 1) to i64)"))
    }

    /// The same for the caller of the function, given its arguments.
    pub fn substituted(&self, arguments: &[Option<Self>]) -> Option<Self> {
        match &self.base {
            Base::Constant(_) => Some(self.clone()),
            Base::Local(_) => None,
            Base::Parameter(number) => {
                let mut object = arguments.get(*number)?.clone()?;
                object.steps.extend(self.steps.iter().cloned());
                object.somewhere |= self.somewhere;
                Some(object)
            }
        }
    }
}

/// The global in a constant, with its `@`.
fn global_of(text: &str) -> Option<&str> {
    let from = &text[text.find('@')?..];
    let quoted = from[1..].starts_with('"');
    let end = if quoted {
        from[2..].find('"')? + 3
    } else {
        from[1..].find(|c| !is_name_character(c)).map_or(from.len(), |at| at + 1)
    };
    Some(&from[..end])
}

/// The types of the variables of a module.
pub fn kinds<'a>(globals: impl Iterator<Item = Global<'a>>) -> BTreeMap<String, String> {
    globals
        .filter(|global| !global.is_thread_local)
        .map(|global| (global.name.to_owned(), global.kind.to_owned()))
        .collect()
}

/// The bytes of an integer or a pointer.
fn bytes_of(kind: &str) -> Option<u64> {
    match kind {
        "ptr" => Some(8),
        _ => kind.strip_prefix('i')?.parse::<u64>().ok().map(|bits| bits.div_ceil(8)),
    }
}
