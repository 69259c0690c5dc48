//! Writes the text form, in the recorded order. Parts that several expressions share are named once with `let`.

use super::names;
use crate::event::{Action, Event, Place};
use crate::expr::Expr;
use crate::ids::{EventId, ExprId, ReadId, ThreadId};
use crate::program::{Ctp, ObjectKind};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;

/// Expressions deeper than this are written in parts.
const DEEPEST: u32 = 40;

/// The program as text; [`super::parse`] reads it back.
pub fn print(ctp: &Ctp) -> String {
    let mut printer = Printer { ctp, text: String::new(), named: named(ctp), bound: FxHashSet::default() };
    printer.declarations();
    for id in &ctp.order {
        printer.event(*id);
    }
    printer.text
}

struct Printer<'a> {
    ctp: &'a Ctp,
    text: String,
    /// Expressions that get names.
    named: FxHashSet<ExprId>,
    /// Names that have been written, in which thread.
    bound: FxHashSet<(ThreadId, ExprId)>,
}

/// What is used twice, or is too deep to be written at once.
fn named(ctp: &Ctp) -> FxHashSet<ExprId> {
    let mut uses: FxHashMap<ExprId, u32> = FxHashMap::default();
    for id in 0..ctp.exprs.len() as u32 {
        ctp.exprs.get(ExprId(id)).operands().for_each(|operand| *uses.entry(operand).or_default() += 1);
    }
    let mut depth = vec![0_u32; ctp.exprs.len()];
    let mut found = FxHashSet::default();
    for id in (0..ctp.exprs.len() as u32).map(ExprId) {
        let node = ctp.exprs.get(id);
        if matches!(node, Expr::Const(_) | Expr::Read(_)) {
            continue;
        }
        let below = node.operands().map(|operand| depth[operand.index()]).max().unwrap_or(0);
        depth[id.index()] = below + 1;
        if below + 1 >= DEEPEST || uses.get(&id).is_some_and(|uses| *uses > 1) {
            depth[id.index()] = 0;
            found.insert(id);
        }
    }
    found
}

impl Printer<'_> {
    fn declarations(&mut self) {
        for var in &self.ctp.vars {
            let (place, initial) = (var.place, var.initial);
            let _ = writeln!(self.text, "var {} {} = {initial} @ {:#x}", var.name, place.size, place.address);
        }
        for object in &self.ctp.objects {
            let _ = match object.kind {
                ObjectKind::Lock { recursive: false } => writeln!(self.text, "lock {}", object.name),
                ObjectKind::Lock { recursive: true } => writeln!(self.text, "lock {} recursive", object.name),
                ObjectKind::Semaphore(count) => writeln!(self.text, "sem {} = {count}", object.name),
                ObjectKind::Condition => writeln!(self.text, "cond {}", object.name),
                ObjectKind::Barrier(count) => writeln!(self.text, "barrier {} = {count}", object.name),
            };
        }
        for thread in &self.ctp.threads {
            let _ = writeln!(self.text, "thread {}", thread.name);
        }
    }

    fn event(&mut self, id: EventId) {
        let event = self.ctp.event(id).clone();
        if event.action == Action::Else {
            // What was named in the first branch has no name in the second.
            self.bound.retain(|(thread, _)| *thread != id.thread);
        }
        // The guard and the value of an update may use what it reads, which has no name on the lines before.
        let own = event.action.read();
        for expr in event.action.expressions() {
            self.lets(id.thread, expr, own);
        }
        let body = self.body(id.thread, &event);
        let _ = write!(self.text, "{} {body}", self.ctp.threads[id.thread.index()].name);
        if let Some(label) = &event.label {
            let _ = write!(self.text, " \"{}\"", label.replace(['"', '\n', '\r'], "'"));
        }
        if let Some(link) = event.link {
            let _ = write!(self.text, " @ {}:{}", link.thread, link.index);
        }
        self.text.push('\n');
    }

    fn body(&self, thread: ThreadId, event: &Event) -> String {
        let object = |id| &self.ctp.object(id).name;
        if let Some((name, id)) = names::object(event.action) {
            return format!("{name} {}", object(id));
        }
        let expr = |id| self.expr(thread, id);
        match event.action {
            Action::Read { place, read } => format!("read r{} {}", read.0, self.place(place)),
            Action::Write { place, value } => format!("write {} {}", self.place(place), expr(value)),
            Action::Update { place, read, guard, value } => {
                let guard = guard.map_or(String::new(), |guard| format!("if {} ", expr(guard)));
                format!("update r{} {} {guard}{}", read.0, self.place(place), expr(value))
            }
            Action::Assume(c) => format!("assume {}", expr(c)),
            Action::Assert(c) => format!("assert {}", expr(c)),
            Action::If(c) => format!("if {}", expr(c)),
            Action::Wait { condition, mutex } => format!("wait {} {}", object(condition), object(mutex)),
            Action::Woken { condition, mutex } => format!("fwait {} {}", object(condition), object(mutex)),
            Action::Fork(other) => format!("fork {}", self.ctp.threads[other.index()].name),
            Action::Join(other) => format!("join {}", self.ctp.threads[other.index()].name),
            Action::Begin => "begin".to_owned(),
            Action::End => "end".to_owned(),
            Action::Else => "else".to_owned(),
            _ => "endif".to_owned(),
        }
    }

    fn place(&self, place: Place) -> String {
        self.ctp.place_name(place)
    }

    /// Writes `let` lines for the parts of an expression that have names, those that use `own` excepted.
    fn lets(&mut self, thread: ThreadId, expr: ExprId, own: Option<ReadId>) {
        let mut open = vec![expr];
        while let Some(top) = open.last().copied() {
            let node = self.ctp.exprs.get(top);
            let missing: Vec<ExprId> = node.operands().filter(|o| !self.bound.contains(&(thread, *o))).collect();
            let missing: Vec<ExprId> = missing.into_iter().filter(|o| !self.leaf(*o)).collect();
            if !missing.is_empty() {
                open.extend(missing);
                continue;
            }
            open.pop();
            let uses_own = own.is_some_and(|own| self.uses(top, own));
            if self.bound.insert((thread, top)) && self.named.contains(&top) && !uses_own {
                let body = self.node(thread, top);
                let _ = writeln!(self.text, "{} let e{} {body}", self.ctp.threads[thread.index()].name, top.0);
            } else if uses_own {
                self.named.remove(&top);
            }
        }
    }

    fn leaf(&self, id: ExprId) -> bool {
        matches!(self.ctp.exprs.get(id), Expr::Const(_) | Expr::Read(_))
    }

    fn uses(&self, id: ExprId, read: ReadId) -> bool {
        let (mut open, mut seen) = (vec![id], FxHashSet::default());
        while let Some(id) = open.pop() {
            let node = self.ctp.exprs.get(id);
            if node == Expr::Read(read) {
                return true;
            }
            open.extend(node.operands().filter(|operand| seen.insert(*operand)));
        }
        false
    }

    fn expr(&self, thread: ThreadId, id: ExprId) -> String {
        if self.named.contains(&id) { format!("e{}", id.0) } else { self.node(thread, id) }
    }

    fn node(&self, thread: ThreadId, id: ExprId) -> String {
        let expr = |id| self.expr(thread, id);
        let width = self.ctp.exprs.width(id);
        match self.ctp.exprs.get(id) {
            Expr::Const(value) => format!("{value}:{width}"),
            Expr::Read(read) => self.read(thread, read),
            Expr::Binary(op, a, b) => format!("({} {} {})", names::of_binary(op), expr(a), expr(b)),
            Expr::Select(c, a, b) => format!("(select {} {} {})", expr(c), expr(a), expr(b)),
            Expr::Zext(a) => format!("(zext {width} {})", expr(a)),
            Expr::Sext(a) => format!("(sext {width} {})", expr(a)),
            Expr::Extract(a, low) => format!("(extract {} {low} {})", low + width - 1, expr(a)),
            Expr::Concat(a, b) => format!("(concat {} {})", expr(a), expr(b)),
        }
    }

    fn read(&self, thread: ThreadId, read: ReadId) -> String {
        let by = self.ctp.reads[read.index()].thread;
        let name = &self.ctp.threads[by.index()].name;
        if by == thread { format!("r{}", read.0) } else { format!("{name}.r{}", read.0) }
    }
}
