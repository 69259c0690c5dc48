//! The modules of a crate, parsed from its tokens: the name of each, and which others it names.
//!
//! A path is followed as far as it leads through modules: `crate::a::b::Item` names the module `a::b`, and so does
//! `super::Item` if the parent has `pub use b::Item`. Tests are left out, and so are paths to other crates.
//!
//! *What it misses*: methods, which are called without a path, and names that `use a::*` imports.

use super::Text;
use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};

/// A module's path from the root of its crate.
pub type Path = Vec<String>;

/// The modules of one crate.
#[derive(Default)]
pub struct Crate {
    modules: BTreeMap<Path, Module>,
    /// Macros, with the modules that define them.
    macros: BTreeSet<(String, Path)>,
    /// Modules whose macros are seen outside of them.
    shown: BTreeSet<Path>,
}

#[derive(Default)]
struct Module {
    /// The imports of its `use` declarations: the local name, and the path it stands for.
    names: BTreeMap<String, Path>,
    references: Vec<Reference>,
}

struct Reference {
    path: Path,
    /// Whether it is a `pub use`: the module re-exports the item and does not use it.
    offers: bool,
}

impl Crate {
    /// Adds a file of the crate, whose path within `src` is this one.
    pub fn add(&mut self, file: &str, text: &Text) -> Result<(), String> {
        let tokens = text.text.parse().map_err(|error| format!("{}: {error}", text.path.display()))?;
        self.read(&module_of(file), tokens);
        Ok(())
    }

    fn read(&mut self, module: &[String], tokens: TokenStream) {
        let mut items = Tokens::new(tokens);
        self.modules.entry(module.to_vec()).or_default();
        while let Some(token) = items.next() {
            match token {
                TokenTree::Punct(mark) if mark.as_char() == '#' && items.skips_test() => {}
                TokenTree::Group(group) if is_attribute(&group, "macro_use") => self.show(module, &items),
                TokenTree::Group(group) => self.read(module, group.stream()),
                TokenTree::Ident(word) if word == "use" && !items.is_mark(0, '<') => self.read_use(module, &mut items),
                TokenTree::Ident(word) if word == "mod" => self.read_module(module, &mut items),
                TokenTree::Ident(word) => self.read_path(module, &word, &mut items),
                _ => {}
            }
        }
    }

    /// Behind a `#[macro_use]`: the macros of the module that follows are seen outside of it.
    fn show(&mut self, module: &[String], items: &Tokens) {
        if let (Some(TokenTree::Ident(word)), Some(TokenTree::Ident(name))) = (items.peek(0), items.peek(1))
            && word == "mod"
        {
            self.shown.insert([module, &[name.to_string()]].concat());
        }
    }

    fn read_use(&mut self, module: &[String], items: &mut Tokens) {
        let offers = items.is_public;
        let mut found = Vec::new();
        use_tree(&Vec::new(), &mut Tokens::new(items.until_semicolon()), &mut found);
        let names = self.modules.entry(module.to_vec()).or_default();
        for (name, path) in found {
            names.references.push(Reference { path: path.clone(), offers });
            names.names.insert(name, path);
        }
    }

    fn read_module(&mut self, parent: &[String], items: &mut Tokens) {
        let Some(TokenTree::Ident(name)) = items.peek(0) else { return };
        let name = name.to_string();
        if let Some(TokenTree::Group(body)) = items.peek(1) {
            let body = body.stream();
            items.at += 2;
            self.read(&[parent, &[name]].concat(), body);
        }
    }

    fn read_path(&mut self, module: &[String], first: &Ident, items: &mut Tokens) {
        let first = first.to_string();
        if items.is_mark(0, '!') {
            if first == "macro_rules" {
                if let Some(TokenTree::Ident(name)) = items.peek(1) {
                    self.macros.insert((name.to_string(), module.to_vec()));
                }
            } else {
                let path = vec!["macro".to_owned(), first];
                self.modules.entry(module.to_vec()).or_default().references.push(Reference { path, offers: false });
            }
            return;
        }
        let mut path = vec![first];
        while items.is_double_colon() {
            let Some(TokenTree::Ident(name)) = items.peek(2) else { break };
            path.push(name.to_string());
            items.at += 3;
        }
        if path.len() > 1 {
            self.modules.entry(module.to_vec()).or_default().references.push(Reference { path, offers: false });
        }
    }

    /// All pairs of a module and one that it names. Re-exports of its own submodules are not counted.
    pub fn edges(&self) -> BTreeSet<(Path, Path)> {
        let mut edges = BTreeSet::new();
        for (module, content) in &self.modules {
            for reference in &content.references {
                let Some(target) = self.target(module, &reference.path) else { continue };
                if target != *module && !(reference.offers && target.starts_with(module)) {
                    edges.insert((module.clone(), target));
                }
            }
        }
        edges
    }

    fn target(&self, module: &[String], path: &[String]) -> Option<Path> {
        match path {
            [first, name] if first == "macro" => self.macro_module(module, name),
            path => self.resolve(module, path, 0),
        }
    }

    /// The module that defines a macro, as another module sees it.
    fn macro_module(&self, module: &[String], name: &str) -> Option<Path> {
        let defined = || self.macros.iter().filter(|(known, _)| known == name).map(|(_, path)| path);
        let own = defined().find(|path| path.as_slice() == module);
        own.or_else(|| defined().find(|path| self.shown.contains(*path))).cloned()
    }

    /// The module that a path leads to; none if it leads out of the crate or is not a path of modules.
    fn resolve(&self, module: &[String], path: &[String], depth: usize) -> Option<Path> {
        const DEEPEST: usize = 16;
        let (first, rest) = path.split_first().filter(|_| depth < DEEPEST)?;
        let start = match first.as_str() {
            "crate" => Vec::new(),
            "self" => module.to_vec(),
            "super" => module.split_last()?.1.to_vec(),
            name => self.step(module, name, depth)?,
        };
        let mut at = start;
        for name in rest {
            at = match (name.as_str(), self.step(&at, name, depth)) {
                ("super", _) => at.split_last()?.1.to_vec(),
                (_, Some(next)) => next,
                (_, None) => break,
            };
        }
        Some(at)
    }

    /// Where a name in a module leads: to a submodule, or to an import.
    fn step(&self, module: &[String], name: &str, depth: usize) -> Option<Path> {
        let below = [module, &[name.to_owned()]].concat();
        if self.modules.contains_key(&below) {
            return Some(below);
        }
        let path =
            self.modules.get(module)?.names.get(name).filter(|path| path.first().is_some_and(|first| first != name))?;
        self.resolve(module, path, depth + 1)
    }
}

fn module_of(file: &str) -> Path {
    let parts: Vec<&str> = file.trim_end_matches(".rs").split('/').collect();
    let parts = match parts.as_slice() {
        ["lib" | "main"] => &[],
        [rest @ .., "mod"] => rest,
        all => all,
    };
    parts.iter().map(|part| (*part).to_owned()).collect()
}

/// The imports of a `use` declaration.
fn use_tree(prefix: &[String], items: &mut Tokens, found: &mut Vec<(String, Path)>) {
    let mut path = prefix.to_vec();
    while let Some(token) = items.next() {
        match token {
            TokenTree::Ident(word) if word == "as" => {
                let name = items.next().map(|name| name.to_string()).unwrap_or_default();
                found.push((name, path.clone()));
                path.clear();
            }
            TokenTree::Ident(word) if word == "self" && !path.is_empty() => {}
            TokenTree::Ident(word) => path.push(word.to_string()),
            TokenTree::Group(group) => {
                use_tree(&path, &mut Tokens::new(group.stream()), found);
                path.clear();
            }
            TokenTree::Punct(mark) if mark.as_char() == ',' => {
                end_use(&mut path, found);
                path = prefix.to_vec();
            }
            _ => {}
        }
    }
    end_use(&mut path, found);
}

fn end_use(path: &mut Path, found: &mut Vec<(String, Path)>) {
    if let Some(name) = path.last().cloned() {
        found.push((name, core::mem::take(path)));
    }
}

/// Tokens with a position.
struct Tokens {
    all: Vec<TokenTree>,
    at: usize,
    /// Whether the token before the last one was `pub`, or `pub(…)`.
    is_public: bool,
}

impl Tokens {
    fn new(tokens: TokenStream) -> Self {
        Self { all: tokens.into_iter().collect(), at: 0, is_public: false }
    }

    fn next(&mut self) -> Option<TokenTree> {
        let before = self.at.checked_sub(1).map(|at| &self.all[at]);
        self.is_public = match before {
            Some(TokenTree::Ident(word)) => word == "pub",
            Some(TokenTree::Group(group)) => self.is_public && group.delimiter() == Delimiter::Parenthesis,
            _ => false,
        };
        let token = self.all.get(self.at).cloned()?;
        if let TokenTree::Group(group) = &token
            && group.delimiter() == Delimiter::Parenthesis
            && self.is_public
        {
            self.at += 1;
            let next = self.all.get(self.at).cloned();
            self.at += 1;
            return next;
        }
        self.at += 1;
        Some(token)
    }

    fn peek(&self, ahead: usize) -> Option<&TokenTree> {
        self.all.get(self.at + ahead)
    }

    fn is_mark(&self, ahead: usize, mark: char) -> bool {
        matches!(self.peek(ahead), Some(TokenTree::Punct(punct)) if punct.as_char() == mark)
    }

    fn is_double_colon(&self) -> bool {
        self.is_mark(0, ':') && self.is_mark(1, ':')
    }

    fn until_semicolon(&mut self) -> TokenStream {
        let start = self.at;
        while self.peek(0).is_some() && !self.is_mark(0, ';') {
            self.at += 1;
        }
        self.all[start..self.at].iter().cloned().collect()
    }

    /// After a `#`: is this `#[cfg(test)]`? Then the item that it belongs to is skipped.
    fn skips_test(&mut self) -> bool {
        let is_test = matches!(self.peek(0), Some(TokenTree::Group(group)) if is_cfg_test(group));
        if is_test {
            let rest = self.all[self.at..].iter();
            let body = rest.skip(1).position(ends_item).map_or(self.all.len(), |body| self.at + body + 2);
            self.at = body.min(self.all.len());
        }
        is_test
    }
}

/// A body in braces, or a semicolon.
fn ends_item(token: &TokenTree) -> bool {
    match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        TokenTree::Punct(mark) => mark.as_char() == ';',
        _ => false,
    }
}

fn is_cfg_test(attribute: &Group) -> bool {
    is_attribute(attribute, "cfg(test)")
}

fn is_attribute(group: &Group, content: &str) -> bool {
    group.delimiter() == Delimiter::Bracket && group.stream().to_string().replace(' ', "") == content
}
