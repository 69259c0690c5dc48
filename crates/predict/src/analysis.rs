//! Data that all checks of one trace share.

use std::sync::{Arc, OnceLock};

use foretrace_causality::{Keep, MustOrder, Order, Sections, WeakOrder};
use foretrace_event::EventId;
use foretrace_trace::Trace;

use crate::accesses::{Touched, collect};
use crate::model::{Program, Rules};
use crate::options::{Detail, Options};
use crate::search::{Mode, Query, Uses};
use crate::window::Windows;

/// A program with the data that its search needs.
#[derive(Debug)]
pub(crate) struct Searchable {
    pub(crate) program: Program,
    uses: OnceLock<Uses>,
}

impl Searchable {
    pub(crate) fn new(trace: &Trace, rules: &Rules) -> Self {
        Self { program: Program::new(trace, rules), uses: OnceLock::new() }
    }

    /// The remaining operations of its threads, which only a search needs.
    pub(crate) fn uses(&self) -> &Uses {
        self.uses.get_or_init(|| Uses::new(&self.program))
    }

    /// Where an event can be performed: its thread and position.
    pub(crate) fn place(&self, id: EventId) -> (usize, u32) {
        (id.thread.index(), self.program.position(id.thread.index(), id.index))
    }

    /// The question whether these events can be next at once.
    pub(crate) fn goal(&self, events: &[EventId], partial_order: bool) -> Query {
        let goal = events.iter().map(|&id| self.place(id)).collect();
        let mut query = Query::goal(&self.program, goal);
        if !partial_order {
            query.mode = match query.mode {
                Mode::Goal(goal) => Mode::GoalInAll(goal),
                mode => mode,
            };
        }
        query
    }
}

/// Data that all checks of one trace share. Each part is computed once, on demand.
#[derive(Debug)]
pub(crate) struct Analysis<'a> {
    pub(crate) trace: &'a Trace,
    pub(crate) options: &'a Options,
    pub(crate) must: MustOrder,
    weak: OnceLock<WeakOrder>,
    all_sections: OnceLock<Arc<Sections>>,
    must_order: OnceLock<Order<'a>>,
    sections: OnceLock<Order<'a>>,
    segments: OnceLock<Order<'a>>,
    updates: OnceLock<Order<'a>>,
    free: OnceLock<Searchable>,
    pinned: OnceLock<Searchable>,
    windows: OnceLock<Windows>,
    by_place: OnceLock<Vec<Touched>>,
}

impl<'a> Analysis<'a> {
    pub(crate) fn new(trace: &'a Trace, options: &'a Options) -> Self {
        let must = MustOrder::new(trace, false);
        let (weak, all_sections, must_order, sections, segments, free, pinned, windows) = Default::default();
        let (updates, by_place) = Default::default();
        Self {
            trace,
            options,
            must,
            weak,
            all_sections,
            must_order,
            sections,
            segments,
            updates,
            free,
            pinned,
            windows,
            by_place,
        }
    }

    pub(crate) fn weak(&self) -> &WeakOrder {
        self.weak.get_or_init(|| WeakOrder::new(self.trace, &self.must))
    }

    fn order(&self, keep: Keep) -> Order<'a> {
        let sections = self.all_sections.get_or_init(|| Arc::new(Sections::new(self.trace, &self.must)));
        Order::sharing(self.trace, keep, sections.clone())
    }

    /// The order that every reordering keeps.
    pub(crate) fn must_order(&self) -> &Order<'a> {
        self.must_order.get_or_init(|| self.order(Keep::Must))
    }

    /// The order that keeps critical sections.
    pub(crate) fn sections(&self) -> &Order<'a> {
        self.sections.get_or_init(|| self.order(Keep::Sections))
    }

    /// The order that keeps conflicting segments.
    pub(crate) fn segments(&self) -> &Order<'a> {
        self.segments.get_or_init(|| self.order(Keep::Segments))
    }

    /// The order that keeps all of this except the order of updates of atomics.
    pub(crate) fn updates(&self) -> &Order<'a> {
        self.updates.get_or_init(|| self.order(Keep::Updates))
    }

    /// Any order that the objects allow.
    pub(crate) fn free(&self) -> &Searchable {
        self.free.get_or_init(|| Searchable::new(self.trace, &Rules::default()))
    }

    /// The same with atomics in their recorded order.
    pub(crate) fn pinned(&self) -> &Searchable {
        self.pinned.get_or_init(|| Searchable::new(self.trace, &Rules { keep_atomics: true, ..Rules::default() }))
    }

    /// All accesses with their places, by interval.
    pub(crate) fn by_place(&self) -> &[Touched] {
        self.by_place.get_or_init(|| collect(self.trace, &self.free().program, Detail::Places).0)
    }

    /// The windows of the free program, if it is searched in windows.
    pub(crate) fn windows(&self) -> Option<&Windows> {
        let size = self.options.window?;
        Some(self.windows.get_or_init(|| Windows::new(self.trace, &self.free().program, size)))
    }
}
