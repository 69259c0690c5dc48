//! Annotations of inputs that ask for instrumentation of a program: what they say, without what it means.
use super::check::Checker;
use crate::source::Span;
use crate::syntax::ast::{Annotation, Expr, ExprKind, StrPart};
use std::rc::Rc;

/// An annotation that asks for instrumentation, such as `@InstFunctionCallArg("open", 0)`.
#[derive(Clone, Debug)]
pub struct Probe {
    pub name: Rc<str>,
    /// Its arguments that are literals, by the names of the parameters.
    pub args: Vec<(Rc<str>, Constant)>,
    pub span: Span,
}

/// A literal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Constant {
    Text(String),
    Number(i64),
}

/// The annotations of the library that ask for instrumentation.
pub const PROBES: [&str; 17] = [
    "InstFunctionCall",
    "InstFunctionCallArg",
    "InstFunctionCalled",
    "InstFunctionCalledArg",
    "InstFunctionReturn",
    "InstFunctionReturnValue",
    "InstFunctionReturned",
    "InstFunctionReturnedValue",
    "GlobalRead",
    "GlobalReadIndex",
    "GlobalWrite",
    "GlobalWriteIndex",
    "LocalRead",
    "LocalReadIndex",
    "LocalWrite",
    "LocalWriteIndex",
    "ThreadId",
];

impl Probe {
    /// The argument for this parameter, if it is a literal text.
    pub fn text(&self, parameter: &str) -> Option<&str> {
        match self.argument(parameter)? {
            Constant::Text(text) => Some(text),
            Constant::Number(_) => None,
        }
    }

    /// The argument for this parameter, if it is a literal number.
    pub fn number(&self, parameter: &str) -> Option<i64> {
        match self.argument(parameter)? {
            Constant::Number(number) => Some(*number),
            Constant::Text(_) => None,
        }
    }

    fn argument(&self, parameter: &str) -> Option<&Constant> {
        self.args.iter().find(|(name, _)| **name == *parameter).map(|(_, value)| value)
    }
}

impl Checker<'_> {
    /// Those of an input's annotations that ask for instrumentation.
    pub fn probes(&self, annotations: &[Annotation]) -> Vec<Probe> {
        let asking = annotations.iter().filter(|annotation| PROBES.contains(&&*annotation.name.name));
        asking.map(|annotation| self.probe(annotation)).collect()
    }

    fn probe(&self, annotation: &Annotation) -> Probe {
        let declared = self.annotations.get(&annotation.name.name).map_or(&[][..], Vec::as_slice);
        let parameter = |index: usize| declared.get(index).map(|(name, _)| name.clone());
        let args = annotation.args.iter().enumerate().filter_map(|(index, arg)| {
            let name = arg.name.as_ref().map(|name| name.name.clone()).or_else(|| parameter(index))?;
            Some((name, constant(&arg.value)?))
        });
        Probe { name: annotation.name.name.clone(), args: args.collect(), span: annotation.name.span }
    }
}

fn constant(expr: &Expr) -> Option<Constant> {
    match &expr.kind {
        ExprKind::Int(number) => Some(Constant::Number(i64::try_from(number).ok()?)),
        ExprKind::Str(parts) => match parts.as_slice() {
            [] => Some(Constant::Text(String::new())),
            [StrPart::Text(text)] => Some(Constant::Text(text.clone())),
            _ => None,
        },
        _ => None,
    }
}
