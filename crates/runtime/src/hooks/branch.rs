//! What programs that were compiled for pruned exploration say: `foretrace-llvm` puts these calls into them.

use crate::gate::controlled::notes;

exported! {
    /// The table of a module: pointers to its entries.
    fn __foretrace_branches(list: usize, entries: usize) {
        notes::add_table(list, entries);
    }

    /// A side of a branch is taken: the entry says what the others may do.
    fn __foretrace_branch(entry: u64, first: u64, second: u64, third: u64) {
        notes::branch(entry, [first, second, third]);
    }

    /// Sides of branches meet.
    fn __foretrace_join(place: u64) {
        notes::join(place);
    }

    /// What the next access or call is about.
    fn __foretrace_hint(what: u64, from: u64, size: u64) {
        notes::hint(what, from, size);
    }

    /// A function that says what it does is entered.
    fn __foretrace_here() {
        notes::here();
    }
}
