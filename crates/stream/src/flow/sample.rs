//! `on(trigger, signal)`, by far the most frequent macro, is one step: the current value of a stream at the events of
//! another.
//!
//! It is defined as the event of `merge(x, last(x, t))` at an event of `t`, three streams of which two have events whenever
//! `x` has one. Where nothing else looks at these two, they need not exist.
use super::plan::{Arg, Plan, Step};

/// Replaces the three steps by one, wherever they are found.
pub fn find(plan: &mut Plan) {
    let looked_at = looked_at(plan);
    for node in 0..plan.steps.len() as u32 {
        let Some(Found { trigger, source, merge, last }) = sample(plan, node, &looked_at) else { continue };
        plan.steps[node as usize] = Step::Sample { trigger, source };
        for gone in [merge, last] {
            plan.steps[gone as usize] = Step::Source;
        }
        for (at, readers) in plan.readers.iter_mut().enumerate() {
            let mut kept: Vec<u32> = readers.iter().copied().filter(|reader| ![merge, last].contains(reader)).collect();
            if at as u32 == source && !kept.contains(&node) {
                kept.push(node);
            }
            *readers = kept.into();
        }
        plan.readers[merge as usize] = Box::new([]);
    }
    find_only_sampled(plan);
}

/// Inputs that nobody but these steps looks at.
fn find_only_sampled(plan: &mut Plan) {
    let looked_at = looked_at(plan);
    let samples = |reader: &u32, node: u32| match plan.steps[*reader as usize] {
        Step::Sample { trigger, source } => source == node && trigger != node,
        _ => false,
    };
    let only_sampled = |node: &Option<u32>| {
        node.is_some_and(|node| {
            let readers = &plan.readers[node as usize];
            looked_at[node as usize] as usize == readers.len() && readers.iter().all(|reader| samples(reader, node))
        })
    };
    plan.only_sampled = plan.input_nodes.iter().map(only_sampled).collect();
}

/// The streams that a sample is made of.
struct Found {
    trigger: u32,
    source: u32,
    merge: u32,
    last: u32,
}

fn sample(plan: &Plan, node: u32, looked_at: &[u32]) -> Option<Found> {
    let Step::On(trigger, Arg { node: merge, .. }) = plan.steps[node as usize] else { return None };
    let Step::Merge(args) = &plan.steps[merge as usize] else { return None };
    let [Arg { node: source, take: false }, Arg { node: last, .. }] = **args else { return None };
    let Step::Last(Arg { node: value, take: false }, waker) = plan.steps[last as usize] else { return None };
    let alone = [merge, last].iter().all(|inner| looked_at[*inner as usize] == 1);
    // Somebody who takes the past value away leaves nothing to look at.
    let taken = |step: &Step| matches!(step, Step::Last(arg, _) if arg.node == source && arg.take);
    let fits = value == source && waker == trigger && alone && !plan.steps.iter().any(taken);
    fits.then_some(Found { trigger, source, merge, last })
}

/// For every stream, how many steps and outputs look at it, now or for its past.
pub fn looked_at(plan: &Plan) -> Vec<u32> {
    let mut counts: Vec<u32> = plan.readers.iter().map(|readers| readers.len() as u32).collect();
    for step in &plan.steps {
        if let Step::Last(value, _) = step {
            counts[value.node as usize] += 1;
        }
    }
    let delays = plan.delays.iter().flat_map(|delay| [delay.amount, delay.reset]);
    let outputs = plan.outputs.iter().map(|output| output.node);
    delays.chain(outputs).for_each(|node| counts[node as usize] += 1);
    counts
}
