//! Types: inference after Hindley and Milner, with classes of types and with dots.
//!
//! A channel or constructor is a function written with dots: `channel c : A.B` has type `A => B => Event`. What a dot
//! means depends on what stands left of it, which may not be known yet; such a question is kept as a constraint, is
//! answered as soon as enough is known, and becomes part of a function's type if it never is. That is what lets a
//! channel be passed as a parameter.
//!
//! *Deviations*: FDR's type checker has further forms for extendable types; here a dotted variable that could be one
//! field or several is taken to be one, unless the context needs a whole event.

mod annotation;
mod builtin;
mod classes;
mod declaration;
mod definition;
mod dots;
mod expression;
mod order;
mod pattern;
mod process;
mod scheme;
mod show;
mod unify;

use crate::budget::{Budget, Limit, Meter};
use crate::diagnostic::{Diagnostic, Stage};
use crate::source::Span;
use crate::syntax::{Decl, Symbol, Symbols};
use rustc_hash::{FxHashMap, FxHashSet};
use scheme::Scheme;

#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    Var(u32),
    Int,
    Bool,
    Char,
    Proc,
    Event,
    Data(Symbol),
    /// A variable of an annotation, which stands for every type: nothing is known of it but its classes.
    Rigid(Symbol, u32),
    Set(Box<Type>),
    Seq(Box<Type>),
    Map(Box<Type>, Box<Type>),
    Tuple(Vec<Type>),
    Function(Vec<Type>, Box<Type>),
    /// Values in a row, none of which waits for the next.
    Dot(Box<Type>, Box<Type>),
    /// What waits for a field of the first type to become the second.
    Dotable(Box<Type>, Box<Type>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    Eq,
    Ord,
    /// May be an element of a set.
    Set,
    /// Waits for no field.
    Complete,
}

/// Something that must hold of types that are not all known yet.
#[derive(Clone, Debug)]
pub enum Constraint {
    Class(Class, Type, Span),
    /// `left.row[0].row[1]...` has the type `result`.
    Dot {
        left: Type,
        row: Vec<Type>,
        result: Type,
        span: Span,
    },
    /// With all its fields, `of` is a `to`.
    Yields {
        of: Type,
        to: Type,
        span: Span,
    },
}

struct Scope {
    names: Vec<(Symbol, Scheme)>,
}

struct Checker<'a> {
    symbols: &'a mut Symbols,
    /// What each type variable stands for, and the level it was made at.
    bindings: Vec<Option<Type>>,
    levels: Vec<u32>,
    level: u32,
    constraints: Vec<Constraint>,
    globals: FxHashMap<Symbol, Scheme>,
    constructors: FxHashMap<Symbol, Type>,
    declared: Vec<Symbol>,
    /// The classes that annotations give their variables.
    given: FxHashSet<(Class, u32)>,
    /// Types that are known, and known to belong to a class.
    classified: FxHashSet<(Class, u32)>,
    builtins: FxHashMap<Symbol, Scheme>,
    scopes: Vec<Scope>,
    errors: Vec<Diagnostic>,
    /// Names that nothing defines. While there are any, nothing else is reported.
    unknown: Vec<Diagnostic>,
    meter: Meter,
    ticks: u32,
    /// The budget is spent; nothing is looked at any more.
    expired: Option<Limit>,
}

/// Checks a script; `natives` are names of processes it may use.
pub fn check(decls: &[Decl], natives: &[String], symbols: &mut Symbols, meter: &Meter) -> Vec<Diagnostic> {
    let checker = checked(decls, natives, symbols, meter);
    let mut errors = if checker.unknown.is_empty() { checker.errors } else { checker.unknown };
    if let Some(limit) = checker.expired {
        errors =
            vec![Diagnostic::new(Stage::Types, decls.first().map_or(Span::default(), |d| d.span), limit.to_string())];
    }
    errors.sort_by_key(|e| (e.span, e.message.clone()));
    errors.dedup_by(|a, b| a.span == b.span);
    errors
}

/// The type of a name of a script that was checked.
pub fn type_of(name: Symbol, decls: &[Decl], natives: &[String], symbols: &mut Symbols) -> String {
    let checker = checked(decls, natives, symbols, &Meter::new(Budget::default()));
    checker.globals.get(&name).map_or_else(String::new, |scheme| checker.show(&scheme.ty))
}

fn checked<'a>(decls: &[Decl], natives: &[String], symbols: &'a mut Symbols, meter: &Meter) -> Checker<'a> {
    let builtins = builtin::schemes(symbols);
    let mut checker = Checker {
        symbols,
        bindings: Vec::new(),
        levels: Vec::new(),
        level: 0,
        constraints: Vec::new(),
        globals: FxHashMap::default(),
        constructors: FxHashMap::default(),
        declared: Vec::new(),
        given: FxHashSet::default(),
        classified: FxHashSet::default(),
        builtins,
        scopes: Vec::new(),
        errors: Vec::new(),
        unknown: Vec::new(),
        meter: meter.clone(),
        ticks: 0,
        expired: None,
    };
    for name in natives {
        let symbol = checker.symbols.intern(name);
        checker.globals.insert(symbol, Scheme::plain(Type::Proc));
    }
    checker.script(decls);
    checker
}

impl Checker<'_> {
    fn error(&mut self, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        self.errors.push(Diagnostic::new(Stage::Types, span, message));
        self.errors.last_mut().expect("just pushed")
    }

    /// Whether there is no time left. Checks the clock from time to time.
    fn is_expired(&mut self) -> bool {
        self.ticks = self.ticks.wrapping_add(1);
        if self.ticks.is_multiple_of(64)
            && let Err(limit) = self.meter.check_time()
        {
            self.expired = Some(limit);
        }
        self.expired.is_some()
    }

    fn fresh(&mut self) -> Type {
        self.bindings.push(None);
        self.levels.push(self.level);
        Type::Var(self.bindings.len() as u32 - 1)
    }

    fn name(&self, symbol: Symbol) -> String {
        self.symbols.name(symbol).to_owned()
    }

    /// The type of a name, with fresh variables for the general ones.
    fn lookup(&mut self, name: Symbol, span: Span) -> Type {
        let local = self.scopes.iter().rev().find_map(|s| s.names.iter().rev().find(|(n, _)| *n == name));
        let scheme = local.map(|(_, s)| s).or_else(|| self.globals.get(&name)).or_else(|| self.builtins.get(&name));
        let Some(scheme) = scheme.cloned() else {
            self.undefined(name, span);
            return self.fresh();
        };
        let text = self.name(name);
        let needs = crate::syntax::builtin::DECLARED.contains(&text.as_str());
        if needs && !self.globals.contains_key(&name) && !self.declared.contains(&name) {
            let error = Diagnostic::new(Stage::Types, span, format!("{text} must be declared before it is used"));
            self.unknown
                .push(error.hint(format!("add the line: {} {text}", crate::syntax::builtin::declaration_of(&text))));
        }
        self.instantiate(&scheme, span)
    }

    fn undefined(&mut self, name: Symbol, span: Span) {
        let text = self.name(name);
        let known = self.scopes.iter().flat_map(|s| s.names.iter().map(|(n, _)| *n));
        let known = known.chain(self.globals.keys().copied()).chain(self.builtins.keys().copied());
        let mut near: Vec<String> =
            known.map(|n| self.symbols.name(n).to_owned()).filter(|n| is_near(n, &text)).collect();
        near.sort();
        let mut error = Diagnostic::new(Stage::Types, span, format!("{text} is not defined"));
        error.hint = near.first().map(|n| format!("did you mean {n}?"));
        self.unknown.push(error);
    }
}

/// Whether two names differ in case only, or in one character.
fn is_near(a: &str, b: &str) -> bool {
    if a.eq_ignore_ascii_case(b) {
        return true;
    }
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let start = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let end = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
    let (long, short) = (a.len().max(b.len()), a.len().min(b.len()));
    long > 2 && long - short <= 1 && start + end + 1 >= long
}
