//! The report as it is, with what each thread does in words beside the values.

use std::io::{self, Write};

use serde::{Serialize, Serializer};

use crate::act::{Act, Thing};
use crate::model::{self, Counts, Frame, Report};
use crate::words;

/// The version of the JSON form: it grows when a field goes away or means something else.
const SCHEMA: u32 = 3;

#[derive(Serialize)]
struct Whole<'a> {
    schema: u32,
    counts: Counts,
    #[serde(flatten)]
    report: &'a Report,
}

/// Writes a report.
pub(crate) fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let whole = Whole { schema: SCHEMA, counts: report.counts(), report };
    serde_json::to_writer_pretty(&mut *out, &whole)?;
    writeln!(out)
}

/// Values that are written with their words beside them.
macro_rules! with_words {
    ($($value:ident),*) => {$(
        impl Serialize for model::$value {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $value::from(self.clone()).serialize(serializer)
            }
        }
    )*};
}

with_words!(Site, Access, Step, Lock);

#[derive(Serialize)]
struct Site {
    thread: usize,
    doing: String,
    access: String,
    does: Act,
    stack: Vec<Frame>,
    locks: Vec<model::Lock>,
}

impl From<model::Site> for Site {
    fn from(site: model::Site) -> Self {
        let model::Site { thread, does, stack, locks } = site;
        Self { thread, doing: words::act(&does), access: words::tsan(&does), does, stack, locks }
    }
}

#[derive(Serialize)]
struct Access {
    doing: String,
    does: Act,
    stack: Vec<Frame>,
}

impl From<model::Access> for Access {
    fn from(access: model::Access) -> Self {
        let model::Access { does, stack } = access;
        Self { doing: words::act(&does), does, stack }
    }
}

#[derive(Serialize)]
struct Step {
    thread: usize,
    text: String,
    does: Act,
    place: Option<Frame>,
    fails: bool,
}

impl From<model::Step> for Step {
    fn from(step: model::Step) -> Self {
        let model::Step { thread, does, place, fails } = step;
        Self { thread, text: words::step(&does), does, place, fails }
    }
}

#[derive(Serialize)]
struct Lock {
    name: String,
    lock: Thing,
    shared: bool,
    taken: Vec<Frame>,
}

impl From<model::Lock> for Lock {
    fn from(held: model::Lock) -> Self {
        let model::Lock { lock, shared, taken } = held;
        Self { name: words::thing(&lock), lock, shared, taken }
    }
}
