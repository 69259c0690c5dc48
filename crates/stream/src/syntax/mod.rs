//! Text to tree: the lexer, the tree and the parser. Nothing here knows what a name means.
pub mod ast;
mod expr;
mod item;
mod lexer;
mod parser;
mod types;

pub use parser::{Dialect, parse};
