//! The types of what every script has, written as annotations.

use super::scheme::Scheme;
use super::{Class, Constraint, Type};
use crate::source::{Sources, Span};
use crate::syntax::{DeclKind, Symbol, Symbols, TypeExpr, TypeScheme, parse};
use rustc_hash::FxHashMap;

const PRELUDE: &str = "
STOP, SKIP, DIV :: Proc
CHAOS, RUN :: ({Event}) -> Proc
Events :: {Event}
Int :: {Int}
Bool :: {Bool}
Char :: {Char}
Proc :: {Proc}
True, False :: Bool
union, inter, diff :: Set a => ({a}, {a}) -> {a}
Union, Inter :: Set a => ({{a}}) -> {a}
member :: Set a => (a, {a}) -> Bool
card :: Set a => ({a}) -> Int
empty :: Set a => ({a}) -> Bool
set :: Set a => (<a>) -> {a}
Set :: Set a => ({a}) -> {{a}}
Seq :: Set a => ({a}) -> {<a>}
seq :: Set a => ({a}) -> <a>
length :: (<a>) -> Int
null :: (<a>) -> Bool
head :: (<a>) -> a
tail :: (<a>) -> <a>
concat :: (<<a>>) -> <a>
elem :: Eq a => (a, <a>) -> Bool
emptyMap :: Set a => (| a => b |)
mapFromList :: Set a => (<(a, b)>) -> (| a => b |)
mapLookup :: Set a => ((| a => b |), a) -> b
mapMember :: Set a => ((| a => b |), a) -> Bool
mapToList :: Set a => ((| a => b |)) -> <(a, b)>
mapUpdate :: Set a => ((| a => b |), a, b) -> (| a => b |)
mapUpdateMultiple :: Set a => ((| a => b |), <(a, b)>) -> (| a => b |)
mapDelete :: Set a => ((| a => b |), a) -> (| a => b |)
Map :: Set a => ({a}, {b}) -> {(| a => b |)}
error :: (<Char>) -> a
show :: (a) -> <Char>
explicate, lazyenumerate, diamond, normal, lazynorm, sbisim, wbisim, dbisim :: (Proc) -> Proc
tau_loop_factor, model_compress, chase, chase_nocache, deter, timed_priority :: (Proc) -> Proc
prioritise, prioritise_nocache :: (Proc, <{Event}>) -> Proc
failure_watchdog, trace_watchdog :: (Proc, {Event}, Event) -> Proc
prioritisepo :: (Proc, {Event}, {(Event, Event)}, {Event}) -> Proc
mtransclose :: Set a => ({(a, a)}, {a}) -> {(a, a)}
transpose :: (Set a, Set b) => ({(a, b)}) -> {(b, a)}
";

/// Variables of prelude types are numbered far above those of scripts.
const FIRST: u32 = u32::MAX - 64;

pub fn schemes(symbols: &mut Symbols) -> FxHashMap<Symbol, Scheme> {
    let parsed = parse("<prelude>", PRELUDE, &mut Sources::default(), symbols).expect("the prelude is well formed");
    let mut out = FxHashMap::default();
    for decl in &parsed.decls {
        if let DeclKind::Annotation(names, scheme) = &decl.kind {
            let scheme = convert(scheme, symbols);
            out.extend(names.iter().map(|(name, _)| (*name, scheme.clone())));
            for (name, _) in names {
                let alias = format!("{}{}", crate::syntax::builtin::ALIAS, symbols.name(*name));
                out.insert(symbols.intern(&alias), scheme.clone());
            }
        }
    }
    let yields = Scheme {
        vars: vec![FIRST, FIRST + 1],
        constraints: vec![Constraint::Yields { of: Type::Var(FIRST), to: Type::Var(FIRST + 1), span: Span::default() }],
        ty: Type::Function(vec![Type::Var(FIRST)], Box::new(Type::Set(Box::new(Type::Var(FIRST + 1))))),
    };
    out.insert(symbols.intern("productions"), yields);
    let any = Scheme {
        vars: vec![FIRST, FIRST + 1],
        constraints: Vec::new(),
        ty: Type::Function(vec![Type::Var(FIRST)], Box::new(Type::Set(Box::new(Type::Var(FIRST + 1))))),
    };
    out.insert(symbols.intern("extensions"), any);
    out
}

fn convert(scheme: &TypeScheme, symbols: &Symbols) -> Scheme {
    let mut vars = Vec::new();
    let ty = type_of(&scheme.body, symbols, &mut vars);
    let class = |name: &str| match name {
        "Eq" => Class::Eq,
        "Ord" => Class::Ord,
        _ => Class::Set,
    };
    let var = |s: Symbol| Type::Var(FIRST + vars.iter().position(|v| *v == s).unwrap_or(0) as u32);
    let constraints = scheme.constraints.iter();
    let constraints =
        constraints.map(|(c, v, span)| Constraint::Class(class(symbols.name(*c)), var(*v), *span)).collect();
    Scheme { vars: (0..vars.len() as u32).map(|i| FIRST + i).collect(), constraints, ty }
}

fn type_of(ty: &TypeExpr, symbols: &Symbols, vars: &mut Vec<Symbol>) -> Type {
    let mut one = |t: &TypeExpr| Box::new(type_of(t, symbols, vars));
    match ty {
        TypeExpr::Set(a) => Type::Set(one(a)),
        TypeExpr::Seq(a) => Type::Seq(one(a)),
        TypeExpr::Map(a, b) => Type::Map(one(a), one(b)),
        TypeExpr::Dot(a, b) => Type::Dot(one(a), one(b)),
        TypeExpr::Dotable(a, b) | TypeExpr::Extendable(a, b) => Type::Dotable(one(a), one(b)),
        TypeExpr::Tuple(items) => Type::Tuple(items.iter().map(|t| type_of(t, symbols, vars)).collect()),
        TypeExpr::Function(args, to) => {
            let args = args.iter().map(|t| type_of(t, symbols, vars)).collect();
            Type::Function(args, Box::new(type_of(to, symbols, vars)))
        }
        TypeExpr::Name(name, _) => named(symbols.name(*name)).unwrap_or_else(|| {
            let at = vars.iter().position(|v| v == name).unwrap_or_else(|| {
                vars.push(*name);
                vars.len() - 1
            });
            Type::Var(FIRST + at as u32)
        }),
    }
}

/// The types that have names of their own.
pub fn named(name: &str) -> Option<Type> {
    Some(match name {
        "Int" => Type::Int,
        "Bool" => Type::Bool,
        "Char" => Type::Char,
        "Proc" => Type::Proc,
        "Event" => Type::Event,
        _ => return None,
    })
}
