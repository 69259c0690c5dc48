//! Names as small integers, with the table that turns them back into text.

use rustc_hash::FxHashMap;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Symbol(pub u32);

#[derive(Default, Clone)]
pub struct Symbols {
    names: Vec<String>,
    index: FxHashMap<String, Symbol>,
    /// Expressions numbered so far: two texts read with one table never share a number.
    expressions: u32,
}

impl Symbols {
    pub fn intern(&mut self, name: &str) -> Symbol {
        if let Some(&symbol) = self.index.get(name) {
            return symbol;
        }
        let symbol = Symbol(self.names.len() as u32);
        self.names.push(name.to_owned());
        self.index.insert(name.to_owned(), symbol);
        symbol
    }

    pub fn next_expression(&mut self) -> u32 {
        self.expressions += 1;
        self.expressions
    }

    pub fn find(&self, name: &str) -> Option<Symbol> {
        self.index.get(name).copied()
    }

    pub fn name(&self, symbol: Symbol) -> &str {
        &self.names[symbol.0 as usize]
    }
}
