//! From properties as they are written to templates.

use crate::ast::{self, Before, Events, Property, Rule};
use crate::template::{Arg, By, Edge, EventPattern, Linear, StateId, Target, Template};

/// The variable that stands for the thread in a region.
const OWN: &str = "@thread";

pub(crate) fn compile(property: &Property, number: usize) -> Template {
    let name = property.name.clone().unwrap_or_else(|| format!("property {}", number + 1));
    let template = Template {
        name: name.into(),
        says: property.says.as_str().into(),
        vars: Vec::new(),
        states: Vec::new(),
        patterns: Vec::new(),
        edges: Vec::new(),
        strict: false,
        linear: None,
    };
    let mut compiler = Compiler { template };
    match &property.rule {
        Rule::Never { what, after, until } => compiler.never(what, after.as_ref(), until.as_ref()),
        Rule::Chain(stages) => compiler.chain(stages),
        Rule::OneHolder { takes, gives } => compiler.one_holder(takes, gives),
        Rule::Comes { after, comes, before } => compiler.comes(after, comes, before),
        Rule::Atomic { begin, end, against } => compiler.atomic(begin, end, against.as_ref()),
        Rule::Serialisable { reads, writes, begin, end } => compiler.serialisable([reads, writes], [begin, end]),
        Rule::States { names, edges } => compiler.machine(names, edges),
    }
    compiler.template
}

struct Compiler {
    template: Template,
}

impl Compiler {
    fn states<const N: usize>(&mut self, names: [&str; N]) -> [StateId; N] {
        self.template.states = names.iter().map(|name| (*name).into()).collect();
        std::array::from_fn(|index| index)
    }

    fn var(&mut self, name: &str) -> usize {
        let vars = &mut self.template.vars;
        vars.iter().position(|other| **other == *name).unwrap_or_else(|| {
            vars.push(name.into());
            vars.len() - 1
        })
    }

    /// Adds patterns; `by` is for those that do not say who performs them.
    fn patterns(&mut self, events: &Events, by: By) -> Vec<usize> {
        events.iter().map(|event| self.pattern(event, by)).collect()
    }

    fn pattern(&mut self, event: &ast::Event, by: By) -> usize {
        let arg = |this: &mut Self, arg: &ast::Arg| match arg {
            ast::Arg::Any => Arg::Any,
            ast::Arg::Var(name) => Arg::Var(this.var(name)),
            ast::Arg::Is(datum) => Arg::Is(datum.clone()),
        };
        let args = event.args.as_ref().map(|args| args.iter().map(|one| arg(self, one)).collect());
        let by = match &event.by {
            ast::By::Any => by,
            ast::By::Thread(name) => By::Thread(self.var(&format!("@{name}"))),
            ast::By::Other(name) => By::Other(self.var(&format!("@{name}"))),
        };
        self.add(EventPattern { name: Some(event.name.as_str().into()), args, open: event.open, by })
    }

    fn add(&mut self, pattern: EventPattern) -> usize {
        let patterns = &mut self.template.patterns;
        patterns.iter().position(|other| *other == pattern).unwrap_or_else(|| {
            patterns.push(pattern);
            patterns.len() - 1
        })
    }

    fn edges(&mut self, from: StateId, patterns: &[usize], to: impl Into<Target>) {
        let to = to.into();
        self.template.edges.extend(patterns.iter().map(|&pattern| Edge { from, pattern, to }));
    }

    /// The parts of a property that other orders of the same events can be judged by, if no variable stands for a thread
    /// that is not the same in all of them.
    fn linear(&mut self, linear: Linear) {
        self.template.linear = Some(linear);
    }

    fn never(&mut self, what: &Events, after: Option<&Events>, until: Option<&Events>) {
        let what = self.patterns(what, By::Any);
        let Some(after) = after else {
            let [start] = self.states(["start"]);
            self.edges(start, &what, Target::Violated);
            return;
        };
        let after = self.patterns(after, By::Any);
        let [before, armed] = self.states(["before", "after"]);
        self.edges(before, &after, armed);
        self.edges(armed, &what, Target::Violated);
        match until {
            Some(until) => {
                let until = self.patterns(until, By::Any);
                self.edges(armed, &until, before);
            }
            None => self.linear(Linear::After { first: after, then: what }),
        }
    }

    /// Of two stages, the second needs the first. Of more, the last one ends a round, and then all begins again.
    fn chain(&mut self, stages: &[Events]) {
        let stages: Vec<Vec<usize>> = stages.iter().map(|events| self.patterns(events, By::Any)).collect();
        let last = stages.len() - 1;
        if last == 1 {
            let [before, after] = self.states(["before the first", "after the first"]);
            self.edges(before, &stages[0], after);
            self.edges(before, &stages[1], Target::Violated);
            self.linear(Linear::Missing { first: stages[0].clone(), then: stages[1].clone() });
            return;
        }
        let reached = (1..=last).map(|stage| format!("stage {stage}").into());
        self.template.states = std::iter::once("not begun".into()).chain(reached).collect();
        for reached in 0..=last {
            self.edges(reached, &stages[0], 1);
            for (stage, patterns) in stages.iter().enumerate().skip(1) {
                let too_late = reached > stage + 1;
                let to = match stage {
                    _ if reached == 0 || too_late => Target::Violated,
                    stage if stage == last => Target::State(0),
                    stage => Target::State(stage + 1),
                };
                self.edges(reached, patterns, to);
            }
        }
    }

    fn one_holder(&mut self, takes: &Events, gives: &Events) {
        let own = self.var(OWN);
        let [free, held] = self.states(["free", "held"]);
        let (mine, others) = (self.patterns(takes, By::Thread(own)), self.patterns(takes, By::Other(own)));
        let gives = self.patterns(gives, By::Thread(own));
        self.edges(free, &mine, held);
        self.edges(held, &others, Target::Violated);
        self.edges(held, &gives, free);
    }

    fn comes(&mut self, after: &Events, comes: &Events, before: &Before) {
        let [idle, due] = self.states(["nothing due", "due"]);
        let after = self.patterns(after, By::Any);
        let comes = self.patterns(comes, By::Any);
        self.edges(idle, &after, due);
        self.edges(due, &comes, idle);
        match before {
            Before::These(events) => {
                let wrong = self.patterns(events, By::Any);
                self.edges(due, &wrong, Target::Violated);
            }
            Before::Anything { but } => {
                let but = self.patterns(but, By::Any);
                self.edges(due, &but, due);
                let anything = self.add(EventPattern { name: None, args: None, open: false, by: By::Any });
                self.edges(due, &[anything], Target::Violated);
            }
        }
    }

    fn atomic(&mut self, begin: &Events, end: &Events, against: Option<&Events>) {
        let own = self.var(OWN);
        let [outside, inside] = self.states(["outside", "inside"]);
        let others = self.patterns(against.unwrap_or(begin), By::Other(own));
        let (begin, end) = (self.patterns(begin, By::Thread(own)), self.patterns(end, By::Thread(own)));
        self.edges(outside, &begin, inside);
        self.edges(inside, &end, outside);
        self.edges(inside, &others, Target::Violated);
        self.linear(Linear::Between { begin, middle: others, end });
    }

    /// The five patterns of accesses to one variable that no serial order explains: read, write of another, read or
    /// write; write, read of another, write; write, write of another, read or write.
    fn serialisable(&mut self, [reads, writes]: [&Events; 2], [begin, end]: [&Events; 2]) {
        let own = self.var(OWN);
        let [outside, inside, read, written, overwritten, seen] = self.states([
            "outside",
            "inside",
            "after a read",
            "after a write",
            "overwritten by another",
            "read by another",
        ]);
        let (begin, end) = (self.patterns(begin, By::Thread(own)), self.patterns(end, By::Thread(own)));
        let own_reads = self.patterns(reads, By::Thread(own));
        let own_writes = self.patterns(writes, By::Thread(own));
        let others_read = self.patterns(reads, By::Other(own));
        let others_write = self.patterns(writes, By::Other(own));
        self.edges(outside, &begin, inside);
        for state in [inside, read, written, overwritten, seen] {
            self.edges(state, &end, outside);
            let bad = |is_bad: bool, to: StateId| if is_bad { Target::Violated } else { Target::State(to) };
            self.edges(state, &own_reads, bad(state == overwritten, read));
            self.edges(state, &own_writes, bad(state == overwritten || state == seen, written));
        }
        for state in [read, written, seen] {
            self.edges(state, &others_write, overwritten);
        }
        self.edges(written, &others_read, seen);
    }

    fn machine(&mut self, names: &[String], edges: &[(usize, Events, usize)]) {
        self.template.strict = true;
        self.template.states = names.iter().map(|name| name.as_str().into()).collect();
        for (from, events, to) in edges {
            let patterns = self.patterns(events, By::Any);
            self.edges(*from, &patterns, *to);
        }
    }
}

impl From<StateId> for Target {
    fn from(state: StateId) -> Self {
        Self::State(state)
    }
}
