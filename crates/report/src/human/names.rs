//! Names of C++ functions as a person would write them: without what the library fills in, and not without end.

/// Names are cut down to so many columns by leaving out what is in their innermost brackets.
const WIDEST: usize = 80;
/// What the library's templates take if nothing is said.
const DEFAULTS: [&str; 6] =
    ["std::allocator<", "std::less<", "std::char_traits<", "std::default_delete<", "std::hash<", "std::equal_to<"];
/// Templates that have shorter names.
const SHORTER: [(&str, &str); 2] =
    [("std::basic_string<char>", "std::string"), ("std::basic_string_view<char>", "std::string_view")];

/// A function's name, readable.
pub(super) fn readable(name: &str) -> String {
    let name = without_tags(name).replace("std::__cxx11::", "std::").replace("std::__1::", "std::");
    let parts = Parser { rest: &name }.parts();
    let deepest = parts.iter().map(Part::depth).max().unwrap_or(0);
    let shortened = (0..=deepest).rev().map(|depth| text(&parts, depth));
    let mut shortest = name.clone();
    for shorter in shortened {
        if shorter.chars().count() <= WIDEST {
            return shorter;
        }
        shortest = shorter;
    }
    shortest
}

/// Without what tells one version of the library from another.
pub(super) fn without_tags(text: &str) -> String {
    text.replace("[abi:cxx11]", "")
}

/// A part of a name.
enum Part {
    Text(String),
    /// What is in brackets, between commas.
    List(char, Vec<Vec<Part>>),
}

impl Part {
    fn depth(&self) -> usize {
        match self {
            Self::Text(_) => 0,
            Self::List(_, items) => 1 + items.iter().flatten().map(Self::depth).max().unwrap_or(0),
        }
    }
}

/// The name with brackets nested so deep; deeper ones hold `…`.
fn text(parts: &[Part], depth: usize) -> String {
    let mut name = String::new();
    for part in parts {
        match part {
            Part::Text(text) => name += text,
            Part::List(open, items) => {
                let whole: Vec<String> = items.iter().map(|item| text_of_item(item, depth)).collect();
                let whole = if *open == '<' { without_defaults(&name, whole) } else { whole };
                let empty = whole.iter().all(String::is_empty);
                let inner = if depth == 0 && !empty { "…".to_owned() } else { whole.join(", ") };
                let end = closing(*open);
                name = shorter(format!("{name}{open}{inner}{end}"));
            }
        }
    }
    name
}

fn text_of_item(item: &[Part], depth: usize) -> String {
    text(item, depth.saturating_sub(1)).trim().to_owned()
}

fn closing(open: char) -> char {
    match open {
        '<' => '>',
        '(' => ')',
        _ => '}',
    }
}

/// The last arguments of a template of the standard library, without those that it has by itself.
fn without_defaults(name: &str, mut items: Vec<String>) -> Vec<String> {
    let begin = name.rfind(|c: char| !(c.is_alphanumeric() || "_:".contains(c))).map_or(0, |at| at + 1);
    if name.get(begin..).is_some_and(|template| template.starts_with("std::")) {
        while items.len() > 1 && items.last().is_some_and(|last| DEFAULTS.iter().any(|item| last.starts_with(item))) {
            items.pop();
        }
    }
    items
}

fn shorter(name: String) -> String {
    let found = SHORTER.iter().find_map(|(long, short)| Some(format!("{}{short}", name.strip_suffix(long)?)));
    found.unwrap_or(name)
}

struct Parser<'a> {
    rest: &'a str,
}

impl Parser<'_> {
    /// All parts up to a comma or a bracket that closes.
    fn parts(&mut self) -> Vec<Part> {
        let mut parts = Vec::new();
        while let Some(c) = self.rest.chars().next() {
            match c {
                '<' | '(' | '{' => parts.push(self.list(c)),
                ',' | '>' | ')' | '}' => break,
                _ => parts.push(Part::Text(self.word())),
            }
        }
        parts
    }

    fn list(&mut self, open: char) -> Part {
        let mut items = Vec::new();
        loop {
            self.rest = &self.rest[1..];
            items.push(self.parts());
            if !self.rest.starts_with(',') {
                break;
            }
        }
        self.rest = self.rest.get(1..).unwrap_or("");
        Part::List(open, items)
    }

    /// Text up to a bracket or a comma; operators that look like brackets are text.
    fn word(&mut self) -> String {
        let special = |c: char| "<({,>)}".contains(c);
        let mut end = self.rest.find(special).unwrap_or(self.rest.len());
        let tail = &self.rest[end..];
        if self.rest[..end].ends_with("operator") {
            end += if tail.starts_with("()") {
                2
            } else {
                tail.find(|c: char| !"<>=-,".contains(c)).unwrap_or(tail.len())
            };
        } else if self.rest[..end].ends_with('-') && tail.starts_with('>') {
            end += 1;
        }
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::readable;

    #[test]
    fn names_of_the_library_are_as_one_writes_them() {
        for (name, short) in [
            ("transfer", "transfer"),
            (
                "log(std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >)",
                "log(std::string)",
            ),
            ("name[abi:cxx11](int, char)", "name(int, char)"),
            (
                "f(std::map<int, std::vector<int, std::allocator<int> >, std::less<int>, std::allocator<std::pair<int const, std::vector<int, std::allocator<int> > > > >&)",
                "f(std::map<int, std::vector<int>>&)",
            ),
            ("pool<int, std::allocator<int> >::get()", "pool<int, std::allocator<int>>::get()"),
            ("main::{lambda()#1}::operator()() const", "main::{lambda()#1}::operator()() const"),
            ("a::operator<<(int)", "a::operator<<(int)"),
            ("a::operator->() const", "a::operator->() const"),
            ("(anonymous namespace)::go(void (*)(int), int)", "(anonymous namespace)::go(void (*)(int), int)"),
        ] {
            assert_eq!(readable(name), short);
        }
    }

    #[test]
    fn long_names_lose_their_innermost_brackets() {
        let inner = "std::function<void (std::map<long_name_of_a_type, other_long_name_of_a_type>)>";
        let name = format!("Registry<std::string, {inner} >::visit<main::lambda>(main::lambda&&)");
        let short = "Registry<std::string, std::function<…>>::visit<main::lambda>(main::lambda&&)";
        assert_eq!(readable(&name), short);
        let flat = format!("run<{}>(int)", "A, ".repeat(40));
        assert_eq!(readable(&flat), "run<…>(…)");
    }

    #[test]
    fn what_is_no_name_is_still_shown() {
        for text in ["", "<", "a<b", "a>b>", "f(", "operator", "ü<é>", "a,b"] {
            readable(text);
        }
    }
}
