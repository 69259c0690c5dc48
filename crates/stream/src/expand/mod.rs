//! Macro expansion: the typed core is evaluated, and what depends on streams is left as a graph.
//!
//! Everything that does not depend on an event is computed here: macros are unfolded, constants folded,
//! and functions that are applied to events become code.
mod codegen;
mod env;
mod eval;
mod expander;
mod generated;
mod inline;
mod names;
mod streams;

use crate::graph::{Graph, Output};
use crate::source::Result;
use crate::types::{Checked, OutputDecl};
use expander::Expander;

/// Expands a checked specification.
pub fn expand(checked: &Checked) -> Result<Graph> {
    let mut expander = Expander::new(checked);
    let root = expander.root.clone();
    expander.define(&root, &checked.defs);
    for decl in &checked.outputs {
        let node = expander.stream(&decl.core, &root, decl.span)?;
        let OutputDecl { name, raw, error, incomplete, style, .. } = decl.clone();
        expander.graph.outputs.push(Output { name, node, raw, error, incomplete, style });
    }
    expander.force_user_streams(checked)?;
    Ok(expander.finish())
}
