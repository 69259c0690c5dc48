//! What several fuzz targets share.
#![forbid(unsafe_code)]

use std::io::Sink;
use std::rc::Rc;

use foretrace_stream::engine::Engine;
use foretrace_stream::flow::Plan;
use foretrace_stream::output::{Format, Writer};
use foretrace_stream::{Options, compile};

const INPUTS: &str = "in x: Events[Int]\nin s: Events[String]\nin o: Events[Option[(Int, Bool)]]\nout *\n";

thread_local! {
    static PLAN: Rc<Plan> = compile("fuzz", INPUTS, &Options::default()).unwrap_or_else(|error| panic!("{error}")).plan;
}

/// Lets a reader feed a monitor with inputs of several types.
pub fn monitor(read: impl FnOnce(&mut Engine, &mut Writer<Sink>)) {
    let mut engine = Engine::new(PLAN.with(Rc::clone));
    read(&mut engine, &mut Writer::new(std::io::sink(), Format::Csv, None));
}
