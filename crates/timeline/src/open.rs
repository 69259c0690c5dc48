//! The slices that are open on a thread's track, innermost last.
//!
//! Viewers nest the slices of a track. Critical sections need not nest (`lock a, lock b, unlock a, unlock b`), so if one
//! ends inside another, the inner ones are closed with it and opened again.

/// What a slice is about: the caller's key for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum About {
    Life,
    Lock(foretrace_event::LockId),
    Wait,
    Barrier,
}

/// A slice that has begun.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Slice {
    pub(crate) about: About,
    pub(crate) name: String,
}

/// A begin or an end of a slice, in the order in which a viewer has to read them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Edge {
    Begin(String),
    End,
}

/// The open slices of one thread.
#[derive(Default)]
pub(crate) struct Open(Vec<Slice>);

impl Open {
    pub(crate) fn begin(&mut self, about: About, name: String) -> Edge {
        self.0.push(Slice { about, name: name.clone() });
        Edge::Begin(name)
    }

    /// Closes the innermost slice about this; nothing if none is open.
    pub(crate) fn end(&mut self, about: About) -> Vec<Edge> {
        let Some(index) = self.0.iter().rposition(|slice| slice.about == about) else { return Vec::new() };
        self.0.remove(index);
        let inner = &self.0[index..];
        let closed = std::iter::repeat_n(Edge::End, inner.len() + 1);
        closed.chain(inner.iter().map(|slice| Edge::Begin(slice.name.clone()))).collect()
    }

    /// Closes everything.
    pub(crate) fn end_all(&mut self) -> Vec<Edge> {
        self.0.drain(..).map(|_| Edge::End).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{About, Edge, Open};
    use foretrace_event::LockId;

    #[test]
    fn sections_that_do_not_nest_are_split() {
        let mut open = Open::default();
        open.begin(About::Lock(LockId(0)), "holds a".to_owned());
        open.begin(About::Lock(LockId(1)), "holds b".to_owned());
        assert_eq!(open.end(About::Lock(LockId(0))), [Edge::End, Edge::End, Edge::Begin("holds b".to_owned())]);
        assert_eq!(open.end(About::Lock(LockId(0))), []);
        assert_eq!(open.end_all(), [Edge::End]);
    }
}
