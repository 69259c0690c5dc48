//! Response files: `@file` stands for the words in the file, quoted as gcc and clang quote them.

use crate::Error;
use std::path::{Path, PathBuf};

/// Reads a response file; `None` if there is no such file, in which case `@file` is an argument like any other.
pub type ReadFile<'a> = &'a dyn Fn(&Path) -> Option<String>;

/// Deeper nesting is a file that names itself.
const DEPTH: usize = 64;

/// The arguments with every response file replaced by its words.
pub fn expand(args: impl IntoIterator<Item = String>, read: ReadFile) -> Result<Vec<String>, Error> {
    let mut words = Vec::new();
    for arg in args {
        expand_one(arg, read, 0, &mut words)?;
    }
    Ok(words)
}

fn expand_one(arg: String, read: ReadFile, depth: usize, words: &mut Vec<String>) -> Result<(), Error> {
    let Some(text) = arg.strip_prefix('@').and_then(|file| read(Path::new(file))) else {
        words.push(arg);
        return Ok(());
    };
    if depth == DEPTH {
        return Err(Error::Nested { file: PathBuf::from(&arg[1..]), depth: DEPTH });
    }
    split(&text).into_iter().try_for_each(|word| expand_one(word, read, depth + 1, words))
}

/// Splits at white space; quotes of both kinds keep it, a backslash keeps the next character.
fn split(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        match (c, quote) {
            ('\\', _) => word.get_or_insert_default().extend(characters.next()),
            (c, Some(q)) if c == q => quote = None,
            ('\'' | '"', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (c, None) if c.is_whitespace() => words.extend(word.take()),
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(args: &[&str], files: &[(&str, &str)]) -> Result<Vec<String>, Error> {
        let read =
            |path: &Path| files.iter().find(|(name, _)| path == Path::new(name)).map(|(_, text)| (*text).to_owned());
        expand(args.iter().map(|arg| (*arg).to_owned()), &read)
    }

    #[test]
    fn quoting() {
        let read = words(&["@a"], &[("a", "-DX='a b'  \"c d\"e\n\\\"f '' g\\ h")]);
        assert_eq!(read.unwrap(), ["-DX=a b", "c de", "\"f", "", "g h"]);
    }

    #[test]
    fn nesting() {
        assert_eq!(words(&["x", "@a"], &[("a", "1 @b 2"), ("b", "3")]).unwrap(), ["x", "1", "3", "2"]);
    }

    #[test]
    fn a_file_that_is_not_there_is_an_argument() {
        assert_eq!(words(&["@nope"], &[]).unwrap(), ["@nope"]);
    }

    #[test]
    fn a_file_that_names_itself_is_an_error() {
        assert_eq!(words(&["@a"], &[("a", "@a")]), Err(Error::Nested { file: "a".into(), depth: DEPTH }));
    }
}
