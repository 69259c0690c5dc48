//! From a template to its instances over the letters of a run: one for each choice of values that could matter.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::automaton::Automaton;
use crate::datum::{Datum, Letter};
use crate::template::{EventPattern, Target, Template, Var};

/// A template with values for its variables.
#[derive(Clone, Debug)]
pub struct Instance {
    /// The values of the variables.
    pub values: Vec<Datum>,
    /// The letters of the run that it knows, in order: the automaton's letters are indices into this list.
    pub letters: Vec<u32>,
    /// Which patterns each of these letters fits, in order.
    pub fits: Vec<Vec<usize>>,
    /// When it is violated.
    pub automaton: Automaton,
}

/// More instances than the limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the property has more than {0} instances in this run")]
pub struct TooMany(pub usize);

/// The letters that a pattern fits, by the values that they give to its variables.
type Index = FxHashMap<Vec<Datum>, Vec<u32>>;

/// The instances that could be violated.
///
/// # Errors
/// If there are more than the limit.
pub fn instances(template: &Template, letters: &[Letter], most: usize) -> Result<Vec<Instance>, TooMany> {
    let table = Table::new(template, letters);
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    for pattern in table.violating() {
        for values in table.assignments(pattern, most)? {
            if seen.insert(values.clone()) {
                found.extend(table.instance(values));
            }
            if found.len() > most {
                return Err(TooMany(most));
            }
        }
    }
    found.sort_by(|one, other| one.values.cmp(&other.values));
    Ok(found)
}

struct Table<'a> {
    template: &'a Template,
    letters: &'a [Letter],
    /// For each pattern: its letters by the values of all its variables.
    indices: Vec<Index>,
}

impl<'a> Table<'a> {
    fn new(template: &'a Template, letters: &'a [Letter]) -> Self {
        let indices = template.patterns.iter().map(|pattern| index(pattern, letters, &pattern.vars())).collect();
        Self { template, letters, indices }
    }

    /// The patterns whose events can violate the property.
    fn violating(&self) -> Vec<usize> {
        if self.template.strict {
            return (0..self.template.patterns.len()).collect();
        }
        let bad = self.template.edges.iter().filter(|edge| edge.to == Target::Violated);
        let mut patterns: Vec<usize> = bad.map(|edge| edge.pattern).collect();
        patterns.sort_unstable();
        patterns.dedup();
        patterns
    }

    /// All values of the variables under which this pattern, and a pattern for each variable that it leaves open, fit
    /// some letters.
    fn assignments(&self, pattern: usize, most: usize) -> Result<Vec<Vec<Datum>>, TooMany> {
        let vars = self.template.patterns[pattern].vars();
        let mut keys: Vec<&Vec<Datum>> = self.indices[pattern].keys().collect();
        keys.sort();
        let partial = |key: &Vec<Datum>| {
            let mut values = vec![None; self.template.vars.len()];
            vars.iter().zip(key).for_each(|(var, value)| values[*var] = Some(value.clone()));
            values
        };
        let mut open: Vec<Vec<Option<Datum>>> = keys.into_iter().map(partial).collect();
        let mut bound = vars.clone();
        for var in 0..self.template.vars.len() {
            if !bound.contains(&var) {
                open = self.extended(&open, &bound, var, most)?;
                bound.push(var);
            }
        }
        let whole =
            |values: Vec<Option<Datum>>| values.into_iter().map(|value| value.expect("each variable got a value"));
        Ok(open.into_iter().map(|values| whole(values).collect()).collect())
    }

    /// Each assignment with each value of one more variable that some pattern gives it.
    fn extended(
        &self,
        open: &[Vec<Option<Datum>>],
        bound: &[Var],
        var: Var,
        most: usize,
    ) -> Result<Vec<Vec<Option<Datum>>>, TooMany> {
        let mut extended = Vec::new();
        let binding = self.template.patterns.iter().filter(|pattern| pattern.vars().contains(&var));
        let sources: Vec<(Vec<Var>, Index, &EventPattern)> = binding
            .map(|pattern| {
                let known: Vec<Var> = pattern.vars().into_iter().filter(|other| bound.contains(other)).collect();
                let index = index(pattern, self.letters, &known);
                (known, index, pattern)
            })
            .collect();
        for values in open {
            let mut choices = Vec::new();
            for (known, index, pattern) in &sources {
                let key: Vec<Datum> = known.iter().map(|var| values[*var].clone().expect("it is bound")).collect();
                let letters = index.get(&key).into_iter().flatten().map(|letter| &self.letters[*letter as usize]);
                choices.extend(letters.filter_map(|letter| value_of(pattern, letter, var)));
            }
            choices.sort();
            choices.dedup();
            extended.extend(choices.into_iter().map(|choice| {
                let mut values = values.clone();
                values[var] = Some(choice);
                values
            }));
            if extended.len() > most {
                return Err(TooMany(most));
            }
        }
        Ok(extended)
    }

    /// The instance with these values, if it can be violated by some sequence of the run's letters.
    fn instance(&self, values: Vec<Datum>) -> Option<Instance> {
        let mut fits: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
        for (number, (pattern, index)) in self.template.patterns.iter().zip(&self.indices).enumerate() {
            let key: Vec<Datum> = pattern.vars().into_iter().map(|var| values[var].clone()).collect();
            for letter in index.get(&key).into_iter().flatten() {
                if pattern.allows_thread(&self.letters[*letter as usize], &values) {
                    fits.entry(*letter).or_default().push(number);
                }
            }
        }
        let mut fits: Vec<(u32, Vec<usize>)> = fits.into_iter().collect();
        fits.sort();
        let automaton = automaton(self.template, &fits);
        if !automaton.can_be_violated() {
            return None;
        }
        let (letters, fits) = fits.into_iter().unzip();
        Some(Instance { values, letters, fits, automaton })
    }
}

fn value_of(pattern: &EventPattern, letter: &Letter, var: Var) -> Option<Datum> {
    let bound = pattern.bind(letter)?;
    bound.into_iter().find(|(other, _)| *other == var).map(|(_, value)| value)
}

fn index(pattern: &EventPattern, letters: &[Letter], by: &[Var]) -> Index {
    let mut index = Index::default();
    for (number, letter) in letters.iter().enumerate().filter(|(_, letter)| pattern.fits(letter)) {
        let Some(bound) = pattern.bind(letter) else { continue };
        let key = bound.into_iter().filter(|(var, _)| by.contains(var)).map(|(_, value)| value).collect();
        index.entry(key).or_default().push(number as u32);
    }
    index
}

/// The automaton of a template over letters of which it is known which patterns they fit.
fn automaton(template: &Template, letters: &[(u32, Vec<usize>)]) -> Automaton {
    let states = template.states.len() + 1;
    let violated = states - 1;
    Automaton::new(states, letters.len(), |state, letter| {
        let fits = &letters[letter].1;
        let edge = template.edges.iter().find(|edge| edge.from == state && fits.contains(&edge.pattern));
        match edge.map(|edge| edge.to) {
            Some(Target::State(to)) => to,
            Some(Target::Violated) => violated,
            None if template.strict => violated,
            None => state,
        }
    })
}
