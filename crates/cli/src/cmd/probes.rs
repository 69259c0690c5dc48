//! The annotations of TeSSLa that ask for instrumentation, as orders for the compiler.
//!
//! Inputs that are annotated with the same join-point share one event, so that they have their events at one timestamp, as
//! those of TeSSLa's own instrumentation do. The name of the event says what it is: `before call add (#0, #1)`. So a
//! program fits every specification that asks for the same.

mod request;

use anyhow::{Context, bail};
use foretrace_instrumentation::{Instrumentation, Moment, Order, What};
use foretrace_stream::source::SourceMap;
use foretrace_stream::types::InputDecl;
use foretrace_stream::{Options, Spec, TimeBase, compile};
use request::{Request, request};
use std::path::Path;

/// An event carries at most so many values.
const FIELDS: usize = 8;
/// The longest name of an event: a recording cuts longer ones.
const LONGEST: usize = 400;

/// What the inputs of a specification ask for.
#[derive(Clone, Default)]
pub struct Probes {
    pub joins: Vec<Join>,
    /// The inputs that tell the thread of each event.
    pub threads: Vec<Taker>,
}

/// A join-point with the inputs that have an event there.
#[derive(Clone)]
pub struct Join {
    pub order: Order,
    pub takers: Vec<Taker>,
    /// The first annotation that asked for it, and its input, as written.
    pub asked: String,
}

/// An input that has an event at a join-point.
#[derive(Clone, Copy, Debug)]
pub struct Taker {
    pub input: usize,
    /// The number of the event's value that it takes.
    pub field: usize,
    pub form: Form,
}

/// What becomes of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    Unit,
    Int,
    Bool,
    /// The value has the bits of a double.
    Float,
}

/// A join-point under construction.
struct Draft {
    moment: Moment,
    what: What,
    target: String,
    fields: Vec<String>,
    takers: Vec<Taker>,
    asked: String,
    line: u32,
}

impl Probes {
    /// Those of a compiled specification.
    pub fn of(spec: &Spec) -> anyhow::Result<Self> {
        Self::of_inputs(&spec.plan.inputs, &spec.sources)
    }

    fn of_inputs(inputs: &[InputDecl], sources: &SourceMap) -> anyhow::Result<Self> {
        let (mut drafts, mut threads) = (Vec::new(), Vec::new());
        for (input, decl) in inputs.iter().enumerate() {
            for probe in &decl.probes {
                let place = || sources.position(probe.span);
                let Some(request) = request(decl, probe).with_context(place)? else {
                    let form = request::number(decl, probe).with_context(place)?;
                    threads.push(Taker { input, field: 0, form });
                    continue;
                };
                let line = u32::try_from(sources.line_col(probe.span).0).unwrap_or(u32::MAX);
                add(&mut drafts, input, request, line).with_context(place)?;
            }
        }
        if let (Some(Taker { input, .. }), true) = (threads.first(), drafts.is_empty()) {
            bail!(
                "`@ThreadId` of input `{}` tells the threads of other annotated inputs, and there are none",
                inputs[*input].name
            );
        }
        let joins = drafts.into_iter().map(join).collect::<anyhow::Result<_>>()?;
        Ok(Self { joins, threads })
    }

    /// Those of a specification in a file.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let text = foretrace_file::text(path).with_context(|| format!("cannot read {}", path.display()))?;
        // Units of time do not matter here.
        let options =
            Options { path: Some(path.to_owned()), base_time: TimeBase::parse("ns"), ..Options::for_text(&text) };
        match compile(&path.display().to_string(), &text, &options) {
            Ok(spec) => Self::of(&spec),
            Err(error) => bail!("the specification is wrong\n{}", error.rendered),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.joins.is_empty()
    }

    pub fn orders(&self) -> impl Iterator<Item = &Order> {
        self.joins.iter().map(|join| &join.order)
    }
}

fn add(drafts: &mut Vec<Draft>, input: usize, request: Request, line: u32) -> anyhow::Result<()> {
    let Request { moment, what, target, field, form, asked } = request;
    let known = drafts.iter().position(|draft| draft.moment == moment && draft.what == what && draft.target == target);
    let at = known.unwrap_or_else(|| {
        drafts.push(Draft { moment, what, target, fields: Vec::new(), takers: Vec::new(), asked, line });
        drafts.len() - 1
    });
    let Draft { fields, takers, .. } = &mut drafts[at];
    if takers.iter().any(|taker| taker.input == input) {
        bail!("this input already has an event there; one at a time is possible");
    }
    let number = field.map(|field| {
        fields.iter().position(|known| *known == field).unwrap_or_else(|| {
            fields.push(field);
            fields.len() - 1
        })
    });
    if fields.len() > FIELDS {
        bail!("an event carries at most {FIELDS} values, and more of this function are asked for");
    }
    takers.push(Taker { input, field: number.unwrap_or(0), form });
    Ok(())
}

fn join(draft: Draft) -> anyhow::Result<Join> {
    let Draft { moment, what, target, fields, takers, asked, line } = draft;
    let place = format!("{} {} {target}", moment.name(), what.name());
    let fields = fields.join(", ");
    let read = Instrumentation::parse(&format!("event({fields}) {place}"));
    let mut order = match read.map(|read| read.orders) {
        Ok(orders) if orders.len() == 1 && orders[0].conditions.is_empty() => orders.into_iter().next(),
        Ok(_) => None,
        Err(error) => bail!("{asked}: {}", error.message),
    }
    .with_context(|| format!("{asked}: `{target}` is not a name"))?;
    order.event = format!("{place} ({fields})");
    order.line = line;
    if order.event.len() > LONGEST {
        bail!("{asked}: the name has more than {LONGEST} bytes");
    }
    Ok(Join { order, takers, asked })
}
