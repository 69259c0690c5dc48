//! Windows: a long trace searched piece by piece (thesis 4.7.3).
//!
//! A window begins at a cut of the recorded run: everything before it has happened as recorded, and every object is in
//! the resulting state. It ends at another cut, which no thread passes. Errors that need a reordering across its border
//! are missed, and the report says that windows were used.

use foretrace_trace::Trace;

use crate::model::{Program, State};
use crate::search::Query;

/// One window.
#[derive(Clone, Debug)]
pub(crate) struct Window {
    pub(crate) start: State,
    pub(crate) caps: Vec<u32>,
}

/// The windows of a trace, in order.
#[derive(Clone, Debug)]
pub(crate) struct Windows {
    list: Vec<Window>,
}

impl Windows {
    /// Windows of this many operations each.
    pub(crate) fn new(trace: &Trace, program: &Program, size: u32) -> Self {
        let mut list = Vec::new();
        let mut state = program.initial();
        let mut start = state.clone();
        let mut steps = 0;
        for id in trace.observed() {
            let thread = id.thread.index();
            let is_op = program.event_at(thread, state.cut[thread]) == Some(id.index);
            if is_op {
                program.step(&mut state, thread);
                steps += 1;
            }
            if steps == size.max(1) {
                list.push(Window { start: std::mem::replace(&mut start, state.clone()), caps: state.cut.clone() });
                steps = 0;
            }
        }
        list.push(Window { start, caps: state.cut });
        Self { list }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Window> + '_ {
        self.list.iter()
    }

    /// The first window in which all threads are at these positions, if there is one.
    pub(crate) fn around(&self, places: &[(usize, u32)]) -> Option<&Window> {
        let within = |window: &&Window| {
            places.iter().all(|&(t, position)| window.start.cut[t] <= position && position <= window.caps[t])
        };
        self.list.iter().find(within)
    }
}

impl Window {
    /// A query within the window.
    pub(crate) fn narrow(&self, query: &mut Query) {
        query.start = self.start.clone();
        query.caps.iter_mut().zip(&self.caps).for_each(|(cap, end)| *cap = (*cap).min(*end));
    }
}
