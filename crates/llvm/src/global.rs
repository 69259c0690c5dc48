//! A global variable.

use crate::text;

/// A global variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Global<'a> {
    /// The name, without the `@` and without quotes.
    pub name: &'a str,
    /// Its type.
    pub kind: &'a str,
    /// Is it constant?
    pub is_constant: bool,
    /// Is it thread-local?
    pub is_thread_local: bool,
    /// Is it defined in another module?
    pub is_external: bool,
}

impl<'a> Global<'a> {
    /// Reads a line; `None` if it is not a global variable, or is an alias.
    pub fn parse(line: &'a str) -> Option<Self> {
        let (name, rest) = text::name(line.strip_prefix('@')?)?;
        let words = rest.strip_prefix(" = ")?;
        let (at, keyword) = [" global ", " constant "].iter().find_map(|word| Some((words.find(word)?, *word)))?;
        let before = &words[..at];
        let kind = &words[at + keyword.len()..];
        Some(Self {
            name,
            kind: text::kind(kind)?.0,
            is_constant: keyword == " constant ",
            is_thread_local: before.contains("thread_local"),
            is_external: before.split(' ').any(|word| word == "external" || word == "extern_weak"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_globals() {
        let read = |line| Global::parse(line).unwrap();
        let version = read(r#"@v = dso_local constant [7 x i8] c"3.54.1\00", align 1, !dbg !0"#);
        assert_eq!((version.name, version.kind, version.is_constant), ("v", "[7 x i8]", true));
        let counter = read("@counter = internal thread_local(initialexec) global i32 0, align 4");
        assert!(counter.is_thread_local && !counter.is_constant && !counter.is_external);
        let other = read(r#"@"a b" = external dso_local global %struct.S, align 8"#);
        assert_eq!((other.name, other.kind, other.is_external), ("a b", "%struct.S", true));
        assert_eq!(Global::parse("@a = alias i32, ptr @b"), None);
    }
}
