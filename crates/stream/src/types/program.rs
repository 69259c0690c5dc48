//! A whole specification: library, prelude, the user's texts, inputs and outputs.
use super::check::{Checker, Typed};
use super::probe::Probe;
use super::scope::{DefId, Entity, ScopeId};
use crate::core::{Core, CoreDef, CoreRef};
use crate::options::Options;
use crate::source::{Diagnostic, Result, SourceMap, Span};
use crate::syntax::Dialect;
use crate::syntax::ast::{Annotation, Expr, ExprKind, Ident, Item, StrPart, TypeExpr};
use crate::ty::Ty;
use std::rc::Rc;

/// An input stream and the type of its events.
#[derive(Clone, Debug)]
pub struct InputDecl {
    pub name: Rc<str>,
    pub ty: Ty,
    /// The annotations that ask for instrumentation of a program to make these events.
    pub probes: Vec<Probe>,
}

/// An output stream.
#[derive(Clone, Debug)]
pub struct OutputDecl {
    pub name: Rc<str>,
    pub core: CoreRef,
    /// Printed without quotes and escapes, and without its name.
    pub raw: bool,
    /// An event on it means that something is wrong.
    pub error: bool,
    /// An event on it means that not everything can be checked.
    pub incomplete: bool,
    /// How it is drawn, if an annotation says so.
    pub style: Option<Rc<str>>,
    pub span: Span,
}

/// A specification that passed the check.
pub struct Checked {
    pub defs: Vec<CoreDef>,
    pub inputs: Vec<InputDecl>,
    pub outputs: Vec<OutputDecl>,
    pub warnings: Vec<Diagnostic>,
    /// The variables of a program that `@@variable` says are looked at.
    pub variables: Vec<Rc<str>>,
}

/// The texts of a specification, outermost first: the library, the prelude if any, the user's.
pub struct Texts {
    pub library: Vec<Item>,
    pub prelude: Option<Vec<Item>>,
    pub user: Vec<Item>,
}

/// Checks a specification.
pub fn check(sources: &SourceMap, options: &Options, texts: &Texts) -> std::result::Result<Checked, Vec<Diagnostic>> {
    let mut checker = Checker::new(sources, options);
    let checked = checker.check_texts(texts);
    let checked = checker.note(checked);
    let mut errors = std::mem::take(&mut checker.errors);
    errors.sort_by_key(|error| error.span.map(|span| (std::cmp::Reverse(span.file), span.start)));
    match checked {
        Some(checked) if errors.is_empty() => Ok(checked),
        _ => Err(errors),
    }
}

impl Checker<'_> {
    fn check_texts(&mut self, texts: &Texts) -> Result<Checked> {
        let checker = self;
        let library = checker.new_root(None);
        checker.declare_items(library, &texts.library)?;
        let mut outer = library;
        if let Some(prelude) = &texts.prelude {
            outer = checker.new_root(Some(library));
            checker.declare_items(outer, prelude)?;
        }
        let user = checker.new_root(Some(outer));
        checker.user_root = user;
        let defs = checker.declare_items(user, &texts.user)?;
        let inputs = checker.declare_inputs(user, &texts.user)?;
        for id in &defs {
            let scheme = checker.scheme(*id);
            checker.note(scheme);
        }
        let outputs = checker.outputs(user, &texts.user, &inputs, &defs)?;
        checker.warn_of_repeated(&outputs);
        let all: Vec<DefId> = (0..checker.defs.len()).filter(|id| checker.is_outermost(*id)).collect();
        let warnings = std::mem::take(&mut checker.warnings);
        Ok(Checked { defs: checker.core_defs(&all), inputs, outputs, warnings, variables: variables(&texts.user) })
    }

    /// Two outputs of one name cannot be told apart.
    fn warn_of_repeated(&mut self, outputs: &[OutputDecl]) {
        for (index, output) in outputs.iter().enumerate() {
            if let Some(first) = outputs[..index].iter().find(|other| other.name == output.name) {
                let place = self.sources.position(first.span);
                let message = format!("there is another output `{}`, at {place}", output.name);
                self.warnings.push(Diagnostic::new(message, output.span));
            }
        }
    }
}

impl Checker<'_> {
    /// Whether a definition stands outside of every other one.
    fn is_outermost(&self, id: DefId) -> bool {
        self.module_like(self.defs[id].scope)
    }

    fn module_like(&self, scope: ScopeId) -> bool {
        let mut at = scope;
        while let Some(parent) = self.scopes[at].parent {
            if self.scopes[at].root == at {
                return true;
            }
            let is_module = self.scopes[parent].values.values().any(|e| matches!(e, Entity::Module(id) if *id == at));
            if !is_module {
                return false;
            }
            at = parent;
        }
        true
    }

    fn declare_inputs(&mut self, scope: ScopeId, items: &[Item]) -> Result<Vec<InputDecl>> {
        let mut inputs = Vec::new();
        for item in items {
            let Item::In { annotations, name, ty } = item else { continue };
            let input = self.input(scope, name, ty, inputs.len() as u32);
            if let Some(ty) = self.note(input) {
                inputs.push(InputDecl { name: name.name.clone(), ty, probes: self.probes(annotations) });
            } else {
                self.scopes[scope].values.entry(name.name.clone()).or_insert(Entity::Failed);
            }
        }
        Ok(inputs)
    }

    fn input(&mut self, scope: ScopeId, name: &Ident, ty: &TypeExpr, number: u32) -> Result<Ty> {
        let resolved = self.resolve_type(scope, ty)?;
        let Ty::Events(inner) = &resolved else {
            return Err(Diagnostic::new(format!("an input is a stream, not a value of type {resolved}"), ty.span)
                .hint(format!("write `in {}: Events[{resolved}]`", name.name)));
        };
        if let Some(part) = unreadable(inner) {
            return Err(Diagnostic::new(format!("events of an input cannot hold a value of type {part}"), ty.span));
        }
        self.declare(scope, name, Entity::Input(number, resolved.clone()))?;
        Ok((**inner).clone())
    }

    fn outputs(
        &mut self,
        scope: ScopeId,
        items: &[Item],
        inputs: &[InputDecl],
        defs: &[DefId],
    ) -> Result<Vec<OutputDecl>> {
        let mut outputs = Vec::new();
        for item in items {
            let done = match item {
                Item::In { annotations, .. } => self.check_annotations(scope, annotations),
                Item::GlobalAnnotation(annotation) => self.check_annotations(scope, std::slice::from_ref(annotation)),
                Item::Out { annotations, value, name } => {
                    self.written_output(scope, annotations, value, name.as_ref(), &mut outputs)
                }
                Item::OutAll(span) => self.output_all(*span, inputs, defs, &mut outputs),
                _ => Ok(()),
            };
            self.note(done);
        }
        Ok(outputs)
    }

    fn written_output(
        &mut self,
        scope: ScopeId,
        annotations: &[Annotation],
        value: &Expr,
        name: Option<&Ident>,
        outputs: &mut Vec<OutputDecl>,
    ) -> Result<()> {
        self.check_annotations(scope, annotations)?;
        let shown = name.map_or_else(|| self.text_of(value), |name| name.name.to_string());
        let marks = Marks::new(annotations, &self.marks_of(scope, value));
        let typed = self.infer(scope, value, None)?;
        self.output(typed, &shown, &marks, value.span, outputs)
    }

    /// Annotations of the definition that an output names.
    fn marks_of(&self, scope: ScopeId, value: &Expr) -> Vec<Annotation> {
        match &value.kind {
            ExprKind::Name(name) => match self.lookup(scope, name) {
                Ok(Some(Entity::Def(id))) => self.defs[id].def.annotations.clone(),
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    fn text_of(&self, expr: &Expr) -> String {
        let text = &self.sources.files[expr.span.file as usize].text;
        let text = &text[expr.span.start as usize..expr.span.end as usize];
        if text.contains('\n') { text.split_whitespace().collect::<Vec<_>>().join(" ") } else { text.to_owned() }
    }

    /// An output, or one for each field of a record.
    fn output(&mut self, typed: Typed, name: &str, marks: &Marks, span: Span, out: &mut Vec<OutputDecl>) -> Result<()> {
        let ty = self.unifier.zonk(&typed.ty);
        let fields: Vec<(String, Ty)> = match &ty {
            Ty::Record(fields) => fields.iter().map(|(name, ty)| (name.to_string(), ty.clone())).collect(),
            Ty::Tuple(items) => items.iter().enumerate().map(|(i, ty)| (format!("_{}", i + 1), ty.clone())).collect(),
            _ => Vec::new(),
        };
        if fields.iter().any(|(_, ty)| ty.any(&mut |part| part.is_events())) {
            for (index, (field, ty)) in fields.into_iter().enumerate() {
                let part = Typed::new(Core::Field(typed.core.clone(), index), ty);
                self.output(part, &format!("{name}.{field}"), marks, span, out)?;
            }
            return Ok(());
        }
        if matches!(ty, Ty::Fun(_)) {
            return Err(Diagnostic::new("a function cannot be an output", span));
        }
        let wanted = if ty.is_events() { ty } else { Ty::events(ty) };
        let core = self.coerce(typed, &wanted, span)?;
        let old_error = self.options.dialect == Dialect::Tessla2018 && name.starts_with("error");
        let (error, incomplete, style) = (marks.error || old_error, marks.incomplete, marks.style.clone());
        out.push(OutputDecl { name: name.into(), core, raw: marks.raw, error, incomplete, style, span });
        Ok(())
    }

    fn output_all(
        &mut self,
        span: Span,
        inputs: &[InputDecl],
        defs: &[DefId],
        out: &mut Vec<OutputDecl>,
    ) -> Result<()> {
        for (index, input) in inputs.iter().enumerate() {
            let typed = Typed::new(Core::Input(index as u32), Ty::events(input.ty.clone()));
            self.output(typed, &input.name, &Marks::default(), span, out)?;
        }
        for id in defs {
            let scheme = self.scheme(*id)?;
            let ty = self.unifier.zonk(&scheme.ty);
            if ty.is_events() && scheme.params.is_empty() {
                let state = &self.defs[*id];
                let (name, marks) = (state.def.name.name.clone(), Marks::new(&state.def.annotations, &[]));
                let typed = Typed::new(Core::Var(state.var), ty);
                self.output(typed, &name, &marks, span, out)?;
            }
        }
        Ok(())
    }
}

/// What the annotations of an output say.
#[derive(Clone, Default)]
struct Marks {
    raw: bool,
    error: bool,
    incomplete: bool,
    /// How the page draws it, by the name of its `@Vis…` annotation.
    style: Option<Rc<str>>,
}

impl Marks {
    fn new(own: &[Annotation], defined: &[Annotation]) -> Marks {
        let has = |wanted: &str| own.iter().chain(defined).any(|a| is_named(&a.name, wanted));
        let style = own.iter().chain(defined).find_map(|a| a.name.name.strip_prefix("Vis"));
        Marks { raw: has("raw"), error: has("error"), incomplete: has("incomplete"), style: style.map(Rc::from) }
    }
}

/// The names in `@@variable("…")`.
fn variables(items: &[Item]) -> Vec<Rc<str>> {
    let named = items.iter().filter_map(|item| {
        let Item::GlobalAnnotation(annotation) = item else { return None };
        let ExprKind::Str(parts) = &annotation.args.first()?.value.kind else { return None };
        match parts.as_slice() {
            [StrPart::Text(name)] if is_named(&annotation.name, "variable") => Some(name.as_str().into()),
            _ => None,
        }
    });
    named.collect()
}

fn is_named(name: &Ident, wanted: &str) -> bool {
    &*name.name == wanted
}

/// A part of a type that no text can stand for.
fn unreadable(ty: &Ty) -> Option<Ty> {
    let mut found = None;
    ty.any(&mut |part| {
        let bad = matches!(part, Ty::Fun(_) | Ty::Events(_) | Ty::Var(_) | Ty::Param(..));
        if bad {
            found = Some(part.clone());
        }
        bad
    });
    found
}
