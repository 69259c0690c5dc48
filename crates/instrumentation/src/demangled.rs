//! Names of C++ functions as a person writes them.

use cpp_demangle::{DemangleOptions, Symbol};

/// A symbol as a person writes it, with parameters; the symbol itself if it is not a C++ name.
pub fn demangled(symbol: &str) -> String {
    Name::of(symbol).map_or_else(|| symbol.to_owned(), |name| name.whole)
}

/// A demangled name.
pub struct Name {
    /// With the type of the result, if the symbol has it, and with parameters.
    pub whole: String,
}

impl Name {
    /// `None` if it is not a C++ name.
    pub fn of(symbol: &str) -> Option<Self> {
        let is_mangled = symbol.starts_with("_Z") && symbol.len() < 4096;
        let parsed = is_mangled.then(|| Symbol::new(symbol).ok()).flatten()?;
        let options = DemangleOptions::new().recursion_limit(160);
        let whole = parsed.demangle_with_options(&options).ok()?;
        Some(Self { whole: without_types_of_characters(&whole) })
    }

    /// The forms that a target may have: whole; without the type of the result; without parameters; without template
    /// arguments.
    pub fn forms(&self) -> Vec<String> {
        let plain = self.whole.replace("(anonymous namespace)::", "");
        let without_result = plain[result_end(&plain)..].to_owned();
        let name = without_result[..parameters(&without_result)].to_owned();
        let without_arguments = without_template_arguments(&name);
        vec![self.whole.clone(), plain, without_result, name, without_arguments]
    }
}

/// The names that people use for the standard library's types.
fn without_types_of_characters(text: &str) -> String {
    let long = "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >";
    text.replace(long, "std::string").replace("[abi:cxx11]", "")
}

/// Brackets of names: the depth after a character.
fn depth_after(depth: i32, character: char) -> i32 {
    match character {
        '(' | '<' | '[' | '{' => depth + 1,
        ')' | '>' | ']' | '}' => depth - 1,
        _ => depth,
    }
}

/// The length of the result's type and the space after it, if the name begins with one.
fn result_end(text: &str) -> usize {
    let end = parameters(text);
    if let Some(at) = text[..end].find("operator") {
        return before_name(&text[..at]);
    }
    before_name(&text[..end])
}

fn before_name(text: &str) -> usize {
    let (mut depth, mut end) = (0, 0);
    for (at, character) in text.char_indices() {
        depth = depth_after(depth, character);
        if depth == 0 && character == ' ' {
            end = at + 1;
        }
    }
    end
}

/// The position of the parameters' bracket: the bracket at depth zero that comes first after a name.
fn parameters(text: &str) -> usize {
    let mut depth = 0;
    let from = text.find("operator()").map_or(0, |at| at + "operator()".len());
    // The brackets of `operator<` and `operator->` are no brackets.
    if let Some(at) = text.find("operator").filter(|_| from == 0) {
        return text[at..].find('(').map_or(text.len(), |end| at + end);
    }
    for (at, character) in text.char_indices().filter(|(at, _)| *at >= from) {
        if depth == 0 && character == '(' && at > 0 && !text[..at].ends_with([':', ' ']) {
            return at;
        }
        depth = depth_after(depth, character);
    }
    text.len()
}

fn without_template_arguments(text: &str) -> String {
    let mut depth = 0;
    if text.contains("operator") {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        let before = depth;
        match character {
            '<' => depth += 1,
            '>' => depth -= 1,
            _ => {}
        }
        if before == 0 && depth == 0 {
            out.push(character);
        }
    }
    out
}
