//! The automaton of a template in its author's words, for people.

use crate::template::{Arg, By, EventPattern, StateId, Target, Template};

/// What the state is called in which the property is violated.
pub const VIOLATED: &str = "violated";

impl Template {
    /// The names of all states; the last one is the violated one.
    pub fn all_states(&self) -> Vec<Box<str>> {
        self.states.iter().cloned().chain([VIOLATED.into()]).collect()
    }

    /// From a state to a state, on these events.
    pub fn edges_in_words(&self) -> Vec<(StateId, StateId, String)> {
        let violated = self.states.len();
        let mut edges: Vec<(StateId, StateId, String)> = Vec::new();
        for edge in &self.edges {
            let to = if let Target::State(to) = edge.to { to } else { violated };
            let on = self.words(&self.patterns[edge.pattern]);
            match edges.iter_mut().find(|(from, other, _)| (*from, *other) == (edge.from, to)) {
                Some((.., known)) => *known = format!("{known} or {on}"),
                None => edges.push((edge.from, to, on)),
            }
        }
        if self.strict {
            edges.extend((0..violated).map(|from| (from, violated, "any other of these events".to_owned())));
        }
        edges.sort_by_key(|(from, ..)| *from);
        edges
    }

    /// `use(x, _)@!t`
    fn words(&self, pattern: &EventPattern) -> String {
        let arg = |arg: &Arg| match arg {
            Arg::Any => "_".to_owned(),
            Arg::Var(var) => self.vars[*var].to_string(),
            Arg::Is(datum) => datum.to_string(),
        };
        let mut words = pattern.name.as_deref().unwrap_or("any event").to_owned();
        if let Some(args) = &pattern.args {
            let more = pattern.open.then(|| "..".to_owned());
            let args: Vec<String> = args.iter().map(arg).chain(more).collect();
            words += &format!("({})", args.join(", "));
        }
        // The names of variables for threads begin with `@`.
        match pattern.by {
            By::Any => words,
            By::Thread(var) => words + &self.vars[var],
            By::Other(var) => words + "@!" + self.vars[var].trim_start_matches('@'),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Properties;

    #[test]
    fn an_automaton_is_told_in_the_words_of_its_author() {
        let properties: Properties = "never use(x, _)@!t or look(x, ..) after free(x)@t".parse().expect("a property");
        let template = &properties.templates()[0];
        let edges = template.edges_in_words();
        let states = template.all_states();
        let told: Vec<String> =
            edges.iter().map(|(from, to, on)| format!("{} -{on}-> {}", states[*from], states[*to])).collect();
        assert!(told.iter().any(|edge| edge.contains("-free(x)@t->")), "{told:?}");
        assert!(told.iter().any(|edge| edge.contains("-use(x, _)@!t or look(x, ..)-> violated")), "{told:?}");
        let strict: Properties = "p: states { a: go -> b\n b: stop -> a }".parse().expect("a property");
        let edges = strict.templates()[0].edges_in_words();
        let other = "any other of these events".to_owned();
        assert_eq!(
            edges,
            [(0, 1, "go".into()), (0, 2, other.clone()), (1, 0, "stop".into()), (1, 2, other)].to_vec(),
            "{edges:?}"
        );
    }
}
