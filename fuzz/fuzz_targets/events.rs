//! Any bytes as a trace of a stream monitor.
#![no_main]

use std::rc::Rc;

use foretrace_stream::engine::Engine;
use foretrace_stream::flow::Plan;
use foretrace_stream::input::{TextReader, Undeclared};
use foretrace_stream::output::{Format, Writer};
use foretrace_stream::{Options, compile};

const INPUTS: &str = "in x: Events[Int]\nin s: Events[String]\nin o: Events[Option[(Int, Bool)]]\nout *\n";

thread_local! {
    static PLAN: Rc<Plan> = compile("fuzz", INPUTS, &Options::default()).unwrap_or_else(|error| panic!("{error}")).plan;
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut engine = Engine::new(PLAN.with(Rc::clone));
    let mut out = Writer::new(std::io::sink(), Format::Csv, None);
    let _ = TextReader { name: "fuzz", undeclared: Undeclared::Ignore }.run(bytes, &mut engine, &mut out);
});
