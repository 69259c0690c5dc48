//! Declarations: those that depend on each other are checked together, the others one after the other, what is used
//! before what uses it.

use super::annotation::Annotations;
use super::order::groups;
use super::scheme::Scheme;
use super::{Checker, Scope, Type};
use crate::source::Span;
use crate::syntax::names::declared_names;
use crate::syntax::*;
use rustc_hash::FxHashMap;

impl Checker<'_> {
    pub(super) fn script(&mut self, decls: &[Decl]) {
        self.check_duplicates(decls);
        self.declare_constructor_names(decls);
        for decl in decls {
            if let DeclKind::Transparent(names) | DeclKind::External(names) = &decl.kind {
                self.check_declared(names);
            }
        }
        let annotations = self.annotations(decls);
        for group in groups(decls) {
            self.group(&group, decls, &annotations, true);
        }
        for decl in decls {
            self.leaf_declaration(decl);
        }
        self.settle();
        self.check_field_types(decls);
    }

    fn check_declared(&mut self, names: &[(Symbol, Span)]) {
        for (name, span) in names {
            let text = self.name(*name);
            if !crate::syntax::builtin::DECLARED.contains(&text.as_str()) {
                self.error(*span, format!("there is no function {text} to declare")).hint =
                    Some(format!("there are {}", crate::syntax::builtin::DECLARED.join(", ")));
            }
            self.declared.push(*name);
        }
    }

    fn check_duplicates(&mut self, decls: &[Decl]) {
        let mut seen: FxHashMap<Symbol, Span> = FxHashMap::default();
        for decl in decls {
            for (name, span) in declared_names(decl) {
                if self.constructors.contains_key(&name) || seen.insert(name, span).is_some() {
                    let text = self.name(name);
                    self.error(span, format!("{text} is defined twice")).hint =
                        Some("clauses of one function must stand together; otherwise rename one".into());
                }
            }
        }
    }

    /// Constructors and channels get a place before their types are known: patterns must recognise them.
    fn declare_constructor_names(&mut self, decls: &[Decl]) {
        for decl in decls {
            match &decl.kind {
                DeclKind::Channel(names, _) => names.iter().for_each(|(n, _)| self.reserve(*n)),
                DeclKind::Datatype(_, ctors) => ctors.iter().for_each(|c| self.reserve(c.name)),
                _ => {}
            }
        }
    }

    fn reserve(&mut self, name: Symbol) {
        let ty = self.fresh();
        self.constructors.insert(name, ty.clone());
        self.globals.insert(name, Scheme::plain(ty));
    }

    /// A `let`: a scope of its own, then groups as at the top level.
    pub(super) fn let_group(&mut self, decls: &[Decl]) {
        self.scopes.push(Scope { names: Vec::new() });
        let mut seen: Vec<Symbol> = Vec::new();
        for decl in decls {
            if let DeclKind::Transparent(names) | DeclKind::External(names) = &decl.kind {
                self.check_declared(names);
            }
            for (name, span) in declared_names(decl) {
                if seen.contains(&name) {
                    let text = self.name(name);
                    self.error(span, format!("{text} is defined twice"));
                }
                seen.push(name);
            }
        }
        let annotations = self.annotations(decls);
        for group in groups(decls) {
            self.group(&group, decls, &annotations, false);
        }
    }

    /// The values of a field must be of a known type, with all their fields.
    fn check_field_types(&mut self, decls: &[Decl]) {
        for decl in decls {
            let fields = match &decl.kind {
                DeclKind::Channel(names, Some(of)) => names.first().map(|(n, _)| (*n, of)).into_iter().collect(),
                DeclKind::Datatype(_, ctors) => {
                    ctors.iter().filter_map(|c| c.of.as_ref().map(|of| (c.name, of))).collect()
                }
                _ => Vec::new(),
            };
            for (name, of) in fields {
                let mut ty = self.constructors.get(&name).map(|t| self.resolve(t));
                while let Some(Type::Dotable(field, after)) = ty {
                    self.check_field_type(&field, of);
                    ty = Some(self.resolve(&after));
                }
            }
        }
    }

    fn check_field_type(&mut self, field: &Type, of: &Expr) {
        match self.resolve(field) {
            Type::Var(_) => {
                self.error(of.span, "the type of this field is not known").hint =
                    Some("give the set an element, or annotate it".into());
            }
            Type::Dotable(..) => {
                self.error(of.span, "the values of this field wait for more fields").hint =
                    Some("give the constructor its fields, as in {C.0}, or all of them with {| C |}".into());
            }
            _ => {}
        }
    }

    /// Checks declarations that depend on each other. At the top level their types are made general; those of a `let`
    /// stay as they are.
    fn group(&mut self, members: &[usize], decls: &[Decl], annotations: &Annotations, top: bool) {
        self.level += u32::from(top);
        let mut names = Vec::new();
        for &m in members {
            for (name, _) in declared_names(&decls[m]) {
                let ty = match self.constructors.get(&name) {
                    Some(ty) => ty.clone(),
                    None => self.fresh(),
                };
                names.push((name, ty));
            }
        }
        let plain = |(name, ty): &(Symbol, Type)| (*name, Scheme::plain(ty.clone()));
        self.install(names.iter().map(plain).collect(), top);
        let annotated = self.annotate(&names, annotations);
        self.install(annotated.clone(), top);
        members.iter().for_each(|&m| self.shape(&decls[m], &names));
        for &m in members {
            self.declaration(&decls[m], &names);
            self.solve();
        }
        self.settle();
        self.level -= u32::from(top);
        if top {
            let types: Vec<Type> = names.iter().map(|(_, t)| t.clone()).collect();
            let schemes = self.generalise(&types);
            let general = names.iter().zip(schemes).map(|((n, _), s)| (*n, s)).collect();
            self.install(general, top);
            self.install(annotated, top);
        }
    }

    /// A function takes as many arguments as its first clause says, before anything calls it.
    fn shape(&mut self, decl: &Decl, names: &[(Symbol, Type)]) {
        let DeclKind::Function(name, clauses) = &decl.kind else { return };
        let Some((_, ty)) = names.iter().find(|(n, _)| n == name) else { return };
        if !matches!(self.resolve(ty), Type::Var(_)) {
            return;
        }
        let mut shape = self.fresh();
        for group in clauses[0].params.iter().rev() {
            let args = group.iter().map(|_| self.fresh()).collect();
            shape = Type::Function(args, Box::new(shape));
        }
        self.try_unify(ty, &shape);
    }

    fn install(&mut self, names: Vec<(Symbol, Scheme)>, top: bool) {
        match self.scopes.last_mut().filter(|_| !top) {
            Some(scope) => scope.names.extend(names),
            None => self.globals.extend(names),
        }
    }
}
