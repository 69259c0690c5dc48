//! The way from a text to a plan.
use crate::flow::{self, Plan};
use crate::graph::Graph;
use crate::options::Options;
use crate::source::{Diagnostic, SourceMap, Span};
use crate::syntax::ast::Item;
use crate::syntax::{Dialect, parse};
use crate::types::{Texts, check};
use crate::{expand, library};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// A compiled specification.
pub struct Spec {
    pub plan: Rc<Plan>,
    /// The graph the plan was made of, for the reference evaluator and for printing.
    pub graph: Graph,
    pub sources: SourceMap,
    /// The variables of a program that the specification looks at by name, as far as it says so.
    pub variables: Vec<Rc<str>>,
    /// What is allowed and probably not meant, as it is shown.
    pub warnings: Vec<String>,
}

/// What is wrong with a specification, as it is shown.
#[derive(Debug, thiserror::Error)]
#[error("{rendered}")]
pub struct CompileError {
    pub diagnostics: Vec<Diagnostic>,
    /// The messages, each with the line it points into.
    pub rendered: String,
}

/// Compiles a specification.
pub fn compile(name: &str, text: &str, options: &Options) -> Result<Spec, CompileError> {
    let mut sources = SourceMap::default();
    match compile_in(&mut sources, name, text, options) {
        Ok((plan, graph, warnings, variables)) => {
            let warnings = warnings.iter().map(|warning| sources.render_warning(warning)).collect();
            Ok(Spec { plan: Rc::new(plan), graph, sources, variables, warnings })
        }
        Err(diagnostics) => Err(CompileError { rendered: render(&sources, &diagnostics), diagnostics }),
    }
}

/// More errors than these are not shown.
const MAX_SHOWN: usize = 20;

fn render(sources: &SourceMap, diagnostics: &[Diagnostic]) -> String {
    let mut shown: Vec<String> = diagnostics.iter().take(MAX_SHOWN).map(|error| sources.render(error)).collect();
    if diagnostics.len() > MAX_SHOWN {
        shown.push(format!("and {} more errors", diagnostics.len() - MAX_SHOWN));
    }
    shown.join("\n")
}

type Compiled = (Plan, Graph, Vec<Diagnostic>, Vec<Rc<str>>);
type Errors = Vec<Diagnostic>;

fn compile_in(sources: &mut SourceMap, name: &str, text: &str, options: &Options) -> Result<Compiled, Errors> {
    let file = sources.add("<library>", library::LIBRARY);
    let library = parse(library::LIBRARY, file, Dialect::Tessla12)?;
    let prelude = match options.dialect {
        Dialect::Tessla12 => None,
        Dialect::Tessla2018 => {
            let file = sources.add("<2018 prelude>", library::PRELUDE_2018);
            Some(parse(library::PRELUDE_2018, file, Dialect::Tessla12)?)
        }
    };
    let mut user = Vec::new();
    let folder = options.path.as_ref().and_then(|path| path.parent()).map(Path::to_path_buf);
    Includes { sources, options, seen: Vec::new() }.read(name, text, folder, &mut user)?;
    let checked = check(sources, options, &Texts { library, prelude, user })?;
    let graph = expand::expand(&checked).map_err(|error| vec![error])?;
    let plan = flow::plan(graph.clone()).map_err(|error| vec![error])?;
    Ok((plan, graph, checked.warnings, checked.variables))
}

/// Reads a text and what it includes, each file once.
struct Includes<'a> {
    sources: &'a mut SourceMap,
    options: &'a Options,
    seen: Vec<PathBuf>,
}

impl Includes<'_> {
    fn read(&mut self, name: &str, text: &str, folder: Option<PathBuf>, out: &mut Vec<Item>) -> Result<(), Errors> {
        // Included files come first, so that the outermost text has the highest number.
        let first = parse(text, 0, self.options.dialect);
        let includes: Vec<(Rc<str>, Span)> = first
            .iter()
            .flatten()
            .filter_map(|item| match item {
                Item::Include(path) => Some((path.name.clone(), path.span)),
                _ => None,
            })
            .collect();
        let mut failed = None;
        for (path, span) in includes {
            if let Err(message) = self.include(&path, folder.as_deref(), out) {
                failed = failed.or(Some((message, span)));
            }
        }
        let file = self.sources.add(name, text);
        if let Some((message, span)) = failed {
            return Err(message.unwrap_or_else(|text| vec![Diagnostic::new(text, Span { file, ..span })]));
        }
        let items = parse(text, file, self.options.dialect)?;
        out.extend(items.into_iter().filter(|item| !matches!(item, Item::Include(_))));
        Ok(())
    }

    /// Reads an included file; the error is a message about the `include`, or one about the file.
    fn include(
        &mut self,
        path: &str,
        folder: Option<&Path>,
        out: &mut Vec<Item>,
    ) -> Result<(), Result<Errors, String>> {
        let mut full = folder.map_or_else(|| PathBuf::from(path), |folder| folder.join(path));
        // The name may leave out its extension.
        if !full.is_file() {
            let mut longer = full.clone().into_os_string();
            longer.push(".tessla");
            full = Some(PathBuf::from(longer)).filter(|longer| longer.is_file()).unwrap_or(full);
        }
        if self.seen.contains(&full) {
            return Ok(());
        }
        self.seen.push(full.clone());
        let text = foretrace_file::text(&full).map_err(|error| Err(format!("cannot read `{path}`: {error}")))?;
        let inner = full.parent().map(Path::to_path_buf);
        self.read(path, &text, inner, out).map_err(Ok)
    }
}
