//! Targets: which functions, variables and lines an order names.

use crate::demangled::Name;
use crate::what::What;

/// What an order names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Target {
    text: String,
    /// The text without spaces that do not matter.
    pattern: String,
    line: Option<SourceLine>,
}

/// A line of a source file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceLine {
    /// The file, or the end of its path.
    pub file: String,
    /// The line.
    pub line: u32,
}

impl Target {
    pub(crate) fn new(what: What, text: &str) -> Result<Self, String> {
        let line = match what {
            What::Line => Some(source_line(text).ok_or("the target of `line` is `file.c:12`")?),
            _ => None,
        };
        if what.is_access() && text.contains(|c: char| c.is_whitespace() || "()".contains(c)) {
            return Err(format!("`{text}` is not the name of a variable, or of its member (`state.count`)"));
        }
        Ok(Self { text: text.to_owned(), pattern: squeezed(text), line })
    }

    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The line, if the target is one.
    pub fn line(&self) -> Option<&SourceLine> {
        self.line.as_ref()
    }

    /// Does it name a function or variable with this symbol? In C++ it may be the symbol, or the name with or without
    /// its parameters, and without its template arguments.
    pub fn names(&self, symbol: &str) -> bool {
        if matches(&self.pattern, symbol) {
            return true;
        }
        Name::of(symbol).is_some_and(|name| name.forms().iter().any(|form| matches(&self.pattern, &squeezed(form))))
    }

    /// The variable that the target names, and the names of the members after it: each way to read `a.b.c`.
    pub fn variables(&self) -> impl Iterator<Item = (&str, Vec<&str>)> {
        let dots = self.text.match_indices('.').map(|(at, _)| at).chain([self.text.len()]);
        dots.map(|at| {
            let members = self.text.get(at + 1..).unwrap_or("");
            (&self.text[..at], members.split('.').filter(|name| !name.is_empty()).collect())
        })
    }

    /// Is the target, or the variable in it, this variable?
    pub fn is_variable(pattern: &str, symbol: &str) -> bool {
        matches(pattern, symbol) || Name::of(symbol).is_some_and(|name| matches(pattern, &name.whole))
    }
}

impl SourceLine {
    /// Is it in this file? The target may be the end of the path.
    pub fn is_in(&self, file: &str) -> bool {
        let shorter = self.file.trim_start_matches("./");
        file == self.file || file.strip_suffix(shorter).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    }
}

fn source_line(text: &str) -> Option<SourceLine> {
    let (file, line) = text.rsplit_once(':')?;
    let line = line.parse().ok().filter(|line| *line > 0)?;
    (!file.is_empty()).then(|| SourceLine { file: file.to_owned(), line })
}

/// Without spaces, except where words would become one.
fn squeezed(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        let joins = |c: char| c.is_alphanumeric() || c == '_';
        if out.ends_with(joins) && word.starts_with(joins) {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// Does the text match a pattern in which `*` stands for any text? In linear time for each star: the last star alone is
/// tried again.
fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let (mut p, mut t) = (0, 0);
    let mut again: Option<(usize, usize)> = None;
    loop {
        let is_star = pattern.get(p) == Some(&b'*');
        // A star in the text, as in `operator*` and `char*`, is also itself.
        if t < text.len() && !is_star && pattern.get(p) == Some(&text[t]) {
            (p, t) = (p + 1, t + 1);
        } else if is_star {
            again = Some((p + 1, t));
            p += 1;
        } else if t == text.len() && p == pattern.len() {
            return true;
        } else {
            match again {
                Some((after, from)) if from < text.len() => {
                    again = Some((after, from + 1));
                    (p, t) = (after, from + 1);
                }
                _ => return false,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(what: What, target: &str, symbol: &str) -> bool {
        Target::new(what, target).unwrap().names(symbol)
    }

    #[test]
    fn a_name_as_a_person_writes_it() {
        let open = "_ZN3net4Conn4openEPKci";
        for target in
            ["net::Conn::open", "net::Conn::open(char const*, int)", "net::*::open", "net::Conn::open(*", open]
        {
            assert!(names(What::Call, target, open), "{target}");
        }
        for target in ["open", "Conn::open", "net::Conn::open()", "net::Conn::opens"] {
            assert!(!names(What::Call, target, open), "{target}");
        }
        // int net::twice<int>(int)
        let twice = "_ZN3net5twiceIiEET_S1_";
        for target in ["net::twice", "net::twice<int>", "net::twice<int>(int)", "int net::twice<int>(int)"] {
            assert!(names(What::Body, target, twice), "{target}");
        }
        assert!(names(What::Call, "net::Conn::~Conn", "_ZN3net4ConnD2Ev"));
        assert!(names(What::Call, "hidden", "_ZN12_GLOBAL__N_16hiddenEv"));
        assert!(names(What::Call, "operator new", "_Znwm"));
    }

    #[test]
    fn stars_stand_for_any_text() {
        for (pattern, text, expected) in [
            ("*", "", true),
            ("a*c", "abbc", true),
            ("a*c", "abbcd", false),
            ("*_file", "open_file", true),
            ("*a*b*c", "xxaxxbxxcxxc", true),
            ("open", "open_file", false),
            ("", "a", false),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn a_file_may_be_the_end_of_a_path() {
        let line = source_line("src/a.c:12").unwrap();
        assert_eq!(line.line, 12);
        assert!(line.is_in("/home/x/src/a.c") && line.is_in("src/a.c") && !line.is_in("/home/bsrc/a.c"));
    }
}
