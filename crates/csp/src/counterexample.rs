//! A counterexample for people: the trace, what went wrong after it, and what each part of the process did.

use crate::machine::event::{Event, Events, TAU};
use crate::machine::product::Product;
use crate::refine::answer::{Failure, FailureKind};
use crate::refine::trace;

/// What one part of the operator tree did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Behaviour {
    pub depth: usize,
    pub label: String,
    pub trace: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterexample {
    /// `trace`, `refusal`, `deadlock`, `divergence`, `nondeterminism`, `unexplained` or `no trace`.
    pub kind: &'static str,
    /// The visible events before the end.
    pub trace: Vec<String>,
    /// All steps, silent ones as τ.
    pub steps: Vec<String>,
    /// The event that is not allowed, or that may be refused.
    pub event: Option<String>,
    /// What is offered where too much is refused.
    pub offered: Vec<String>,
    /// What the specification demands there, one set of events a choice.
    pub demanded: Vec<Vec<String>>,
    /// What the specification allowed before each event of the trace, and at the end.
    pub allowed: Vec<Vec<String>>,
    /// Where in the steps the loop of a divergence begins.
    pub cycle: Option<usize>,
    pub components: Vec<Behaviour>,
}

impl Counterexample {
    /// The behaviour of a product that followed the rules of a failure.
    pub fn of(failure: &Failure, product: &Product, events: &Events) -> Self {
        let root = product.root();
        let done: Vec<Event> = failure.rules.iter().map(|&r| root.rules[r as usize].result).collect();
        let mut out = Counterexample::after(&done, &failure.kind, events);
        let names = |list: &Vec<Event>| list.iter().map(|e| events.name(*e).to_owned()).collect();
        out.allowed = failure.allowed.iter().map(names).collect();
        out.cycle = failure.cycle;
        let rules: Vec<Option<u32>> = failure.rules.iter().map(|&r| Some(r)).collect();
        tell(product, product.root, &rules, 0, events, &mut out.components);
        out
    }

    /// A behaviour known only by its events.
    pub fn after(steps: &[Event], kind: &FailureKind, events: &Events) -> Self {
        let name = |e: &Event| events.name(*e).to_owned();
        let names = |list: &[Event]| list.iter().map(name).collect::<Vec<_>>();
        let mut out = Counterexample {
            kind: "trace",
            trace: names(steps).into_iter().filter(|n| n != events.name(TAU)).collect(),
            steps: names(steps),
            event: None,
            offered: Vec::new(),
            demanded: Vec::new(),
            allowed: Vec::new(),
            cycle: None,
            components: Vec::new(),
        };
        match kind {
            FailureKind::Event(e) => {
                out.event = Some(name(e));
                out.trace.pop();
            }
            FailureKind::Refusal { offered, demanded } => {
                out.kind = "refusal";
                out.offered = names(offered);
                out.demanded = demanded.iter().map(|d| names(d)).collect();
            }
            FailureKind::Deadlock => out.kind = "deadlock",
            FailureKind::Divergence => out.kind = "divergence",
            FailureKind::Nondeterminism(e) => {
                out.kind = "nondeterminism";
                out.event = Some(name(e));
            }
            FailureKind::Unexplained(why) => {
                out.kind = "unexplained";
                out.event = Some(why.clone());
            }
            FailureKind::NoTrace(at) => {
                out.kind = "no trace";
                out.event = out.trace.get(*at).cloned();
                out.trace.truncate(*at);
            }
        }
        out
    }

    /// One sentence on what went wrong.
    pub fn summary(&self) -> String {
        let event = self.event.as_deref().unwrap_or("?");
        let set = |events: &[String]| format!("{{{}}}", events.join(", "));
        match self.kind {
            "trace" => {
                let instead = self.allowed.last().filter(|a| a.len() <= 8);
                let instead = instead.map_or_else(String::new, |a| format!(" (only {})", set(a)));
                format!("then does {event}, which the specification does not allow{instead}")
            }
            "refusal" => {
                let demanded: Vec<_> = self.demanded.iter().map(|d| set(d)).collect();
                let demanded = if demanded.is_empty() { "never stable".into() } else { demanded.join(" or ") };
                format!("then may offer only {}; the specification demands {demanded}", set(&self.offered))
            }
            "deadlock" => "then can do nothing".into(),
            "divergence" => match self.cycle {
                Some(from) => format!(
                    "then may work silently for ever, {} step(s) round and round",
                    self.steps.len().saturating_sub(from)
                ),
                None => "then may work silently for ever".into(),
            },
            "unexplained" => {
                format!("the claim is false, but the behaviour that shows it was not reconstructed: {event}")
            }
            "nondeterminism" => format!("then may accept {event} and may refuse it"),
            _ => format!("then cannot do {event}"),
        }
    }
}

/// Each part's share in a run: the rule of its own that each step used, if it took part.
fn tell(
    product: &Product,
    node: usize,
    rules: &[Option<u32>],
    depth: usize,
    events: &Events,
    out: &mut Vec<Behaviour>,
) {
    let n = &product.nodes[node];
    let name = |r: &Option<u32>| r.map(|r| events.name(n.rules[r as usize].result).to_owned());
    let trace = rules.iter().filter_map(name).collect();
    out.push(Behaviour { depth, label: n.label.clone(), trace });
    if let Some((_, origin)) = product.origins.iter().find(|(of, _)| *of == node) {
        let did = |r: &Option<u32>| r.map(|r| n.rules[r as usize].result).filter(|e| *e != TAU);
        let events_done: Vec<Event> = rules.iter().filter_map(did).collect();
        tell_origin(origin, &events_done, depth + 1, events, out);
    }
    for (i, &child) in n.children.iter().enumerate() {
        let share = |r: &Option<u32>| {
            let from = &n.rules[(*r)? as usize].from;
            from.iter().find(|(c, _)| *c as usize == i).map(|(_, rule)| *rule)
        };
        let inner: Vec<Option<u32>> = rules.iter().map(share).collect();
        tell(product, child, &inner, depth + 1, events, out);
    }
}

/// What the parts of a component did before they were compressed: a run with the same visible events.
fn tell_origin(origin: &Product, done: &[Event], depth: usize, events: &Events, out: &mut Vec<Behaviour>) {
    if let Some(rules) = trace::run(origin, done) {
        let rules: Vec<Option<u32>> = rules.into_iter().map(Some).collect();
        tell(origin, origin.root, &rules, depth, events, out);
    }
}
