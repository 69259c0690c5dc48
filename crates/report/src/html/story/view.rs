//! Which steps of a picture are shown, and where.

use crate::model::{Bar, Link, Picture};

/// What stands in a row.
pub(super) enum Row {
    /// The step with this number.
    Step(usize),
    /// So many steps are not shown.
    Gap(usize),
}

/// Rows and columns.
pub(super) struct View {
    pub(super) rows: Vec<Row>,
    /// The threads that have a column, in order.
    pub(super) columns: Vec<usize>,
    /// The row of each step.
    row_of: Vec<Option<usize>>,
}

impl View {
    /// Of all steps, or of those that matter.
    pub(super) fn new(picture: &Picture, folded: bool) -> Self {
        let mut view = Self { rows: Vec::new(), columns: Vec::new(), row_of: vec![None; picture.steps.len()] };
        let mut hidden = 0;
        for (number, drawn) in picture.steps.iter().enumerate() {
            if folded && !drawn.matters {
                hidden += 1;
                continue;
            }
            view.skip(&mut hidden);
            view.row_of[number] = Some(view.rows.len());
            view.rows.push(Row::Step(number));
            view.columns.push(drawn.step.thread);
        }
        view.skip(&mut hidden);
        view.columns.sort_unstable();
        view.columns.dedup();
        view
    }

    fn skip(&mut self, hidden: &mut usize) {
        if *hidden > 0 {
            self.rows.push(Row::Gap(std::mem::take(hidden)));
        }
    }

    /// The column of a thread.
    pub(super) fn column(&self, thread: usize) -> usize {
        self.columns.binary_search(&thread).unwrap_or(0)
    }

    /// The links both of whose ends are shown, with their rows.
    pub(super) fn links<'a>(&'a self, picture: &'a Picture) -> impl Iterator<Item = (Link, usize, usize)> + 'a {
        picture.links.iter().filter_map(|link| Some((*link, self.row_of[link.from]?, self.row_of[link.to]?)))
    }

    /// The bars of threads that are shown, with their first and last row. What begins or ends between two rows begins and
    /// ends with the nearest within.
    pub(super) fn bars<'a>(&'a self, picture: &'a Picture) -> impl Iterator<Item = (&'a Bar, usize, usize)> + 'a {
        picture.bars.iter().filter_map(|bar| {
            let last = bar.to.unwrap_or(self.row_of.len().saturating_sub(1));
            let from = (bar.from..=last).find_map(|step| self.row_of[step])?;
            let to = (bar.from..=last).rev().find_map(|step| self.row_of[step])?;
            let to = if bar.to.is_none() { self.rows.len().saturating_sub(1) } else { to };
            (self.columns.binary_search(&bar.thread).is_ok() && from < to).then_some((bar, from, to))
        })
    }
}
