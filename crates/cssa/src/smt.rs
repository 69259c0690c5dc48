//! The formula as SMT-LIB, written from the definitions of the paper and not from the clauses of the solver: orders are
//! integers, values are bit-vectors, and every π-function is written out. For other solvers, and as a check of our own.

use crate::encode::flow::{Before, Flow};
use crate::goals::Goal;
use crate::model::{Extent, Model, Modelled, Options};
use foretrace_ctp::{Action, Binary, EventId, Expr, ExprId, ObjectId, ObjectKind, Place, ThreadId};
use std::fmt::Write;

/// The question whether an order reaches the goal. `None` if the question has no such form: the end of a branch as goal,
/// or a lock that is not released where it is taken.
pub fn question(modelled: &Modelled, goal: &Goal, options: Options) -> Option<String> {
    let flow = Flow::new(&modelled.ctp);
    let mut writer = Writer { modelled, flow, options, text: String::new() };
    writer.declare();
    writer.expressions();
    writer.paths(goal);
    writer.reads();
    writer.synchronisation()?;
    writer.goal(goal)?;
    writer.text.push_str("(check-sat)\n");
    Some(writer.text)
}

struct Writer<'a> {
    modelled: &'a Modelled,
    flow: Flow,
    options: Options,
    text: String,
}

fn x(id: EventId) -> String {
    format!("x{}_{}", id.thread.0, id.index)
}

fn hb(a: EventId, b: EventId) -> String {
    format!("(< o{}_{} o{}_{})", a.thread.0, a.index, b.thread.0, b.index)
}

fn all(parts: impl IntoIterator<Item = String>) -> String {
    format!("(and true {})", parts.into_iter().collect::<Vec<_>>().join(" "))
}

fn any(parts: impl IntoIterator<Item = String>) -> String {
    format!("(or false {})", parts.into_iter().collect::<Vec<_>>().join(" "))
}

fn holds(expr: ExprId) -> String {
    format!("(= e{} #b1)", expr.0)
}

impl Writer<'_> {
    fn say(&mut self, formula: &str) {
        let _ = writeln!(self.text, "(assert {formula})");
    }

    fn events(&self) -> Vec<(EventId, Action)> {
        self.modelled.ctp.events().map(|(id, event)| (id, event.action)).collect()
    }

    fn with(&self, wanted: impl Fn(Action) -> bool) -> Vec<EventId> {
        self.events().into_iter().filter(|(_, action)| wanted(*action)).map(|(id, _)| id).collect()
    }

    fn declare(&mut self) {
        self.text.push_str("(set-logic ALL)\n");
        for (id, action) in self.events() {
            let (thread, index) = (id.thread.0, id.index);
            let _ = writeln!(self.text, "(declare-const {} Bool)\n(declare-const o{thread}_{index} Int)", x(id));
            if let (Some(read), Some(place)) = (action.read(), action.place()) {
                let _ = writeln!(self.text, "(declare-const r{} (_ BitVec {}))", read.0, place.width());
            }
        }
    }

    fn expressions(&mut self) {
        let exprs = &self.modelled.ctp.exprs;
        for id in (0..exprs.len() as u32).map(ExprId) {
            let width = exprs.width(id);
            let body = match exprs.get(id) {
                Expr::Const(value) => format!("(_ bv{value} {width})"),
                Expr::Read(read) => format!("r{}", read.0),
                Expr::Binary(op, a, b) => operation(op, a, b),
                Expr::Select(c, a, b) => format!("(ite {} e{} e{})", holds(c), a.0, b.0),
                Expr::Zext(a) => format!("((_ zero_extend {}) e{})", width - exprs.width(a), a.0),
                Expr::Sext(a) => format!("((_ sign_extend {}) e{})", width - exprs.width(a), a.0),
                Expr::Extract(a, low) => format!("((_ extract {} {low}) e{})", low + width - 1, a.0),
                Expr::Concat(a, b) => format!("(concat e{} e{})", a.0, b.0),
            };
            let _ = writeln!(self.text, "(define-fun e{} () (_ BitVec {width}) {body})", id.0);
        }
    }

    /// Φ_PO and the path conditions.
    fn paths(&mut self, goal: &Goal) {
        for (id, action) in self.events() {
            if id.index > 0 {
                let before = EventId { index: id.index - 1, ..id };
                self.say(&hb(before, id));
            }
            let needed = self.needed(id);
            self.say(&format!("(=> {} {needed})", x(id)));
            let asked = goal.fails == Some(id);
            match action {
                Action::Assume(c) => self.say(&format!("(=> {} {})", x(id), holds(c))),
                Action::Assert(c) if self.options.extent == Extent::Prefix && !asked => {
                    self.say(&format!("(=> {} {})", x(id), holds(c)));
                }
                Action::Update { guard: Some(guard), .. } => self.say(&format!("(=> {} {})", x(id), holds(guard))),
                _ => {}
            }
            let pinned = action.read().and_then(|read| self.modelled.pinned.get(&read).map(|value| (read, *value)));
            if let (Some((read, value)), Some(place)) = (pinned, action.place()) {
                self.say(&format!("(=> {} (= r{} (_ bv{value} {})))", x(id), read.0, place.width()));
            }
        }
    }

    fn needed(&self, id: EventId) -> String {
        match self.flow.before(id) {
            Before::Start => match self.modelled.ctp.forks().get(&id.thread) {
                Some(fork) => all([x(*fork), hb(*fork, id)]),
                None => "true".to_owned(),
            },
            Before::Event(before) => x(before),
            Before::Branch(branch, c, true) => all([x(branch), holds(c)]),
            Before::Branch(branch, c, false) => all([x(branch), format!("(not {})", holds(c))]),
            Before::Ends(branch, c, [then, other]) => {
                all([x(branch), format!("(ite {} {} {})", holds(c), x(then), x(other))])
            }
        }
    }

    /// Φ_PI, one byte at a time, for every read; reads that do not happen are 0.
    fn reads(&mut self) {
        if self.options.model == Model::Relaxed {
            return;
        }
        let writers = self.with(|action| action.written().is_some());
        for (id, action) in self.events() {
            let (Some(read), Some(place)) = (action.read(), action.place()) else { continue };
            if !self.flow.outside(id) {
                self.say(&format!("(=> (not {}) (= r{} (_ bv0 {})))", x(id), read.0, place.width()));
            }
            for at in 0..place.size {
                let byte = Place { address: place.address + u64::from(at), size: 1 };
                let seen = format!("((_ extract {} {}) r{})", at * 8 + 7, at * 8, read.0);
                let formula = self.sees(id, &seen, byte, &writers);
                self.say(&format!("(=> {} {formula})", x(id)));
            }
        }
    }

    fn sees(&self, id: EventId, seen: &str, byte: Place, writers: &[EventId]) -> String {
        let touches = |write: &&EventId| {
            **write != id && self.modelled.ctp.event(**write).action.place().is_some_and(|place| place.overlaps(byte))
        };
        let writers: Vec<EventId> = writers.iter().filter(touches).copied().collect();
        let away = |write: &EventId, other: &EventId| {
            any([format!("(not {})", x(*other)), hb(*other, *write), hb(id, *other)])
        };
        let from = |write: &EventId| {
            let others = writers.iter().filter(|other| *other != write).map(|other| away(write, other));
            all([x(*write), hb(*write, id), format!("(= {seen} {})", self.byte_of(*write, byte))]
                .into_iter()
                .chain(others))
        };
        let first = all(writers.iter().map(|other| any([format!("(not {})", x(*other)), hb(id, *other)])));
        let initial = format!("(= {seen} (_ bv{} 8))", self.modelled.initial.value(byte));
        any(writers.iter().map(from).chain([all([first, initial])]))
    }

    fn byte_of(&self, write: EventId, byte: Place) -> String {
        let action = self.modelled.ctp.event(write).action;
        let (Some(place), Some(value)) = (action.place(), action.written()) else { return "#x00".to_owned() };
        let low = (byte.address - place.address) * 8;
        format!("((_ extract {} {low}) e{})", low + 7, value.0)
    }

    fn synchronisation(&mut self) -> Option<()> {
        for (id, action) in self.events() {
            if let Action::Join(child) = action {
                let needed = self.ended(child);
                let last = self.last(child).map(|last| hb(last, id));
                self.say(&format!("(=> {} {})", x(id), all(needed.into_iter().chain(last))));
            }
        }
        for object in (0..self.modelled.ctp.objects.len() as u32).map(ObjectId) {
            match self.modelled.ctp.object(object).kind {
                ObjectKind::Lock { .. } => self.lock(object)?,
                ObjectKind::Semaphore(count) => self.semaphore(object, count),
                ObjectKind::Condition => self.condition(object),
                ObjectKind::Barrier(count) => self.barrier(object, count)?,
            }
        }
        Some(())
    }

    fn last(&self, thread: ThreadId) -> Option<EventId> {
        let length = self.modelled.ctp.threads[thread.index()].events.len();
        length.checked_sub(1).map(|last| EventId::new(thread.index(), last))
    }

    fn ended(&self, thread: ThreadId) -> Vec<String> {
        let fork = self.modelled.ctp.forks().get(&thread).copied();
        self.last(thread).into_iter().chain(fork).map(x).collect()
    }

    /// The paper's owner of a lock, as the order of sections, of which two for reading may overlap; only for locks that are
    /// not taken twice.
    fn lock(&mut self, lock: ObjectId) -> Option<()> {
        let mut sections: Vec<(EventId, Option<EventId>)> = Vec::new();
        let shared = |writer: &Self, id: EventId| writer.modelled.ctp.event(id).action == Action::ReadLock(lock);
        for (id, action) in self.events() {
            let open = sections.last().is_some_and(|(taken, released)| taken.thread == id.thread && released.is_none());
            match action {
                Action::Lock(other) | Action::ReadLock(other) | Action::Woken { mutex: other, .. } if other == lock => {
                    if open || !self.flow.outside(id) {
                        return None;
                    }
                    sections.push((id, None));
                }
                Action::Unlock(other) | Action::Wait { mutex: other, .. } if other == lock => {
                    if !open || !self.flow.outside(id) {
                        return None;
                    }
                    sections.last_mut()?.1 = Some(id);
                }
                _ => {}
            }
        }
        for (place, (a, a_end)) in sections.iter().enumerate() {
            for (b, b_end) in sections[place + 1..].iter().filter(|(b, _)| b.thread != a.thread) {
                if shared(self, *a) && shared(self, *b) {
                    continue;
                }
                let after = |end: &Option<EventId>, next: EventId| end.map(|end| all([x(end), hb(end, next)]));
                let orders = after(a_end, *b).into_iter().chain(after(b_end, *a));
                let formula = format!("(=> (and {} {}) {})", x(*a), x(*b), any(orders));
                self.say(&formula);
            }
        }
        Some(())
    }

    /// Whoever leaves a round has seen all of it arrive; not for rounds that threads enter in branches.
    fn barrier(&mut self, barrier: ObjectId, count: u32) -> Option<()> {
        let enters = self.with(|a| a == Action::BarrierEnter(barrier));
        let before = |id: &EventId| enters.iter().filter(|e| e.thread == id.thread && e.index < id.index).count();
        for exit in self.with(|a| a == Action::BarrierExit(barrier)) {
            let round = before(&exit).checked_sub(1)?;
            let there: Vec<EventId> = enters.iter().filter(|enter| before(enter) == round).copied().collect();
            if there.len() > count as usize || !there.iter().chain([&exit]).all(|id| self.flow.outside(*id)) {
                return None;
            }
            let arrived = |enter: &EventId| {
                let earlier = if enter.thread == exit.thread { "true".to_owned() } else { hb(*enter, exit) };
                all([x(*enter), earlier])
            };
            let full = if there.len() == count as usize { all(there.iter().map(arrived)) } else { "false".to_owned() };
            self.say(&format!("(=> {} {full})", x(exit)));
        }
        Some(())
    }

    /// The k-th wait has k posts (or tokens) before it: for each wait, waits up to it need as many posts before it.
    fn semaphore(&mut self, sem: ObjectId, count: u32) {
        let (waits, posts) = (self.with(|a| a == Action::SemWait(sem)), self.with(|a| a == Action::SemPost(sem)));
        let earlier = |event: &EventId, wait: EventId| format!("(ite {} 1 0)", all([x(*event), hb(*event, wait)]));
        for wait in &waits {
            let taken: Vec<String> =
                waits.iter().filter(|other| *other != wait).map(|other| earlier(other, *wait)).collect();
            let posted: Vec<String> = posts.iter().map(|post| earlier(post, *wait)).collect();
            let sums = format!("(< (+ 0 0 {}) (+ {count} 0 {}))", taken.join(" "), posted.join(" "));
            self.say(&format!("(=> {} {sums})", x(*wait)));
            // The order of two waits must be told, or both could count themselves as the first.
            for other in waits.iter().filter(|other| *other < wait) {
                self.say(&any([hb(*wait, *other), hb(*other, *wait)]));
            }
        }
    }

    fn condition(&mut self, condition: ObjectId) {
        let returns = self.with(|a| matches!(a, Action::Woken { condition: c, .. } if c == condition));
        let wakers = self.with(|a| matches!(a, Action::Signal(c) | Action::Broadcast(c) if c == condition));
        for end in returns {
            let begin = EventId { index: end.index - 1, ..end };
            // Which waker it is, as a number; two returns do not share a signal.
            let name = format!("w{}_{}", end.thread.0, end.index);
            let _ = writeln!(self.text, "(declare-const {name} Int)");
            let choice = |(number, waker): (usize, &EventId)| {
                all([format!("(= {name} {number})"), x(*waker), hb(begin, *waker), hb(*waker, end)])
            };
            let formula = any(wakers.iter().enumerate().filter(|(_, w)| w.thread != end.thread).map(choice));
            self.say(&format!("(=> {} {formula})", x(end)));
        }
        let returns = self.with(|a| matches!(a, Action::Woken { condition: c, .. } if c == condition));
        for (place, a) in returns.iter().enumerate() {
            for b in &returns[place + 1..] {
                let name = |id: &EventId| format!("w{}_{}", id.thread.0, id.index);
                let broadcast =
                    |(_, w): &(usize, &EventId)| matches!(self.modelled.ctp.event(**w).action, Action::Broadcast(_));
                let shared = wakers.iter().enumerate().filter(broadcast);
                let shared: Vec<String> = shared.map(|(number, _)| format!("(= {} {number})", name(a))).collect();
                let differ = format!("(not (= {} {}))", name(a), name(b));
                self.say(&format!("(=> (and {} {}) {})", x(*a), x(*b), any([differ].into_iter().chain(shared))));
            }
        }
    }

    /// An event is next.
    fn next(&mut self, id: EventId) -> Option<()> {
        if matches!(self.flow.before(id), Before::Ends(..)) {
            return None;
        }
        let fork = matches!(self.flow.before(id), Before::Start);
        let reached = match (fork, self.modelled.ctp.forks().get(&id.thread)) {
            (true, Some(fork)) => x(*fork),
            _ => self.needed(id),
        };
        self.say(&all([reached, format!("(not {})", x(id))]));
        Some(())
    }

    fn fails(&mut self, id: EventId) -> Option<()> {
        let action = self.modelled.ctp.event(id).action;
        let (Action::Assert(c) | Action::Assume(c)) = action else { return None };
        if self.options.model == Model::Relaxed {
            self.say(&x(id));
            return Some(());
        }
        self.say(&format!("(not {})", holds(c)));
        if matches!(action, Action::Assume(_)) {
            return self.next(id);
        }
        self.say(&x(id));
        // Nothing happens in a thread behind the assertion that fails.
        if self.options.extent == Extent::Prefix && self.last(id.thread).is_some_and(|last| id < last) {
            self.say(&format!("(not {})", x(EventId { index: id.index + 1, ..id })));
        }
        Some(())
    }

    fn goal(&mut self, goal: &Goal) -> Option<()> {
        goal.done.iter().for_each(|id| self.say(&x(*id)));
        goal.next.iter().try_for_each(|id| self.next(*id))?;
        for (a, b) in &goal.before {
            self.say(&all([x(*a), x(*b), hb(*a, *b)]));
        }
        goal.fails.map_or(Some(()), |id| self.fails(id))?;
        if self.options.extent == Extent::Whole {
            for thread in (0..self.modelled.ctp.threads.len() as u32).map(ThreadId) {
                let ended = self.ended(thread);
                self.say(&all(ended));
            }
        }
        Some(())
    }
}

fn operation(op: Binary, a: ExprId, b: ExprId) -> String {
    let (a, b) = (format!("e{}", a.0), format!("e{}", b.0));
    let plain = |name: &str| format!("({name} {a} {b})");
    let truth = |test: String| format!("(ite {test} #b1 #b0)");
    match op {
        Binary::Add => plain("bvadd"),
        Binary::Sub => plain("bvsub"),
        Binary::Mul => plain("bvmul"),
        Binary::Udiv => plain("bvudiv"),
        Binary::Sdiv => plain("bvsdiv"),
        Binary::Urem => plain("bvurem"),
        Binary::Srem => plain("bvsrem"),
        Binary::Shl => plain("bvshl"),
        Binary::Lshr => plain("bvlshr"),
        Binary::Ashr => plain("bvashr"),
        Binary::And => plain("bvand"),
        Binary::Or => plain("bvor"),
        Binary::Xor => plain("bvxor"),
        Binary::Eq => truth(plain("=")),
        Binary::Ne => truth(format!("(not {})", plain("="))),
        Binary::Ult => truth(plain("bvult")),
        Binary::Ule => truth(plain("bvule")),
        Binary::Slt => truth(plain("bvslt")),
        Binary::Sle => truth(plain("bvsle")),
    }
}
