//! From text to tree: the lexer, the parser with the precedence table of the language, and the tree itself.

pub mod ast;
pub mod builtin;
pub mod desugar;
pub mod lexer;
pub mod names;
pub mod parser;
pub mod precedence;
pub mod symbol;
pub mod token;

pub use ast::*;
pub use parser::{parse, parse_within};
pub use symbol::{Symbol, Symbols};
