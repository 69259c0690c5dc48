//! Time: inside a timed section a process that waits for an event lets `tock` happen, and all that runs side by side
//! agrees on every `tock`. An event takes as many of them as the section's function says, or one.

use super::Rewrite;
use super::*;
use std::rc::Rc;

pub struct Time {
    tock: Symbol,
    /// The duration of each event.
    cost: Option<Expr>,
    /// Whether processes are to let time pass, or only the names for it are to be understood.
    passes: bool,
    /// Whether the script declares the channel.
    declared: bool,
}

impl<'a> Rewrite<'a> {
    pub fn timed(symbols: &'a mut Symbols, tock: Symbol, cost: Option<Expr>) -> Self {
        let mut rewrite = Rewrite::renaming(symbols);
        rewrite.time = Some(Time { tock, cost, passes: true, declared: true });
        rewrite
    }

    pub fn untimed(symbols: &'a mut Symbols, tock: Symbol, declared: bool) -> Self {
        let mut rewrite = Rewrite::renaming(symbols);
        rewrite.time = Some(Time { tock, cost: None, passes: false, declared });
        rewrite
    }

    /// Goes into a timed section; answers the time outside it.
    pub(super) fn enter_section(&mut self, cost: Option<Expr>, span: Span) -> Option<Time> {
        let outer = self.time.take()?;
        if !outer.declared {
            let hint = "add the line: channel tock";
            self.errors.push(error(span, "a timed section needs the channel tock").hint(hint));
        }
        self.time = Some(Time { tock: outer.tock, cost, passes: true, declared: outer.declared });
        Some(outer)
    }

    fn tock(&mut self, span: Span) -> Expr {
        let tock = self.time.as_ref().map(|t| t.tock).expect("asked only where there is time");
        self.node(span, ExprKind::Var(tock))
    }

    fn tocks(&mut self, span: Span) -> Expr {
        let tock = self.tock(span);
        self.node(span, ExprKind::Set(vec![tock], Vec::new()))
    }

    fn with_tock(&mut self, set: Expr) -> Expr {
        let span = set.span;
        let tocks = self.tocks(span);
        let union = self.symbols.intern("csp_union");
        let union = self.node(span, ExprKind::Var(union));
        self.node(span, ExprKind::App(union, vec![set, tocks]))
    }

    fn call(&mut self, function: &str, args: Vec<Expr>, span: Span) -> ExprKind {
        let function = self.symbols.intern(function);
        let function = self.node(span, ExprKind::Var(function));
        ExprKind::App(function, args)
    }

    fn refuse(&mut self, span: Span, what: &str) {
        self.errors.push(error(span, format!("{what} cannot be used in a timed section")));
    }

    /// What a node becomes where there is time; its parts have been rewritten.
    pub(super) fn with_time(&mut self, kind: ExprKind, span: Span) -> ExprKind {
        let Some(time) = &self.time else { return kind };
        if !time.declared {
            return kind;
        }
        let passes = time.passes;
        if let Some(kind) = self.names_of_time(&kind, span) {
            return kind;
        }
        if !passes {
            return kind;
        }
        match kind {
            ExprKind::Prefix(head, fields, body) => self.timed_prefix(head, fields, body, span),
            ExprKind::Proc(ProcOp::External, p, q) => ExprKind::OnSet(SetOp::SyncExternal, p, self.tocks(span), q),
            ExprKind::Proc(ProcOp::Interleave, p, q) => ExprKind::OnSet(SetOp::Parallel, p, self.tocks(span), q),
            ExprKind::Proc(ProcOp::Interrupt, p, q) => ExprKind::OnSet(SetOp::SyncInterrupt, p, self.tocks(span), q),
            ExprKind::OnSet(op, p, set, q) if op != SetOp::Exception => ExprKind::OnSet(op, p, self.with_tock(set), q),
            ExprKind::Alphabetised(p, a, b, q) => {
                let (a, b) = (self.with_tock(a), self.with_tock(b));
                ExprKind::Alphabetised(p, a, b, q)
            }
            ExprKind::Project(p, set) => ExprKind::Project(p, self.with_tock(set)),
            ExprKind::Link(..) => {
                self.refuse(span, "linked parallel");
                kind
            }
            ExprKind::Guard(condition, p) => {
                let stop = self.time_stop(span);
                ExprKind::If(condition, p, stop)
            }
            other => other,
        }
    }

    /// What lets time pass and does nothing else.
    fn time_stop(&mut self, span: Span) -> Expr {
        let tock = self.tock(span);
        let stop = self.call("csp_tstop", vec![tock], span);
        self.node(span, stop)
    }

    fn names_of_time(&mut self, kind: &ExprKind, span: Span) -> Option<ExprKind> {
        let passes = self.time.as_ref().is_some_and(|t| t.passes);
        match kind {
            ExprKind::Var(name) => {
                let function = match self.symbols.name(*name) {
                    "TSTOP" => "csp_tstop",
                    "TSKIP" => "csp_tskip",
                    "STOP" if passes => "csp_tstop",
                    "SKIP" if passes => "csp_tskip",
                    "timed_priority" if passes => {
                        return Some(ExprKind::Var(self.symbols.intern("csp_timed_priority")));
                    }
                    _ => return None,
                };
                let tock = self.tock(span);
                Some(self.call(function, vec![tock], span))
            }
            ExprKind::App(f, args) => match &*f.kind {
                ExprKind::Var(name) if self.symbols.name(*name) == "WAIT" && args.len() == 1 => {
                    let tock = self.tock(span);
                    Some(self.call("csp_wait", vec![tock, args[0].clone()], span))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// `let X = (event -> its duration passes, then the body) [] tock -> X within X`.
    fn timed_prefix(&mut self, head: Expr, fields: Vec<Field>, body: Expr, span: Span) -> ExprKind {
        let fields = self.with_values(fields);
        let cost = self.duration(&head, &fields, span);
        let tock = self.tock(span);
        let after = self.call("csp_pass", vec![tock, cost, body], span);
        let after = self.node(span, after);
        let act = self.node(span, ExprKind::Prefix(head, fields, after));
        let name = format!("csp_x{}", self.symbols.next_expression());
        let name = self.symbols.intern(&name);
        let (again, result) = (self.node(span, ExprKind::Var(name)), self.node(span, ExprKind::Var(name)));
        let tock = self.tock(span);
        let idle = self.node(span, ExprKind::Prefix(tock, Vec::new(), again));
        let both = self.node(span, ExprKind::Proc(ProcOp::External, act, idle));
        let clause = Clause { span, params: Vec::new(), body: both };
        let decl = Decl { span, kind: DeclKind::Function(name, Rc::new(vec![clause])) };
        ExprKind::Let(Rc::new(vec![decl]), result)
    }

    fn duration(&mut self, head: &Expr, fields: &[Field], span: Span) -> Expr {
        if fields.iter().any(|f| matches!(f.kind, FieldKind::NondetInput(..))) {
            self.refuse(span, "$");
        }
        let Some(cost) = self.time.as_ref().and_then(|t| t.cost.clone()) else {
            return self.node(span, ExprKind::Int(1));
        };
        let mut event = head.clone();
        for field in fields {
            let part = match &field.kind {
                FieldKind::Output(e) => e.clone(),
                FieldKind::Input(p, _) | FieldKind::NondetInput(p, _) => self.as_value(p),
            };
            event = self.node(span, ExprKind::Dot(event, part));
        }
        self.node(span, ExprKind::App(cost, vec![event]))
    }

    /// Gives every input a name for what it matched, if the section has a function that asks for it.
    fn with_values(&mut self, fields: Vec<Field>) -> Vec<Field> {
        if self.time.as_ref().is_none_or(|t| t.cost.is_none()) {
            return fields;
        }
        let named = |s: &mut Self, field: Field| match field.kind {
            FieldKind::Input(p, from) => Field { kind: FieldKind::Input(s.named(p), from), ..field },
            _ => field,
        };
        fields.into_iter().map(|f| named(self, f)).collect()
    }

    /// A pattern that also binds what it matches, where its own names do not tell.
    fn named(&mut self, pat: Pat) -> Pat {
        let kind = match pat.kind {
            PatKind::Name(_) | PatKind::Int(_) | PatKind::Bool(_) | PatKind::Char(_) => return pat,
            PatKind::Dot(a, b) => PatKind::Dot(Box::new(self.named(*a)), Box::new(self.named(*b))),
            kind => {
                let name = format!("csp_v{}", self.symbols.next_expression());
                let name = Pat { span: pat.span, kind: PatKind::Name(self.symbols.intern(&name)) };
                PatKind::Both(Box::new(Pat { span: pat.span, kind }), Box::new(name))
            }
        };
        Pat { span: pat.span, kind }
    }

    /// The value a pattern has matched, which must be told by its names.
    fn as_value(&mut self, pat: &Pat) -> Expr {
        let kind = match &pat.kind {
            PatKind::Name(n) => ExprKind::Var(*n),
            PatKind::Int(n) => ExprKind::Int(*n),
            PatKind::Bool(b) => ExprKind::Bool(*b),
            PatKind::Char(c) => ExprKind::Char(*c),
            PatKind::Dot(a, b) => ExprKind::Dot(self.as_value(a), self.as_value(b)),
            PatKind::Both(_, b) => return self.as_value(b),
            _ => {
                self.errors.push(error(pat.span, "this input must have a name, so that its duration can be computed"));
                ExprKind::Int(0)
            }
        };
        self.node(pat.span, kind)
    }

    pub(super) fn timed_replicated(&mut self, op: ReplOp, stmts: Vec<Stmt>, body: Expr) -> ExprKind {
        if !self.time.as_ref().is_some_and(|t| t.passes) {
            return ExprKind::Replicated(op, stmts, body);
        }
        let span = body.span;
        let none = match op {
            ReplOp::Internal | ReplOp::Link(..) => None,
            ReplOp::Sequential => Some(("csp_null", ExprKind::Seq as fn(Vec<Expr>, Vec<Stmt>) -> ExprKind)),
            _ => Some(("csp_empty", ExprKind::Set as fn(Vec<Expr>, Vec<Stmt>) -> ExprKind)),
        };
        let op = match op {
            ReplOp::External => ReplOp::SyncExternal(self.tocks(span)),
            ReplOp::Interleave => ReplOp::Parallel(self.tocks(span)),
            ReplOp::Parallel(set) => ReplOp::Parallel(self.with_tock(set)),
            ReplOp::SyncExternal(set) => ReplOp::SyncExternal(self.with_tock(set)),
            ReplOp::Alphabetised(set) => ReplOp::Alphabetised(self.with_tock(set)),
            ReplOp::Link(..) => {
                self.refuse(span, "linked parallel");
                op
            }
            other => other,
        };
        let Some((is_empty, collect)) = none else { return ExprKind::Replicated(op, stmts, body) };
        // With nothing to choose from or to run, time passes.
        let one = self.node(span, ExprKind::Int(0));
        let all = self.node(span, collect(vec![one], stmts.clone()));
        let empty = self.call(is_empty, vec![all], span);
        let empty = self.node(span, empty);
        let idle = match op {
            ReplOp::Sequential => {
                let tock = self.tock(span);
                let skip = self.call("csp_tskip", vec![tock], span);
                self.node(span, skip)
            }
            _ => self.time_stop(span),
        };
        let some = self.node(span, ExprKind::Replicated(op, stmts, body));
        ExprKind::If(empty, idle, some)
    }
}
