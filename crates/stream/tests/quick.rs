//! Lines that are read where they lie in the buffer give what the general reader gives. The two are told apart by the
//! size of the buffer: in one of a single byte no line is whole.
use foretrace_stream::engine::Engine;
use foretrace_stream::flow::Plan;
use foretrace_stream::input::{TextReader, Undeclared};
use foretrace_stream::output::{Format, Writer};
use foretrace_stream::{Options, compile};
use std::fmt::Write;
use std::io::BufReader;
use std::rc::Rc;

const SPEC: &str = "in a: Events[Int]\nin ab: Events[Int]\nin text: Events[String]\nin flag: Events[Bool]\n\
    in tick: Events[Unit]\nout a\nout ab\nout text\nout flag\nout tick\n";

/// The output, or the error, of a trace that is read through a buffer of this size.
fn read(plan: &Rc<Plan>, trace: &str, size: usize, ignore_repeated: bool) -> String {
    let mut engine = Engine::new(plan.clone());
    engine.ignore_repeated = ignore_repeated;
    let mut out = Writer::new(Vec::new(), Format::Text, None);
    let reader = TextReader { name: "trace", undeclared: Undeclared::Reject };
    let result = reader.run(BufReader::with_capacity(size, trace.as_bytes()), &mut engine, &mut out);
    let _ = engine.finish(None, &mut out);
    let events = out.tally.events;
    format!("{:?} {events} {}", result.map_err(|error| error.to_string()), out.into_text())
}

/// Parts of lines, of which some are wrong; chosen by a generator of numbers that repeats itself in every run.
fn trace(seed: u64) -> String {
    let mut state = seed;
    let mut pick = |count: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % count
    };
    let streams = ["a", "ab", "text", "flag", "tick", "abc"];
    let values = [
        "1",
        "-5",
        "9999999999999999999",
        "\"x\"",
        "\"y = 1\"",
        "true",
        "()",
        "123456789012345678901",
        "1 ",
        "\"é\"",
        "",
    ];
    let (mut text, mut time) = (String::new(), 0);
    for _ in 0..12 {
        time += [0, 0, 0, 1, 90][pick(5)];
        let typed = pick(40);
        let (stream, value) = match typed {
            0 => (streams[pick(6)], values[pick(11)]),
            _ => [
                ("a", values[pick(3)]),
                ("ab", ["007", values[pick(3)]][pick(2)]),
                ("text", values[3 + pick(2)]),
                ("flag", "true"),
            ][typed % 4],
        };
        let (between, end) = ([" = ", " = ", " = ", "=", " =  "][pick(5)], ["\n", "\n", "\n", "\r\n", " \n"][pick(5)]);
        let _ = write!(text, "{time}: {stream}{between}{value}{end}");
        if pick(20) == 0 {
            text.push_str(["-- remark\n", "\n", "# remark\n", "0: a = 1\n", "7\n"][pick(5)]);
        }
    }
    text
}

#[test]
fn both_readers_agree() {
    let spec = compile("spec", SPEC, &Options::default()).unwrap_or_else(|error| panic!("{error}"));
    let plan = &spec.plan;
    let mut failed = 0;
    for seed in 0..4000 {
        let trace = trace(seed);
        // Most of these traces have two events of a stream at one time: often they are ignored, so that there is more to read.
        let ignore = seed % 4 != 0;
        let (quick, general) = (read(plan, &trace, 1 << 16, ignore), read(plan, &trace, 1, ignore));
        assert_eq!(quick, general, "{trace}");
        assert_eq!(read(plan, &trace, 24, ignore), general, "{trace}");
        failed += usize::from(general.starts_with("Err"));
    }
    assert!((200..3800).contains(&failed), "good and bad traces: {failed}");
}
