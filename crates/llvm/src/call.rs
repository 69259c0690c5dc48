//! Calls of named functions.

use crate::text::{self, close, last_kind, split};

/// A call of a function by its name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call<'a> {
    /// The value it defines, with the `%`; empty if none.
    pub result: &'a str,
    /// The function, without the `@` and without quotes.
    pub callee: &'a str,
    /// The type of the result.
    pub kind: &'a str,
    /// The arguments of the source, in order: without the hidden address of a structure that is returned.
    pub arguments: Vec<Argument<'a>>,
    /// Where an `invoke` goes on if the function returns.
    pub goes_on: Option<&'a str>,
    /// Must it stay a tail call?
    pub must_tail: bool,
}

/// An argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Argument<'a> {
    /// Its type.
    pub kind: &'a str,
    /// Its value.
    pub value: &'a str,
    /// Is it the address of a structure that is passed by value?
    pub by_value: bool,
}

/// Attributes of arguments, some of which have a value in brackets or a number after them.
const ATTRIBUTES: [&str; 32] = [
    "noundef",
    "nonnull",
    "nocapture",
    "readonly",
    "readnone",
    "writeonly",
    "zeroext",
    "signext",
    "inreg",
    "returned",
    "noalias",
    "immarg",
    "nofree",
    "align",
    "dereferenceable",
    "dereferenceable_or_null",
    "byval",
    "captures",
    "range",
    "initializes",
    "nest",
    "swiftself",
    "swifterror",
    "swiftasync",
    "elementtype",
    "inalloca",
    "preallocated",
    "byref",
    "allocalign",
    "allocptr",
    "nofpclass",
    "writable",
];

impl<'a> Call<'a> {
    /// Reads an instruction; `None` if it is not a call of a named function.
    pub fn parse(line: &'a str) -> Option<Self> {
        let code = line.trim_start();
        let (result, code) = match code.split_once(" = ") {
            Some((name, rest)) if name.starts_with('%') => (name, rest),
            _ => ("", code),
        };
        let (operation, rest) = operation(code)?;
        let at = callee_start(rest)?;
        let (callee, tail) = text::name(&rest[at + 1..])?;
        let (arguments, tail) = close(tail.strip_prefix('(')?)?;
        let arguments: Vec<&str> = split(arguments)?.into_iter().filter(|part| !part.is_empty()).collect();
        let visible = arguments.iter().filter(|part| !part.contains(" sret("));
        Some(Self {
            result,
            callee,
            kind: result_kind(&rest[..at])?,
            arguments: visible.map(|part| Argument::parse(part)).collect::<Option<_>>()?,
            goes_on: if operation == "invoke" { Some(normal_target(tail)?) } else { None },
            must_tail: code.starts_with("musttail "),
        })
    }

    /// The function as the source names it: what LLVM made of `memcpy` is still `memcpy`.
    pub fn source_name(&self) -> &'a str {
        let intrinsic = self.callee.strip_prefix("llvm.").and_then(|name| name.split('.').next());
        intrinsic.filter(|name| ["memcpy", "memmove", "memset"].contains(name)).unwrap_or(self.callee)
    }
}

fn operation(code: &str) -> Option<(&str, &str)> {
    let code = ["tail ", "musttail ", "notail "].iter().find_map(|flag| code.strip_prefix(flag)).unwrap_or(code);
    let (word, rest) = code.split_once(' ')?;
    ["call", "invoke"].contains(&word).then_some((word, rest))
}

/// The position of the `@` of the function's name; none in calls through pointers and in assembly.
fn callee_start(rest: &str) -> Option<usize> {
    let (mut depth, mut at) = (0_i32, 0);
    for word in rest.split_inclusive(' ') {
        if depth == 0 && word.starts_with('@') {
            return Some(at);
        }
        if depth == 0 && (word.starts_with('%') && word.contains('(') && !word.starts_with("%\"") || word == "asm ") {
            return None;
        }
        depth += word.chars().map(|c| i32::from("([{<".contains(c)) - i32::from(")]}>".contains(c))).sum::<i32>();
        at += word.len();
    }
    None
}

/// The type of the result: of a variadic function the type of the function stands there.
fn result_kind(before: &str) -> Option<&str> {
    let before = before.trim_end();
    let Some(open) = before.strip_suffix(')') else { return last_kind(before) };
    let mut depth = 1;
    for (at, character) in open.char_indices().rev() {
        depth += i32::from(character == ')') - i32::from(character == '(');
        if depth == 0 {
            return last_kind(before[..at].trim_end());
        }
    }
    None
}

fn normal_target(tail: &str) -> Option<&str> {
    crate::instruction::targets(tail).next()
}

impl<'a> Argument<'a> {
    fn parse(part: &'a str) -> Option<Self> {
        let (kind, rest) = text::kind(part)?;
        let mut value = rest.trim_start();
        let mut by_value = false;
        while let Some((word, after)) = attribute(value) {
            by_value |= word == "byval";
            value = after;
        }
        (!value.is_empty()).then_some(Self { kind, value, by_value })
    }
}

/// The attribute at the start of a text, and what follows it.
fn attribute(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
    let (word, rest) = text.split_at(end);
    if !ATTRIBUTES.contains(&word) {
        return None;
    }
    let rest = match rest.strip_prefix('(') {
        Some(inner) => close(inner)?.1,
        None if word == "align" => rest.trim_start().trim_start_matches(|c: char| c.is_ascii_digit()),
        None => rest,
    };
    Some((word, rest.trim_start()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> (String, Vec<String>) {
        let call = Call::parse(line).unwrap_or_else(|| panic!("{line}"));
        let arguments = call.arguments.iter().map(|one| format!("{} {}", one.kind, one.value)).collect();
        (format!("{} {} {}", call.result, call.kind, call.callee), arguments)
    }

    #[test]
    fn forms_of_calls() {
        let (name, arguments) =
            read("  %13 = call i32 (ptr, ...) @printf(ptr noundef @.str, i32 noundef %12), !dbg !74");
        assert_eq!((name.as_str(), arguments), ("%13 i32 printf", vec!["ptr @.str".into(), "i32 %12".into()]));
        let line = "  %40 = invoke noundef zeroext i1 @\"_ZN$0\"(ptr noundef nonnull align 4 dereferenceable(4) %2, i32 signext range(i32 0, 2) -1)\n          to label %14 unwind label %33, !dbg !1";
        assert_eq!(Call::parse(line).unwrap().goes_on, Some("14"));
        let (name, arguments) = read(line);
        assert_eq!((name.as_str(), arguments), ("%40 i1 _ZN$0", vec!["ptr %2".into(), "i32 -1".into()]));
        let (name, arguments) =
            read("  tail call { i64, i32 } @f(ptr getelementptr inbounds (%struct.S, ptr @g, i32 0, i32 1)) #2");
        assert_eq!(name, " { i64, i32 } f");
        assert_eq!(arguments, ["ptr getelementptr inbounds (%struct.S, ptr @g, i32 0, i32 1)"]);
        let (_, arguments) = read(
            "call void @f(ptr dead_on_unwind writable sret(%struct.S) align 8 %1, ptr byval(%struct.S) align 8 %2)",
        );
        assert_eq!(arguments, ["ptr %2"]);
    }

    #[test]
    fn calls_through_pointers_are_none() {
        for line in [
            "  %5 = call i32 %4(ptr @g)",
            "  call void asm sideeffect \"call @f\", \"~{memory}\"()",
            "  %5 = load ptr, ptr @f",
            "  call void (ptr, ...) %3(ptr @g)",
        ] {
            assert_eq!(Call::parse(line), None, "{line}");
        }
    }
}
