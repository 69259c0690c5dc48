//! Runs properties along one run, and says where they are violated.

use crate::datum::{Datum, Letter};
use crate::instance::{Instance, TooMany, instances};
use crate::template::Template;

/// A violation in a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The step of the run that violates the property, as an index into the run.
    pub step: usize,
    /// The name of the property.
    pub property: Box<str>,
    /// The property in its author's words.
    pub says: Box<str>,
    /// The variables and their values.
    pub binding: Vec<(Box<str>, Datum)>,
    /// The state before the step.
    pub state: Box<str>,
    /// The steps before it that changed the state of this instance since it last was in its initial state.
    pub because: Vec<usize>,
    /// The state after each step that changed it, up to this one; of the last changes only, and of the first violations.
    pub path: Vec<(usize, u32)>,
}

/// So many changes of the state are kept,
const CHANGES: usize = 256;
/// of so many violations.
const PATHS: usize = 64;

/// Runs the instances of a template along a run, which is a sequence of letters given by their numbers. Reports the first
/// violation of each instance, in the order of the run.
///
/// # Errors
/// If the template has more instances than the limit.
pub fn violations(
    template: &Template,
    letters: &[Letter],
    run: &[u32],
    most: usize,
) -> Result<Vec<Violation>, TooMany> {
    let instances = instances(template, letters, most)?;
    let mut uses: Vec<Vec<(u32, u32)>> = vec![Vec::new(); letters.len()];
    for (number, instance) in instances.iter().enumerate() {
        for (local, letter) in instance.letters.iter().enumerate() {
            uses[*letter as usize].push((number as u32, local as u32));
        }
    }
    let mut states: Vec<(u32, Vec<usize>)> = vec![(0, Vec::new()); instances.len()];
    let mut found = Vec::new();
    for (step, letter) in run.iter().enumerate() {
        for &(number, local) in &uses[*letter as usize] {
            let instance = &instances[number as usize];
            let (state, because) = &mut states[number as usize];
            let after = instance.automaton.next(*state, local as usize);
            if after == instance.automaton.violated() && *state != after {
                let path = if found.len() < PATHS { path(instance, &run[..=step]) } else { Vec::new() };
                found.push(violation(template, instance, step, (*state, because), path));
            }
            match after {
                _ if after == *state => {}
                0 => because.clear(),
                _ => because.push(step),
            }
            *state = after;
        }
    }
    Ok(found)
}

/// The state after each step of a run that changes it.
fn path(instance: &Instance, run: &[u32]) -> Vec<(usize, u32)> {
    let (mut state, mut path) = (0, Vec::new());
    for (step, letter) in run.iter().enumerate() {
        let Ok(local) = instance.letters.binary_search(letter) else { continue };
        let after = instance.automaton.next(state, local);
        if after != state {
            path.push((step, after));
        }
        state = after;
    }
    path.split_off(path.len().saturating_sub(CHANGES))
}

fn violation(
    template: &Template,
    instance: &Instance,
    step: usize,
    (state, because): (u32, &[usize]),
    path: Vec<(usize, u32)>,
) -> Violation {
    Violation {
        step,
        property: template.name.clone(),
        says: template.says.clone(),
        binding: binding(template, instance),
        state: template.states[state as usize].clone(),
        because: because.to_vec(),
        path,
    }
}

/// The variables of an instance with their values.
pub fn binding(template: &Template, instance: &Instance) -> Vec<(Box<str>, Datum)> {
    template.vars.iter().cloned().zip(instance.values.iter().cloned()).collect()
}
