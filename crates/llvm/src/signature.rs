//! The first line of a function: its name, its result, its parameters.

use crate::text::{self, close, last_kind, split};

/// The name, result and parameters of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signature<'a> {
    /// The name, without the `@` and without quotes.
    pub name: &'a str,
    /// The type of the result.
    pub result: &'a str,
    /// The parameters, in order.
    pub parameters: Vec<Parameter<'a>>,
    /// Is it variadic?
    pub variadic: bool,
    /// The number of its debug metadata.
    pub debug: Option<u32>,
}

/// A parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parameter<'a> {
    /// Its type.
    pub kind: &'a str,
    /// Its name with the `%`; empty in declarations.
    pub name: &'a str,
    /// Is it the hidden address of the structure that the function returns?
    pub is_result: bool,
    /// Is it the address of a structure that is passed by value?
    pub by_value: bool,
}

impl<'a> Signature<'a> {
    /// Reads the line of a `define` or `declare`; `None` if its form is unknown.
    pub fn parse(line: &'a str) -> Option<Self> {
        let at = name_start(line)?;
        let (name, rest) = text::name(&line[at + 1..])?;
        let (parameters, tail) = close(rest.strip_prefix('(')?)?;
        let mut signature = Self {
            name,
            result: last_kind(line[..at].trim_end())?,
            parameters: Vec::new(),
            variadic: false,
            debug: debug(tail),
        };
        for part in split(parameters)?.into_iter().filter(|part| !part.is_empty()) {
            match part {
                "..." => signature.variadic = true,
                part => signature.parameters.push(Parameter::parse(part)?),
            }
        }
        Some(signature)
    }
}

impl<'a> Parameter<'a> {
    /// `ptr nocapture noundef %0`: the type comes first, the name last, and attributes in between.
    fn parse(part: &'a str) -> Option<Self> {
        let (kind, _) = text::kind(part)?;
        let name = part.rsplit_once(' ').map_or("", |(_, word)| word);
        let name = if name.starts_with('%') { name } else { "" };
        Some(Self { kind, name, is_result: part.contains(" sret("), by_value: part.contains(" byval(") })
    }
}

/// The position of the name's `@`: before the list of parameters and outside brackets (attributes such as `personality`
/// come later).
fn name_start(line: &str) -> Option<usize> {
    let mut depth = 0_i32;
    for (at, character) in line.char_indices() {
        match character {
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' | '>' => depth -= 1,
            '@' if depth == 0 => return Some(at),
            _ => {}
        }
    }
    None
}

fn debug(tail: &str) -> Option<u32> {
    let (_, rest) = tail.split_once("!dbg !")?;
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain<'a>(kind: &'a str, name: &'a str) -> Parameter<'a> {
        Parameter { kind, name, is_result: false, by_value: false }
    }

    #[test]
    fn attributes_are_not_part_of_types() {
        let line = "define dso_local noundef i32 @sum(ptr nocapture noundef readonly align 8 dereferenceable(16) %0, [2 x i64] %x) #0 !dbg !7 {";
        let read = Signature::parse(line).unwrap();
        let parameters = vec![plain("ptr", "%0"), plain("[2 x i64]", "%x")];
        assert_eq!(read, Signature { name: "sum", result: "i32", parameters, variadic: false, debug: Some(7) });
    }

    #[test]
    fn names_in_quotes_and_results_in_braces() {
        let line = r#"define internal { ptr, i32 } @"_ZZ4mainENK3$_0clEv"(ptr noundef byval(%struct.S) align 8 %0, ...) personality ptr @__gxx_personality_v0 {"#;
        let read = Signature::parse(line).unwrap();
        assert_eq!((read.name, read.result, read.variadic), ("_ZZ4mainENK3$_0clEv", "{ ptr, i32 }", true));
        assert_eq!(read.parameters, [Parameter { by_value: true, ..plain("ptr", "%0") }]);
    }

    #[test]
    fn declarations_have_no_names() {
        let read = Signature::parse("declare i32 @printf(ptr noundef, ...) #2").unwrap();
        assert_eq!((read.name, read.variadic), ("printf", true));
        assert_eq!(read.parameters, [plain("ptr", "")]);
    }
}
