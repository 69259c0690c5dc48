//! Declarations: those that depend on each other are checked together, the others one after the other, what is used
//! before what uses it.

use super::scheme::Scheme;
use super::{Checker, Class, Scope, Type, builtin};
use crate::eval::free::{declared_names, names_used};
use crate::source::Span;
use crate::syntax::*;
use rustc_hash::FxHashMap;

/// The annotations of some declarations, by name.
type Annotations<'d> = FxHashMap<Symbol, (&'d TypeScheme, Span)>;

/// The variables of an annotation.
struct Variables {
    known: FxHashMap<Symbol, Type>,
    /// Whether they stand for every type, or for one that is to be found.
    rigid: bool,
}

/// Whether an annotation speaks of extendable types, which are inferred and not checked.
fn is_flexible(scheme: &TypeScheme, symbols: &Symbols) -> bool {
    let inferred = |class: &Symbol| matches!(symbols.name(*class), "Yieldable" | "Inputable");
    scheme.constraints.iter().any(|(class, ..)| inferred(class)) || extends(&scheme.body)
}

fn extends(ty: &TypeExpr) -> bool {
    match ty {
        TypeExpr::Extendable(..) => true,
        TypeExpr::Name(..) => false,
        TypeExpr::Set(a) | TypeExpr::Seq(a) => extends(a),
        TypeExpr::Map(a, b) | TypeExpr::Dot(a, b) | TypeExpr::Dotable(a, b) => extends(a) || extends(b),
        TypeExpr::Tuple(items) => items.iter().any(extends),
        TypeExpr::Function(args, to) => args.iter().any(extends) || extends(to),
    }
}

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
            if crate::eval::builtin::ABSENT.contains(&text.as_str()) {
                self.error(*span, format!("{text} is not supported")).hint =
                    Some(format!("there are {}", crate::eval::builtin::DECLARED.join(", ")));
            } else if !crate::eval::builtin::DECLARED.contains(&text.as_str()) {
                self.error(*span, format!("there is no function {text} to declare")).hint =
                    Some(format!("there are {}", crate::eval::builtin::DECLARED.join(", ")));
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

    fn annotations<'d>(&mut self, decls: &'d [Decl]) -> Annotations<'d> {
        let mut out: Annotations = FxHashMap::default();
        for decl in decls {
            let DeclKind::Annotation(names, scheme) = &decl.kind else { continue };
            for (name, span) in names {
                if out.insert(*name, (scheme, *span)).is_some() {
                    let text = self.name(*name);
                    self.error(*span, format!("{text} has two annotations")).hint = Some("keep one of them".into());
                }
            }
        }
        out
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

    /// Applies the annotations of names about to be checked. The definition sees variables that stand for every type;
    /// those who use the name see the general type, which is the answer.
    fn annotate(&mut self, names: &[(Symbol, Type)], annotations: &Annotations) -> Vec<(Symbol, Scheme)> {
        let mut out = Vec::new();
        for (name, ty) in names {
            let Some(&(scheme, span)) = annotations.get(name) else { continue };
            let rigid = !is_flexible(scheme, self.symbols) && !self.constructors.contains_key(name);
            let inside = self.annotated_type(scheme, rigid);
            self.unify(&inside.ty, ty, span);
            if rigid {
                let general = self.annotated_type(scheme, false);
                self.constraints.truncate(self.constraints.len() - general.constraints.len());
                out.push((*name, general));
            }
        }
        out
    }

    /// The type of an annotation, with what it says of its variables.
    fn annotated_type(&mut self, scheme: &TypeScheme, rigid: bool) -> Scheme {
        let mut vars = Variables { known: FxHashMap::default(), rigid };
        let ty = self.annotation(&scheme.body, &mut vars);
        let before = self.constraints.len();
        for (class, var, span) in &scheme.constraints {
            self.annotated_class(*class, *var, *span, &vars.known);
        }
        let constraints = self.constraints[before..].to_vec();
        let mut numbers: Vec<u32> =
            vars.known.values().filter_map(|t| if let Type::Var(v) = t { Some(*v) } else { None }).collect();
        numbers.sort_unstable();
        Scheme { vars: numbers, constraints, ty }
    }

    fn annotated_class(&mut self, class: Symbol, var: Symbol, span: Span, vars: &FxHashMap<Symbol, Type>) {
        let class = match self.symbols.name(class) {
            "Eq" => Class::Eq,
            "Ord" => Class::Ord,
            "Set" => Class::Set,
            "Complete" => Class::Complete,
            "Yieldable" | "Inputable" => return,
            other => {
                let message = format!("there is no class {other}");
                self.error(span, message).hint = Some("the classes are Eq, Ord, Set, Complete and Yieldable".into());
                return;
            }
        };
        match vars.get(&var).cloned() {
            Some(Type::Rigid(_, id)) => {
                // What can be ordered or put into a set can be compared.
                self.given.extend([(class, id), (Class::Eq, id)]);
            }
            Some(ty) => self.constrain(class, &ty, span),
            None => {}
        }
    }

    fn annotation(&mut self, ty: &TypeExpr, vars: &mut Variables) -> Type {
        match ty {
            TypeExpr::Set(a) => Type::Set(Box::new(self.annotation(a, vars))),
            TypeExpr::Seq(a) => Type::Seq(Box::new(self.annotation(a, vars))),
            TypeExpr::Map(a, b) => Type::Map(Box::new(self.annotation(a, vars)), Box::new(self.annotation(b, vars))),
            TypeExpr::Dot(a, b) => Type::Dot(Box::new(self.annotation(a, vars)), Box::new(self.annotation(b, vars))),
            TypeExpr::Dotable(a, b) | TypeExpr::Extendable(a, b) => {
                Type::Dotable(Box::new(self.annotation(a, vars)), Box::new(self.annotation(b, vars)))
            }
            TypeExpr::Tuple(items) => Type::Tuple(items.iter().map(|t| self.annotation(t, vars)).collect()),
            TypeExpr::Function(args, to) => {
                let args = args.iter().map(|t| self.annotation(t, vars)).collect();
                Type::Function(args, Box::new(self.annotation(to, vars)))
            }
            TypeExpr::Name(name, span) => self.named_type(*name, *span, vars),
        }
    }

    /// A type by name: a built-in one, a datatype, a nametype, or a variable if it is written small.
    fn named_type(&mut self, name: Symbol, span: Span, vars: &mut Variables) -> Type {
        if let Some(ty) = builtin::named(self.symbols.name(name)) {
            return ty;
        }
        if let Some(scheme) = self.globals.get(&name).cloned()
            && let Type::Set(of) = self.resolve(&scheme.ty)
        {
            return *of;
        }
        if !self.symbols.name(name).starts_with(char::is_lowercase) {
            let text = self.name(name);
            self.error(span, format!("there is no type {text}"));
            return self.fresh();
        }
        if let Some(ty) = vars.known.get(&name) {
            return ty.clone();
        }
        let mut ty = self.fresh();
        if let (true, Type::Var(id)) = (vars.rigid, &ty) {
            ty = Type::Rigid(name, *id);
        }
        vars.known.insert(name, ty.clone());
        ty
    }

    fn declaration(&mut self, decl: &Decl, names: &[(Symbol, Type)]) {
        let of = |name: Symbol| names.iter().find(|(n, _)| *n == name).map(|(_, t)| t.clone());
        match &decl.kind {
            DeclKind::Function(name, clauses) => {
                if let Some(ty) = of(*name) {
                    clauses.iter().for_each(|clause| self.clause(clause, &ty));
                }
            }
            DeclKind::Pattern(pat, e) => self.pattern_declaration(pat, e, names),
            DeclKind::Channel(channels, ty) => {
                for (name, span) in channels {
                    let ty = self.waiting_for(ty.as_ref(), Type::Event);
                    if let Some(known) = of(*name) {
                        self.unify(&known, &ty, *span);
                    }
                }
            }
            DeclKind::Datatype(name, ctors) => {
                for c in ctors {
                    let ty = self.waiting_for(c.of.as_ref(), Type::Data(*name));
                    if let Some(known) = of(c.name) {
                        self.unify(&known, &ty, c.span);
                    }
                }
                if let Some(known) = of(*name) {
                    self.unify(&known, &Type::Set(Box::new(Type::Data(*name))), decl.span);
                }
            }
            DeclKind::Subtype(name, ctors) => self.subtype(of(*name), ctors),
            DeclKind::Nametype(name, e) => {
                let ty = Type::Set(Box::new(self.type_set(e)));
                if let Some(known) = of(*name) {
                    self.unify(&known, &ty, decl.span);
                }
            }
            _ => {}
        }
    }

    fn subtype(&mut self, known: Option<Type>, ctors: &[Constructor]) {
        for c in ctors {
            let Some(ty) = self.constructors.get(&c.name).cloned() else {
                let text = self.name(c.name);
                self.error(c.span, format!("{text} is not a constructor")).hint =
                    Some("a subtype lists constructors of one datatype".into());
                continue;
            };
            let whole = self.yielded(&ty);
            // A bare constructor stands for all of its values.
            if c.of.is_some() {
                let found = self.waiting_for(c.of.as_ref(), whole.clone());
                self.unify(&ty, &found, c.span);
            }
            if let Some(known) = &known {
                self.unify(known, &Type::Set(Box::new(whole)), c.span);
            }
        }
    }

    fn waiting_for(&mut self, fields: Option<&Expr>, result: Type) -> Type {
        match fields {
            None => result,
            Some(e) => Type::Dotable(Box::new(self.type_set(e)), Box::new(result)),
        }
    }

    /// The type of the values of a type expression: its dots and tuples are products of sets.
    fn type_set(&mut self, expr: &Expr) -> Type {
        match &*expr.kind {
            ExprKind::Dot(a, b) => {
                let first = self.type_set(a);
                Type::Dot(Box::new(first), Box::new(self.type_set(b)))
            }
            ExprKind::Tuple(items) => Type::Tuple(items.iter().map(|e| self.type_set(e)).collect()),
            _ => {
                let item = self.fresh();
                self.expect(expr, &Type::Set(Box::new(item.clone())));
                item
            }
        }
    }

    fn clause(&mut self, clause: &Clause, ty: &Type) {
        self.scoped(|c| {
            let mut seen = Vec::new();
            let mut rest = ty.clone();
            for group in &clause.params {
                let found: Vec<Type> = group.iter().map(|p| c.pattern(p, &mut seen)).collect();
                rest = c.parameters(rest, group, found, clause.span);
            }
            let body = c.infer(&clause.body);
            c.solve();
            c.unify(&rest, &body, clause.body.span);
        });
    }

    /// Takes one group of parameters off a function's type.
    fn parameters(&mut self, ty: Type, group: &[Pat], found: Vec<Type>, span: Span) -> Type {
        if let Type::Function(wanted, to) = self.resolve(&ty)
            && wanted.len() == found.len()
        {
            for ((wanted, found), pat) in wanted.iter().zip(&found).zip(group) {
                self.solve();
                self.unify(wanted, found, pat.span);
            }
            return *to;
        }
        let to = self.fresh();
        let span = group.iter().map(|p| p.span).reduce(Span::to).unwrap_or(span);
        self.unify(&ty, &Type::Function(found, Box::new(to.clone())), span);
        to
    }

    fn pattern_declaration(&mut self, pat: &Pat, e: &Expr, names: &[(Symbol, Type)]) {
        let bound = self.scoped(|c| {
            let ty = c.bind_pattern(pat);
            for (name, known) in names {
                let found =
                    c.scopes.last().and_then(|s| s.names.iter().find(|(n, _)| n == name).map(|(_, s)| s.ty.clone()));
                if let Some(found) = found {
                    c.unify(known, &found, pat.span);
                }
            }
            ty
        });
        self.expect(e, &bound);
    }

    /// Declarations that bind nothing.
    fn leaf_declaration(&mut self, decl: &Decl) {
        match &decl.kind {
            DeclKind::Assert(a) => self.assertion(a),
            DeclKind::Print(e) => drop(self.infer(e)),
            DeclKind::Annotation(names, _) => {
                for (name, span) in names {
                    if !self.globals.contains_key(name) {
                        self.undefined(*name, *span);
                    }
                }
            }
            _ => {}
        }
        self.settle();
    }

    fn assertion(&mut self, a: &Assertion) {
        match &a.claim {
            Claim::Refines { spec, implementation, .. } => {
                self.expect(spec, &Type::Proc);
                self.expect(implementation, &Type::Proc);
            }
            Claim::DeadlockFree(p, _) | Claim::DivergenceFree(p) | Claim::Deterministic(p, _) => {
                self.expect(p, &Type::Proc);
            }
            Claim::HasTrace { process, trace, .. } => {
                self.expect(process, &Type::Proc);
                self.expect(trace, &Type::Seq(Box::new(Type::Event)));
            }
        }
        if let Some(set) = &a.options.tau_priority {
            self.expect(set, &Type::Set(Box::new(Type::Event)));
        }
    }
}

/// The declarations in groups that depend on each other, each group after those it uses.
fn groups(decls: &[Decl]) -> Vec<Vec<usize>> {
    let mut home: FxHashMap<Symbol, usize> = FxHashMap::default();
    for (i, decl) in decls.iter().enumerate() {
        home.extend(declared_names(decl).into_iter().map(|(n, _)| (n, i)));
    }
    let uses: Vec<Vec<usize>> = decls
        .iter()
        .enumerate()
        .map(|(i, d)| {
            let mut used: Vec<usize> =
                names_used(d).iter().filter_map(|n| home.get(n).copied()).filter(|&j| j != i).collect();
            used.dedup();
            used
        })
        .collect();
    let mut order = Components {
        uses: &uses,
        index: vec![None; decls.len()],
        low: vec![0; decls.len()],
        done: vec![false; decls.len()],
        stack: Vec::new(),
        next: 0,
        out: Vec::new(),
    };
    for i in 0..decls.len() {
        if order.index[i].is_none() {
            order.visit(i);
        }
    }
    order.out
}

/// Tarjan's algorithm; recursion is as deep as definitions are nested in each other.
struct Components<'a> {
    uses: &'a [Vec<usize>],
    index: Vec<Option<usize>>,
    low: Vec<usize>,
    done: Vec<bool>,
    stack: Vec<usize>,
    next: usize,
    out: Vec<Vec<usize>>,
}

impl Components<'_> {
    fn visit(&mut self, v: usize) {
        self.index[v] = Some(self.next);
        self.low[v] = self.next;
        self.next += 1;
        self.stack.push(v);
        for &w in &self.uses[v] {
            match self.index[w] {
                None => {
                    self.visit(w);
                    self.low[v] = self.low[v].min(self.low[w]);
                }
                Some(at) if !self.done[w] => self.low[v] = self.low[v].min(at),
                Some(_) => {}
            }
        }
        if Some(self.low[v]) == self.index[v] {
            let mut group = Vec::new();
            while let Some(w) = self.stack.pop() {
                self.done[w] = true;
                group.push(w);
                if w == v {
                    break;
                }
            }
            group.sort_unstable();
            self.out.push(group);
        }
    }
}
