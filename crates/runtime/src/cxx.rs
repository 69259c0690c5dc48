//! What functions of libstdc++ do to the objects they are given, by their mangled names: as much of it as is certain.
//!
//! *What it misses*: what a function does to other parts of an object than those named here; wide strings and streams; the
//! strings of the old ABI.

pub mod calls;

mod containers;
mod futures;
mod notes;
mod streams;
mod strings;

use notes::Note;

/// How a function is known.
enum Name {
    /// By its whole name.
    Is(&'static [u8]),
    /// By how its name begins.
    Begins(&'static [u8]),
}

/// The note for the function of that name.
pub fn note_for(name: &[u8]) -> Option<Note> {
    let is_it = |known: &Name| match known {
        Name::Is(whole) => *whole == name,
        Name::Begins(start) => name.starts_with(start),
    };
    let tables = streams::TABLE.iter().chain(&containers::TABLE).chain(&futures::TABLE);
    let listed = tables.filter(|(known, _)| is_it(known)).map(|(_, note)| *note).next();
    listed.or_else(|| strings::note_for(name))
}
