//! What a thread does, in words.

use crate::act::{Act, Fault, Holder, Manner, Operation, Sort, Thing, Touch, Verb, Wait, What};
use crate::model::{Lock, bytes};

/// What a thread does, after its name: `writes 4 bytes`, `` waits for `m`, held by t2 ``.
pub(crate) fn act(act: &Act) -> String {
    match act {
        Act::Touch(access) => touch(access),
        Act::Wait(what) => wait(what),
        Act::Operation(done) => operation(done),
        Act::Unsignalled { then } => {
            format!("returns from the wait without a signal, as it may; then: {}", then.join(", "))
        }
        Act::Die(how) => fault(how),
    }
}

/// The same in a row of the interleaving, where the size of a variable need not be repeated.
pub(crate) fn step(what: &Act) -> String {
    match what {
        Act::Touch(Touch { verb, atomic, name: Some(name), .. }) => {
            format!("{} `{name}`{}", verb_of(*verb), atomically(*atomic))
        }
        other => act(other),
    }
}

/// What stands in ThreadSanitizer's reports: `Write of size 4 at 0x10`.
pub(crate) fn tsan(what: &Act) -> String {
    match what {
        Act::Touch(Touch { verb, atomic, size, address: Some(address), .. }) => {
            let verb = if *verb == Verb::Read { "read" } else { "write" };
            let kind = if *atomic { format!("Atomic {verb}") } else { capital(verb) };
            format!("{kind} of size {size} at {address:#x}")
        }
        Act::Wait(what) => format!("Wait ({})", wait(what)),
        Act::Unsignalled { .. } => "Wait".to_owned(),
        Act::Die(Fault { cause, .. }) => format!("Death ({cause})"),
        other => act(other),
    }
}

fn capital(word: &str) -> String {
    word[..1].to_uppercase() + &word[1..]
}

fn atomically(atomic: bool) -> &'static str {
    if atomic { " atomically" } else { "" }
}

fn verb_of(verb: Verb) -> &'static str {
    match verb {
        Verb::Read => "reads",
        Verb::Write => "writes",
        Verb::Free | Verb::FreeBlock => "frees",
        Verb::Unmap => "unmaps",
    }
}

fn touch(touch: &Touch) -> String {
    let (verb, size, atomically) = (verb_of(touch.verb), bytes(touch.size), atomically(touch.atomic));
    match (touch.verb, &touch.name) {
        (Verb::Unmap, _) => "unmaps the memory".to_owned(),
        (Verb::FreeBlock, _) => "frees the block".to_owned(),
        (Verb::Free, _) => format!("frees {size}"),
        (_, Some(name)) if touch.is_part => format!("{verb} {size}{atomically}, `{name}` among them"),
        (_, Some(name)) => format!("{verb} `{name}` ({size}){atomically}"),
        (_, None) => format!("{verb} {size}{atomically}"),
    }
}

fn wait(wait: &Wait) -> String {
    match wait {
        Wait::Lock { lock, shared, holder } => {
            let waits = if *shared { "waits to read-lock" } else { "waits for" };
            let held = match holder {
                Some(Holder::Itself) => ", which it holds itself".to_owned(),
                Some(Holder::Thread(name)) => format!(", held by {name}"),
                None => String::new(),
            };
            format!("{waits} {}{held}", thing(lock))
        }
        Wait::End { thread } => format!("waits for the end of {}", thread.as_deref().unwrap_or("a thread")),
        Wait::Signal { condition, lost } => {
            let given = if *lost { ", which was given before" } else { "" };
            format!("waits for a signal of {}{given}", thing(condition))
        }
        Wait::Post { semaphore } => format!("waits for a post of {}", thing(semaphore)),
        Wait::Barrier { barrier } => format!("waits for more threads at {}", thing(barrier)),
        Wait::Once { once } => format!("waits for the initialiser of {}", thing(once)),
        Wait::Channel { channel } => format!("waits for {}", thing(channel)),
        Wait::Other { operation } => format!("waits ({operation})"),
    }
}

/// A thing by its name; what it is, if it has none.
pub(crate) fn thing(thing: &Thing) -> String {
    let what = match (&thing.name, thing.sort) {
        (Some(name), Sort::Channel) => return format!("channel {name}"),
        (Some(name), Sort::Event) => return name.clone(),
        (Some(name), _) => return format!("`{name}`"),
        (None, Sort::Lock) if thing.number.is_some() => return format!("lock {}", letter(thing.number.unwrap_or(0))),
        (None, Sort::Lock) => "a lock",
        (None, Sort::Condition) => "a condition variable",
        (None, Sort::Semaphore) => "a semaphore",
        (None, Sort::Barrier) => "a barrier",
        (None, Sort::Once) => "something once",
        (None, Sort::Atomic) => "an atomic variable",
        (None, Sort::Memory) => "memory",
        (None, Sort::Channel) => "a channel",
        (None, Sort::Event) => "an event",
    };
    what.to_owned()
}

fn letter(number: usize) -> String {
    match u8::try_from(number).ok().filter(|number| *number < 26) {
        Some(letter) => char::from(b'A' + letter).to_string(),
        None => number.to_string(),
    }
}

/// A lock that is held.
pub(crate) fn lock(lock: &Lock) -> String {
    format!("{}{}", thing(&lock.lock), if lock.shared { " for reading" } else { "" })
}

fn operation(done: &Operation) -> String {
    let on = done.thing.as_ref().map(thing).unwrap_or_default();
    let thread = done.thread.as_deref().unwrap_or("a thread");
    if done.fails {
        return failed(done, &on);
    }
    let value = |value: Option<u64>| value.map(|value| format!(" = {value}")).unwrap_or_default();
    match done.what {
        What::Begin => "begins".to_owned(),
        What::End => "ends".to_owned(),
        What::Create => format!("creates {thread}"),
        What::Join => format!("joins {thread}"),
        What::Lock => format!("locks {on}"),
        What::ReadLock => format!("read-locks {on}"),
        What::Unlock => format!("unlocks {on}"),
        What::StrayUnlock => format!("unlocks {on}, which nobody holds"),
        What::Signal => format!("signals {on}"),
        What::Broadcast => format!("broadcasts {on}"),
        What::Wake => format!("is woken from {on}"),
        What::Enter => format!("comes to {on}"),
        What::Leave => format!("leaves {on}"),
        What::Take => format!("takes {on}"),
        What::Post => format!("posts {on}"),
        What::Initialise => format!("initialises {on}"),
        What::Initialised => format!("has initialised {on}"),
        What::InitialiserFails => format!("fails to initialise {on}"),
        What::FoundInitialised => format!("finds {on} initialised"),
        What::Send => format!("sends on {on}"),
        What::Receive => format!("receives on {on}"),
        What::Load => format!("loads {on}{}", value(done.read)),
        What::Store => format!("stores {on}{}", value(done.written)),
        What::Change => match (done.read, done.written) {
            (Some(old), Some(new)) => format!("changes {on} from {old} to {new}"),
            _ => format!("changes {on}"),
        },
        What::Fence => "passes a fence".to_owned(),
        What::Read => format!("reads {on}"),
        What::Write => format!("writes {on}"),
        What::Custom => [&[on.to_owned()], done.values.as_slice()].concat().join(" "),
    }
}

fn failed(done: &Operation, on: &str) -> String {
    let in_time = if done.timed { " in time" } else { "" };
    match (done.what, &done.thing) {
        (What::Lock, _) => format!("cannot lock {on}{in_time}"),
        (What::ReadLock, _) => format!("cannot read-lock {on}{in_time}"),
        (What::Take, _) => format!("cannot take {on}{in_time}"),
        (What::Wake, Some(_)) => format!("is back from {on} without a signal"),
        (What::Wake, None) => "is back from a wait without a signal".to_owned(),
        _ => format!("{}, which fails", operation(&Operation { fails: false, ..done.clone() })),
    }
}

fn fault(fault: &Fault) -> String {
    match fault.manner {
        Manner::Address { address, write } => {
            format!("{} address {address:#x}", if write { "writes to" } else { "uses" })
        }
        Manner::StackOverflow => "has no room left on its stack".to_owned(),
        Manner::Division => "divides by zero".to_owned(),
        Manner::EndsProgram => "ends the program".to_owned(),
        Manner::Other => format!("dies here ({})", fault.cause),
    }
}

/// How many names are listed.
const NAMES: usize = 5;

/// Names in a row: `t1, t2 and t3`, or `t1, t2, … and t9`.
pub(crate) fn listed(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first, second, .., last] if names.len() > NAMES => format!("{first}, {second}, … and {last}"),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::listed;

    #[test]
    fn names() {
        assert_eq!(listed(&["t1"]), "t1");
        assert_eq!(listed(&["t1", "t2", "t3"]), "t1, t2 and t3");
        assert_eq!(listed(&["t1", "t2", "t3", "t4", "t5", "t6"]), "t1, t2, … and t6");
    }
}
