//! `last(v, t)` as an argument of a function that is applied at the events of `t` need not be a stream: the function looks
//! at the value of `v` where it is, instead of at a copy.
//!
//! The step of such a `last` stays. It is taken when an event is in doubt, when a value has failed, or when `v` has an event
//! at the same time, so that the answer is then found by the definition.
use super::plan::{Arg, Events, Past, Pasts, Plan, Step};
use super::sample::looked_at;

/// Finds these functions and arguments.
pub fn find(plan: &mut Plan) {
    let looked_at = looked_at(plan);
    for node in 0..plan.steps.len() as u32 {
        let Some(pasts) = pasts(plan, node, &looked_at) else { continue };
        pasts.all.iter().for_each(|past| plan.looked_through[past.node as usize] = true);
        // The trigger may have been looked at only for the sake of `last`.
        let readers = &mut plan.readers[pasts.trigger as usize];
        if !readers.contains(&node) {
            *readers = readers.iter().copied().chain([node]).collect();
        }
        if let Step::Events(events) = &mut plan.steps[node as usize] {
            events.pasts = Some(pasts);
        }
    }
}

fn pasts(plan: &Plan, node: u32, looked_at: &[u32]) -> Option<Pasts> {
    let Step::Events(Events { lift, required, .. }) = &plan.steps[node as usize] else { return None };
    let found: Vec<(u32, Past)> =
        lift.args.iter().filter_map(|arg| past(plan, node, *arg, required, looked_at)).collect();
    let (trigger, _) = *found.first()?;
    let all: Box<[Past]> = found.iter().filter(|(other, _)| *other == trigger).map(|(_, past)| *past).collect();
    // The function answers `None` where the trigger has no event, and needs nothing else.
    let asks = required.contains(&trigger) || all.iter().any(|past| past.required);
    let only = |source: &u32| *source == trigger || all.iter().any(|past| past.node == *source);
    (asks && required.iter().all(only)).then_some(Pasts { trigger, all })
}

/// An argument that is the past of a stream, and its trigger, if nothing but the function looks at it and the past is still
/// there when the function is applied.
fn past(plan: &Plan, node: u32, arg: Arg, required: &[u32], looked_at: &[u32]) -> Option<(u32, Past)> {
    let Step::Last(Arg { node: value, take: false }, trigger) = plan.steps[arg.node as usize] else { return None };
    let taken = |(at, step): (usize, &Step)| {
        at < node as usize && matches!(step, Step::Last(other, _) if other.node == value && other.take)
    };
    let fits = looked_at[arg.node as usize] == 1 && !plan.steps.iter().enumerate().any(taken);
    fits.then(|| (trigger, Past { node: arg.node, value, required: required.contains(&arg.node) }))
}
