//! The STD form of the RAPID tools, `T0|acq(L1)|345`: `acq`, `rel`, `r`, `w`, `fork`, `join`, `begin` and `end`. It has no
//! values, so every read may see anything; locks are recursive, as Java's are.

use super::parse::ParseError;
use crate::check::check;
use crate::event::{Action, Event, Place};
use crate::ids::{ObjectId, ThreadId};
use crate::program::{Ctp, Object, ObjectKind, Thread, Var};
use rustc_hash::FxHashMap;

/// Bytes of a variable.
const SIZE: u8 = 1;

/// Reads a trace; what comes after the operation becomes the label of the event.
///
/// # Errors
/// If a line is none of the form, or the events contradict each other.
pub fn parse_std(text: &str) -> Result<Ctp, ParseError> {
    let mut reader = Reader::default();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
    {
        let what = |what: &str| ParseError::Syntax { line: number + 1, column: 1, what: what.to_owned() };
        reader.line(line).map_err(what)?;
    }
    check(&reader.ctp).map_err(|what| ParseError::Program { line: None, what })?;
    Ok(reader.ctp)
}

#[derive(Default)]
struct Reader<'a> {
    ctp: Ctp,
    threads: FxHashMap<&'a str, ThreadId>,
    locks: FxHashMap<&'a str, ObjectId>,
    vars: FxHashMap<&'a str, Place>,
}

impl<'a> Reader<'a> {
    fn line(&mut self, line: &'a str) -> Result<(), &'static str> {
        let mut fields = line.splitn(3, '|').map(str::trim);
        let (thread, operation) =
            (fields.next().unwrap_or_default(), fields.next().ok_or("there is no `|` in this line")?);
        let label = fields.next().filter(|label| !label.is_empty()).map(Into::into);
        let (verb, name) = operation.split_once('(').unwrap_or((operation, ")"));
        let name = name.strip_suffix(')').ok_or("the operation does not end with `)`")?;
        let thread = self.thread(thread);
        let action = match verb {
            "acq" => Action::Lock(self.lock(name)),
            "rel" => Action::Unlock(self.lock(name)),
            "r" => Action::Read { place: self.var(name), read: self.ctp.new_read(thread) },
            "w" => Action::Write { place: self.var(name), value: self.ctp.exprs.number(8 * SIZE, 0).map_err(|_| "")? },
            "fork" => Action::Fork(self.thread(name)),
            "join" => Action::Join(self.thread(name)),
            "begin" => Action::Begin,
            "end" => Action::End,
            _ => return Err("the operation is none of acq, rel, r, w, fork, join, begin and end"),
        };
        self.ctp.push(thread, Event { label, ..Event::from(action) });
        Ok(())
    }

    fn thread(&mut self, name: &'a str) -> ThreadId {
        let threads = &mut self.ctp.threads;
        *self.threads.entry(name).or_insert_with(|| {
            threads.push(Thread { name: name.to_owned(), events: Vec::new() });
            ThreadId(threads.len() as u32 - 1)
        })
    }

    fn lock(&mut self, name: &'a str) -> ObjectId {
        let objects = &mut self.ctp.objects;
        *self.locks.entry(name).or_insert_with(|| {
            objects.push(Object { name: name.to_owned(), kind: ObjectKind::Lock { recursive: true } });
            ObjectId(objects.len() as u32 - 1)
        })
    }

    fn var(&mut self, name: &'a str) -> Place {
        let vars = &mut self.ctp.vars;
        *self.vars.entry(name).or_insert_with(|| {
            let place = Place { address: vars.len() as u64 * u64::from(SIZE), size: SIZE };
            vars.push(Var { name: name.to_owned(), place, initial: 0 });
            place
        })
    }
}

#[cfg(test)]
mod tests {
    use super::parse_std;

    #[test]
    fn a_trace_is_read() {
        let ctp =
            parse_std("# a trace\nT0|fork(T1)|1\nT0|acq(L)|2\nT0|r(V.x[1])|3\nT0|rel(L)|4\nT1|w(V.x[1])|5\n").unwrap();
        let shape = (ctp.threads.len(), ctp.order.len(), ctp.vars[0].name.as_str(), ctp.objects.len());
        assert_eq!(shape, (2, 5, "V.x[1]", 1));
        assert_eq!(ctp.event(ctp.order[4]).label.as_deref(), Some("5"));
    }

    #[test]
    fn what_is_no_trace_is_refused() {
        for (text, line) in [("T0", 1), ("T0|r(x", 1), ("T0|w(x)\nT0|stop(x)|", 2)] {
            let error = parse_std(text).unwrap_err().to_string();
            assert!(error.contains(&format!("line {line}")), "{error}");
        }
    }
}
