//! The text form: one event a line, in the order in which they were recorded. `docs/symbolic.md` describes it.

mod build;
mod line;
mod parse;
mod print;
mod scope;
mod std_form;
#[cfg(test)]
mod tests;
mod tree;

pub use parse::{ParseError, parse};
pub use print::print;
pub use std_form::parse_std;

/// Names of events, with what is written after them; [`parse`] and [`print`] share them.
mod names {
    use crate::event::Action;
    use crate::ids::ObjectId;

    /// Events that name one object.
    pub fn of_object(name: &str) -> Option<fn(ObjectId) -> Action> {
        Some(match name {
            "lock" => Action::Lock,
            "rdlock" => Action::ReadLock,
            "unlock" => Action::Unlock,
            "sem_wait" => Action::SemWait,
            "sem_post" => Action::SemPost,
            "signal" => Action::Signal,
            "broadcast" => Action::Broadcast,
            "barrier_enter" => Action::BarrierEnter,
            "barrier_exit" => Action::BarrierExit,
            _ => return None,
        })
    }

    /// The name and the object of such an event.
    pub fn object(action: Action) -> Option<(&'static str, ObjectId)> {
        Some(match action {
            Action::Lock(id) => ("lock", id),
            Action::ReadLock(id) => ("rdlock", id),
            Action::Unlock(id) => ("unlock", id),
            Action::SemWait(id) => ("sem_wait", id),
            Action::SemPost(id) => ("sem_post", id),
            Action::Signal(id) => ("signal", id),
            Action::Broadcast(id) => ("broadcast", id),
            Action::BarrierEnter(id) => ("barrier_enter", id),
            Action::BarrierExit(id) => ("barrier_exit", id),
            _ => return None,
        })
    }

    /// Names of binary operations; the second part says that operands are swapped.
    pub fn binary(name: &str) -> Option<(crate::Binary, bool)> {
        use crate::Binary as B;
        let plain = OPERATIONS.iter().find(|(_, known)| *known == name).map(|(op, _)| (*op, false));
        plain.or(match name {
            "ugt" => Some((B::Ult, true)),
            "uge" => Some((B::Ule, true)),
            "sgt" => Some((B::Slt, true)),
            "sge" => Some((B::Sle, true)),
            _ => None,
        })
    }

    /// The name of an operation.
    pub fn of_binary(op: crate::Binary) -> &'static str {
        OPERATIONS.iter().find(|(known, _)| *known == op).map_or("?", |(_, name)| name)
    }

    const OPERATIONS: [(crate::Binary, &str); 19] = {
        use crate::Binary as B;
        [
            (B::Add, "add"),
            (B::Sub, "sub"),
            (B::Mul, "mul"),
            (B::Udiv, "udiv"),
            (B::Sdiv, "sdiv"),
            (B::Urem, "urem"),
            (B::Srem, "srem"),
            (B::Shl, "shl"),
            (B::Lshr, "lshr"),
            (B::Ashr, "ashr"),
            (B::And, "and"),
            (B::Or, "or"),
            (B::Xor, "xor"),
            (B::Eq, "eq"),
            (B::Ne, "ne"),
            (B::Ult, "ult"),
            (B::Ule, "ule"),
            (B::Slt, "slt"),
            (B::Sle, "sle"),
        ]
    };
}
