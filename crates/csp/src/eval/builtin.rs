//! The functions and constants every script has without declaring them.

use super::*;
use crate::machine::event::{Event, TAU, TICK};
use crate::machine::term::{Compression, Next, Priorities, Term, TermId};
use crate::refine::watchdog::{Watched, watchdog};
use crate::syntax::builtin::{DECLARED, FUNCTIONS, plain};

impl Evaluator {
    pub(super) fn builtin_value(&mut self, name: Symbol, span: Span) -> Eval<Value> {
        let constant = match plain(self.symbols.name(name)) {
            "STOP" => Value::Proc(self.terms.add(Term::Stop)),
            "SKIP" => Value::Proc(self.terms.add(Term::Skip)),
            "DIV" => Value::Proc(self.terms.add(Term::Div)),
            "Int" => Value::Set(Set::Ints),
            "Bool" => Value::Set(Set::bools()),
            "Char" => Value::Set(Set::Chars),
            "Proc" => Value::Set(Set::Procs),
            "True" => Value::Bool(true),
            "False" => Value::Bool(false),
            "Events" => Value::Set(Set::of(self.all_events(span)?)),
            "emptyMap" => Value::Map(Rc::default()),
            text if FUNCTIONS.contains(&text) || DECLARED.contains(&text) => Value::Builtin(name),
            text => return error(span, format!("{text} is not defined")),
        };
        Ok(constant)
    }

    pub(super) fn call_builtin(&mut self, name: Symbol, args: Vec<Value>, span: Span) -> Eval<Value> {
        let text = plain(self.symbols.name(name)).to_owned();
        let mut finite = Vec::with_capacity(args.len());
        for arg in args {
            let lazy_ok = matches!(text.as_str(), "head" | "tail" | "null");
            finite.push(if lazy_ok { arg } else { self.finite(arg, span)? });
        }
        if let Some(result) = self.set_function(&text, &finite, span)? {
            return Ok(result);
        }
        if let Some(result) = self.sequence_function(&text, &finite, span)? {
            return Ok(result);
        }
        if let Some(result) = self.map_function(&text, &finite, span)? {
            return Ok(result);
        }
        self.process_function(&text, &finite, span)
    }

    fn set_function(&mut self, name: &str, args: &[Value], span: Span) -> Eval<Option<Value>> {
        let set = match (name, args) {
            ("union", [Value::Set(a), Value::Set(b)]) => sets::union(a, b),
            ("inter", [Value::Set(a), Value::Set(b)]) => sets::intersection(a, b),
            ("diff", [Value::Set(a), Value::Set(b)]) => sets::difference(a, b),
            ("Union", [Value::Set(sets)]) => {
                let all = self.list(sets, span)?;
                unite(&all)
            }
            ("Inter", [Value::Set(sets)]) => self.intersect_all(sets, span)?,
            ("set", [seq]) => Set::of(self.elements(seq, span)?),
            ("Set", [Value::Set(of)]) => self.powerset(of),
            ("Seq", [Value::Set(of)]) => described(Set::Seqs(Rc::new(of.clone()))),
            ("Map", [Value::Set(k), Value::Set(v)]) => described(Set::Maps(Rc::new(k.clone()), Rc::new(v.clone()))),
            ("extensions", [value]) => {
                let rows = self.suffixes(value, span)?;
                Set::of(rows.into_iter().filter_map(|r| r.into_iter().reduce(|a, b| self.join(a, b))).collect())
            }
            ("productions", [value]) => Set::of(self.completions(value, span)?),
            ("transpose", [Value::Set(pairs)]) => {
                Set::of(self.pairs(pairs, span)?.into_iter().map(|(a, b)| pair(b, a)).collect())
            }
            ("mtransclose", [Value::Set(pairs), Value::Set(over)]) => self.closure(pairs, over, span)?,
            ("member", [value, Value::Set(set)]) => return Ok(Some(Value::Bool(set.contains(value)))),
            ("card", [Value::Set(set)]) => return Ok(Some(Value::Int(self.list(set, span)?.len() as i64))),
            ("empty", [Value::Set(set)]) => {
                let known = sets::is_empty(set).or_else(|| sets::listed(set, MAX_LISTED).map(|v| v.is_empty()));
                return match known {
                    Some(empty) => Ok(Some(Value::Bool(empty))),
                    None => error(span, "whether this infinite set is empty cannot be told"),
                };
            }
            _ => return Ok(None),
        };
        Ok(Some(Value::Set(set)))
    }

    fn intersect_all(&mut self, sets: &Set, span: Span) -> Eval<Set> {
        let sets = self.list(sets, span)?;
        let Some((Value::Set(first), rest)) = sets.split_first() else {
            return error(span, "Inter needs at least one set");
        };
        rest.iter().try_fold(first.clone(), |all, set| match set {
            Value::Set(s) => Ok(sets::intersection(&all, s)),
            _ => Ok(all),
        })
    }

    /// All subsets: listed while there are few, described when there are many.
    fn powerset(&mut self, of: &Set) -> Set {
        described(Set::Subsets(Rc::new(of.clone())))
    }

    fn pairs(&mut self, set: &Set, span: Span) -> Eval<Vec<(Value, Value)>> {
        let items = self.list(set, span)?;
        let mut out = Vec::new();
        for item in items.iter() {
            match item {
                Value::Tuple(t) if t.len() == 2 => out.push((t[0].clone(), t[1].clone())),
                other => return error(span, format!("expected a pair, found {}", self.show(other))),
            }
        }
        Ok(out)
    }

    /// The pairs of a class's representative and another member of it, under the symmetric and transitive closure of a
    /// relation. The representative is the least of the class.
    fn closure(&mut self, pairs: &Set, over: &Set, span: Span) -> Eval<Set> {
        let pairs = self.pairs(pairs, span)?;
        let items = self.list(over, span)?;
        let mut class: std::collections::BTreeMap<Value, Value> =
            items.iter().map(|v| (v.clone(), v.clone())).collect();
        let mut changed = true;
        while changed {
            changed = false;
            for (a, b) in &pairs {
                let (x, y) = (class.get(a).unwrap_or(a).clone(), class.get(b).unwrap_or(b).clone());
                let low = x.clone().min(y.clone());
                for key in [a, b] {
                    changed |= class.insert(key.clone(), low.clone()).as_ref() != Some(&low);
                }
            }
        }
        let told = |v: &Value| class.get(v).filter(|c| *c != v).map(|c| pair(c.clone(), v.clone()));
        Ok(Set::of(items.iter().filter_map(told).collect()))
    }

    fn sequence_function(&mut self, name: &str, args: &[Value], span: Span) -> Eval<Option<Value>> {
        Ok(Some(match (name, args) {
            ("head" | "tail", [Value::Seq(seq)]) => match self.uncons(seq, span)? {
                Some((head, tail)) => {
                    if name == "head" {
                        head
                    } else {
                        Value::Seq(tail)
                    }
                }
                None => return error_hint(span, format!("{name} of the empty sequence"), "test it with null first"),
            },
            ("null", [Value::Seq(seq)]) => Value::Bool(self.uncons(seq, span)?.is_none()),
            ("length", [seq]) => Value::Int(self.elements(seq, span)?.len() as i64),
            ("concat", [seq]) => {
                let mut out = Vec::new();
                for part in self.elements(seq, span)? {
                    out.extend(self.elements(&part, span)?);
                }
                Seq::of(out)
            }
            ("elem", [value, seq]) => Value::Bool(self.elements(seq, span)?.contains(value)),
            ("seq", [Value::Set(set)]) => Seq::of(self.list(set, span)?.to_vec()),
            ("show", [value]) => Seq::of(self.show(value).chars().map(Value::Char).collect()),
            ("error", [message]) => {
                let text = self.show(message);
                return error(span, format!("the script calls error({text})"));
            }
            _ => return Ok(None),
        }))
    }

    fn map_function(&mut self, name: &str, args: &[Value], span: Span) -> Eval<Option<Value>> {
        let result = match (name, args) {
            ("mapLookup", [Value::Map(map), key]) => match map.get(key) {
                Some(value) => value.clone(),
                None => {
                    let key = self.show(key);
                    return error_hint(span, format!("the map has no key {key}"), "test it with mapMember first");
                }
            },
            ("mapMember", [Value::Map(map), key]) => Value::Bool(map.contains_key(key)),
            ("mapToList", [Value::Map(map)]) => Seq::of(map.iter().map(|(k, v)| pair(k.clone(), v.clone())).collect()),
            ("mapFromList", [seq]) => self.extended(Rc::default(), seq, span)?,
            ("mapUpdateMultiple", [Value::Map(map), seq]) => self.extended(map.clone(), seq, span)?,
            ("mapUpdate", [Value::Map(map), key, value]) => {
                let mut map = map.clone();
                Rc::make_mut(&mut map).insert(key.clone(), value.clone());
                Value::Map(map)
            }
            ("mapDelete", [Value::Map(map), key]) => {
                let mut map = map.clone();
                Rc::make_mut(&mut map).remove(key);
                Value::Map(map)
            }
            _ => return Ok(None),
        };
        Ok(Some(result))
    }

    fn extended(
        &mut self,
        mut map: Rc<std::collections::BTreeMap<Value, Value>>,
        seq: &Value,
        span: Span,
    ) -> Eval<Value> {
        for item in self.elements(seq, span)? {
            if let Value::Tuple(t) = item {
                Rc::make_mut(&mut map).insert(t[0].clone(), t[1].clone());
            }
        }
        Ok(Value::Map(map))
    }

    fn process_function(&mut self, name: &str, args: &[Value], span: Span) -> Eval<Value> {
        let term = match (name, args) {
            ("CHAOS" | "RUN", [set]) => {
                let set = self.event_set_of(set, span)?;
                let set = self.terms.add_set(set);
                if name == "RUN" { Term::Run(set) } else { Term::Chaos(set) }
            }
            ("chase" | "chase_nocache", [Value::Proc(p)]) => Term::Chase(*p),
            ("deter", [Value::Proc(p)]) => Term::Determined(*p),
            ("prioritise" | "prioritise_nocache", [Value::Proc(p), order]) => {
                Term::Prioritise(*p, Rc::new(self.levels(order, span)?))
            }
            ("prioritisepo", [Value::Proc(p), events, order, top]) => {
                Term::Prioritise(*p, Rc::new(self.partial_order(events, order, top, span)?))
            }
            ("timed_priority", [Value::Proc(p)]) => {
                let tock = Value::Data(self.symbols.intern("tock"), Rc::new([]));
                let held = (self.event(&tock, span)?, vec![TAU, TICK]);
                Term::Prioritise(*p, Rc::new(Priorities { below: vec![held] }))
            }
            ("failure_watchdog" | "trace_watchdog", [Value::Proc(p), events, bark]) => {
                self.watchdog(*p, events, bark, name == "failure_watchdog", span)?
            }
            (_, [Value::Proc(p)]) => match compression(name) {
                Some(kind) => Term::Compress(kind, *p),
                None => return error(span, format!("{name} is not supported")),
            },
            _ => {
                let shown: Vec<_> = args.iter().map(|a| self.show(a)).collect();
                return error(span, format!("{name} cannot be applied to ({})", shown.join(", ")));
            }
        };
        Ok(Value::Proc(self.terms.add(term)))
    }

    /// The watchdog of a specification, written out as a machine.
    fn watchdog(&mut self, spec: TermId, events: &Value, bark: &Value, failures: bool, span: Span) -> Eval<Term> {
        let mut events = self.event_set_of(events, span)?.events;
        events.sort();
        let bark = self.event(bark, span)?;
        let lts = self.explicate(spec)?;
        let unseen = |e: &Event| *e != TAU && *e != TICK && events.binary_search(e).is_err();
        if let Some(unseen) = lts.alphabet().into_iter().find(unseen) {
            let message =
                format!("the watched process does {}, which is not among the events", self.events.name(unseen));
            return error_hint(span, message, "add the event to the set, or hide it in the process");
        }
        if events.binary_search(&bark).is_ok() {
            return error_hint(span, "the watchdog's own event is among those it watches", "take it out of the set");
        }
        let watched = Watched { lts: &lts, events: &events, bark, failures };
        self.machines.push(Rc::new(watchdog(&watched, &self.meter)?));
        Ok(Term::Machine(self.machines.len() as u32 - 1, 0))
    }

    /// The priority order of a sequence of sets: events of a later set yield to those of earlier ones, and all but the
    /// first set yield to τ and ✓.
    fn levels(&mut self, order: &Value, span: Span) -> Eval<Priorities> {
        let levels = self.elements(order, span)?;
        if levels.is_empty() {
            return error_hint(span, "prioritise needs at least one set", "write prioritise(P, <A, B>)");
        }
        let mut above = vec![TAU, TICK];
        let mut below = Vec::new();
        for (rank, level) in levels.iter().enumerate() {
            let events = self.event_set_of(level, span)?.events;
            if rank > 0 {
                below.extend(events.iter().map(|&e| (e, above.clone())));
            }
            above.extend(events);
        }
        Ok(Priorities { below })
    }

    fn partial_order(&mut self, events: &Value, order: &Value, top: &Value, span: Span) -> Eval<Priorities> {
        let all = self.event_set_of(events, span)?.events;
        let urgent = self.event_set_of(top, span)?.events;
        let Value::Set(order) = order else { return error(span, "expected a set of pairs of events") };
        let mut pairs: Vec<(Event, Event)> = Vec::new();
        for (a, b) in self.pairs(order, span)? {
            pairs.push((self.event(&a, span)?, self.event(&b, span)?));
        }
        if let Some(&(event, _)) = pairs.iter().find(|(high, _)| above(*high, &pairs).contains(high)) {
            let name = self.events.name(event).to_owned();
            return error_hint(
                span,
                format!("the order is cyclic: {name} is more urgent than itself"),
                "leave out a pair",
            );
        }
        let silent = [TAU, TICK];
        let held = |e: Event| {
            let mut over = above(e, &pairs);
            if !urgent.contains(&e) {
                over.extend(silent);
            }
            (e, over)
        };
        Ok(Priorities { below: all.into_iter().map(held).collect() })
    }

    /// A process known already, as a continuation.
    pub(super) fn prefix_term(&mut self, event: Event, next: Next) -> TermId {
        self.terms.add(Term::Prefix(vec![(event, next)]))
    }
}

/// The events that are more urgent than one, by pairs of a more and a less urgent one.
fn above(event: Event, pairs: &[(Event, Event)]) -> Vec<Event> {
    let mut over: Vec<Event> = Vec::new();
    let mut todo = vec![event];
    while let Some(next) = todo.pop() {
        for &(high, low) in pairs {
            if low == next && !over.contains(&high) {
                over.push(high);
                todo.push(high);
            }
        }
    }
    over
}

fn pair(a: Value, b: Value) -> Value {
    Value::Tuple(Rc::new([a, b]))
}

/// Sets with fewer elements are listed at once.
const FEW: usize = 1 << 16;

/// A set by its elements if it has few, and otherwise as it is described.
fn described(set: Set) -> Set {
    sets::listed(&set, FEW).map_or(set, Set::of)
}

fn unite(all: &[Value]) -> Set {
    let sets = all.iter().filter_map(|v| if let Value::Set(s) = v { Some(s) } else { None });
    let (mut listed, mut others) = (Vec::new(), None::<Set>);
    for set in sets {
        match set {
            Set::Finite(values) => listed.extend(values.iter().cloned()),
            other => others = Some(others.map_or_else(|| other.clone(), |so_far| sets::union(&so_far, other))),
        }
    }
    let listed = Set::of(listed);
    others.map_or_else(|| listed.clone(), |others| sets::union(&others, &listed))
}

fn compression(name: &str) -> Option<Compression> {
    Some(match name {
        "explicate" | "lazyenumerate" => Compression::Explicate,
        "sbisim" | "model_compress" => Compression::Strong,
        "wbisim" => Compression::Weak,
        "dbisim" => Compression::Delay,
        "diamond" => Compression::Diamond,
        "normal" | "lazynorm" => Compression::Normal,
        "tau_loop_factor" => Compression::TauLoops,
        _ => return None,
    })
}
