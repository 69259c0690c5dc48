//! Calls, as text.

use crate::hook::{Hook, Kind};
use crate::text::{close, name, split};

/// A call of something that is no hook for a plain access.
pub struct Call<'a> {
    /// The function's name; none, if it is not known.
    pub name: Option<&'a str>,
    /// The operands, and whether each is a pointer.
    pub arguments: Vec<(&'a str, bool)>,
}

impl<'a> Call<'a> {
    /// Reads a line; none, if it is no call.
    pub fn parse(line: &'a str) -> Option<Self> {
        let code = line.trim_start();
        let code = code.split_once(" = ").filter(|(result, _)| result.starts_with('%')).map_or(code, |(_, code)| code);
        let code = ["tail ", "musttail ", "notail "].iter().find_map(|word| code.strip_prefix(word)).unwrap_or(code);
        let rest = code.strip_prefix("call ")?;
        let unknown = Some(Self { name: None, arguments: Vec::new() });
        let Some(at) = callee(rest) else { return unknown };
        let Some((name, rest)) = name(&rest[at + 1..]) else { return unknown };
        let Some((arguments, _)) = rest.strip_prefix('(').and_then(close) else { return unknown };
        let Some(parts) = split(arguments) else { return unknown };
        let arguments =
            parts.into_iter().filter(|part| !part.is_empty()).map(|part| (operand(part), part.starts_with("ptr")));
        Some(Self { name: Some(name), arguments: arguments.collect() })
    }
}

/// Where the name of the called function begins, if it has one.
fn callee(code: &str) -> Option<usize> {
    let mut depth = 0_i32;
    for (at, character) in code.char_indices() {
        match character {
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' | '>' => depth -= 1,
            '@' if depth == 0 => return Some(at),
            '%' if depth == 0 && code[at..].split(' ').next().is_some_and(|word| word.contains('(')) => return None,
            _ => {}
        }
    }
    None
}

/// What an argument is, without its type and attributes.
fn operand(part: &str) -> &str {
    match part.find(" getelementptr ") {
        Some(at) => &part[at + 1..],
        None => part.rsplit_once(' ').map_or(part, |(_, word)| word),
    }
}

/// An access that a line reports.
pub struct Access {
    pub address: String,
    /// The number of bytes; none, if it is not known.
    pub size: Option<u64>,
    pub writes: bool,
    pub atomic: bool,
}

/// The accesses that a call of a hook reports; none, if it is no hook.
pub fn accesses(line: &str) -> Option<Vec<Access>> {
    if let Some(hook) = Hook::parse(line) {
        let writes = hook.kind != Kind::Read;
        let size = hook.series.is_none().then_some(hook.size);
        return Some(vec![Access { address: hook.address, size, writes, atomic: false }]);
    }
    let call = Call::parse(line)?;
    let name = call.name?.strip_prefix("__tsan_")?;
    let argument = |number: usize| call.arguments.get(number).map(|(operand, _)| (*operand).to_owned());
    let size = argument(2).and_then(|size| size.parse().ok());
    let of = |address: String, size, writes, atomic| Access { address, size, writes, atomic };
    if let Some(rest) = name.strip_prefix("atomic") {
        let bits: u64 = rest.split('_').next()?.parse().ok()?;
        return Some(vec![of(argument(0)?, Some(bits / 8), !rest.ends_with("_load"), true)]);
    }
    match name {
        "memcpy" | "memmove" => Some(vec![of(argument(0)?, size, true, false), of(argument(1)?, size, false, false)]),
        "memset" => Some(vec![of(argument(0)?, size, true, false)]),
        "vptr_read" => Some(vec![of(argument(0)?, Some(8), false, false)]),
        "vptr_update" => Some(vec![of(argument(0)?, Some(8), true, false)]),
        _ if name.starts_with("volatile_") || name.starts_with("unaligned_volatile_") => {
            let digits: u64 = name.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().ok()?;
            Some(vec![of(argument(0)?, Some(digits), name.contains("write"), false)])
        }
        _ => None,
    }
}
