//! What is rewritten before types are checked: modules become plain declarations with longer names, timed sections
//! become processes that let time pass.

mod module;
mod rewrite;

use super::ast::*;
use super::symbol::{Symbol, Symbols};
use crate::budget::Meter;
use crate::diagnostic::{Diagnostic, Stage};
use crate::source::Span;
use crate::syntax::names::declared_names;
use rewrite::Rewrite;

/// Rewrites a script's declarations.
pub fn desugar(decls: Vec<Decl>, symbols: &mut Symbols, meter: &Meter) -> Result<Vec<Decl>, Vec<Diagnostic>> {
    let mut work = module::Flattening { symbols, errors: Vec::new(), meter };
    let decls = module::flatten(decls, &mut work);
    let mut errors = work.errors;
    let tock = symbols.intern("tock");
    let has_tock = decls.iter().any(|d| declares(d, tock));
    let mut out = Vec::new();
    for decl in decls {
        match decl.kind {
            DeclKind::Timed(cost, inner) => {
                if !has_tock {
                    let error = Diagnostic::new(Stage::Syntax, decl.span, "a timed section needs the channel tock");
                    errors.push(error.hint("add the line: channel tock"));
                    continue;
                }
                let mut rewrite = Rewrite::timed(symbols, tock, cost);
                out.extend(rewrite.decls(&inner));
                errors.append(&mut rewrite.errors);
            }
            kind => {
                let mut rewrite = Rewrite::untimed(symbols, tock, has_tock);
                out.push(rewrite.decl(&Decl { span: decl.span, kind }));
                errors.append(&mut rewrite.errors);
            }
        }
    }
    if errors.is_empty() { Ok(out) } else { Err(errors) }
}

fn declares(decl: &Decl, name: Symbol) -> bool {
    declared_names(decl).iter().any(|(n, _)| *n == name)
}

fn error(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(Stage::Syntax, span, message)
}
