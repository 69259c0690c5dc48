//! Traces in the Common Trace Format, written here bit by bit, and what the reader makes of them.
use foretrace_stream::engine::{Engine, Sink, Time};
use foretrace_stream::flow::{Plan, PlannedOutput};
use foretrace_stream::input::Undeclared;
use foretrace_stream::input::ctf::{CtfReader, CtfSummary};
use foretrace_stream::value::Value;
use foretrace_stream::{Options, compile};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Every kind of type: a short clock that wraps, bits that begin nowhere in particular, text in three forms, a variant.
const METADATA: &str = r#"/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = false; } := uint8_t;
typealias integer { size = 16; align = 8; signed = false; } := unsigned short;
typealias integer { size = 32; align = 8; } := uint32_t;
typealias integer { size = 64; align = 8; } := uint64_t;
typealias integer { size = 32; align = 8; signed = true; byte_order = be; } := big_t;
typealias integer { size = 5; align = 1; signed = true; } := five_t;
typealias integer { size = 8; align = 8; encoding = UTF8; } := letter_t;
typealias floating_point { exp_dig = 11; mant_dig = 53; align = 8; } := double;
struct pair { uint8_t a; uint8_t b; };
enum kind : uint8_t { none, some = 3 ... 5, "many" = 9 };
clock { name = mono; freq = 1000; offset_s = 2; offset = 500; };
trace {
    major = 1; minor = 8; byte_order = le;
    packet.header := struct { uint32_t magic; uint32_t stream_id; };
};
env { hostname = "here"; };
stream {
    id = 7;
    packet.context := struct {
        uint64_t timestamp_begin; uint64_t content_size; uint64_t packet_size; uint32_t events_discarded; uint32_t cpu_id;
    };
    event.header := struct { uint8_t id; integer { size = 8; align = 8; map = clock.mono.value; } timestamp; };
    event.context := struct { uint8_t thread; };
};
event {
    name = "new_thread"; id = 1; stream_id = 7;
    context := struct { uint8_t depth; };
    fields := struct { big_t _number; string name; struct pair both; five_t x, y; };
};
event {
    name = read:bytes; id = 2; stream_id = 7; loglevel = 13;
    fields := struct {
        enum kind tag; unsigned short length; uint8_t data[length]; letter_t title[4];
        variant <tag> { uint8_t none; string some; double many; } what;
    };
};
"#;

/// Writes numbers and texts, lowest byte first; bits are put together by hand.
#[derive(Default)]
struct Bytes(Vec<u8>);

impl Bytes {
    fn number(&mut self, size: usize, number: u64) -> &mut Self {
        self.0.extend_from_slice(&number.to_le_bytes()[..size]);
        self
    }

    fn text(&mut self, text: &str) -> &mut Self {
        self.0.extend_from_slice(text.as_bytes());
        self.number(1, 0)
    }

    fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.extend_from_slice(bytes);
        self
    }
}

/// Bits that the last event of the first kind leaves of its last byte.
const UNUSED: u64 = 6;

/// A packet of these events, the last of which leaves some bits unused, with a gap behind them.
fn packet(begin: u64, discarded: u64, cpu: u64, events: &[u8], unused: u64) -> Vec<u8> {
    let content = 8 + 32 + events.len() as u64;
    let mut out = Bytes::default();
    out.number(4, 0xC1FC_1FC1).number(4, 7);
    out.number(8, begin)
        .number(8, content * 8 - unused)
        .number(8, (content + 5) * 8)
        .number(4, discarded)
        .number(4, cpu);
    out.bytes(events).bytes(&[0xEE; 5]);
    out.0
}

/// The event of the first kind: `x` and `y` take five bits each.
fn new_thread(ticks: u8, thread: u64, number: i32, name: &str, x: i8, y: i8) -> Vec<u8> {
    let mut out = Bytes::default();
    out.number(1, 1).number(1, ticks.into()).number(1, thread).number(1, 4).bytes(&number.to_be_bytes()).text(name);
    let bits = (x as u16 & 31) | (y as u16 & 31) << 5;
    out.number(1, 10).number(1, 20).number(2, bits.into());
    out.0
}

/// The event of the second kind, up to its variant.
fn read_bytes(ticks: u8, tag: u64, data: &[u8], title: &[u8; 4], what: &[u8]) -> Vec<u8> {
    let mut out = Bytes::default();
    out.number(1, 2).number(1, ticks.into()).number(1, 1).number(1, tag).number(2, data.len() as u64).bytes(data);
    out.bytes(title).bytes(what);
    out.0
}

/// A trace of two files, each of two packets.
fn write(directory: &Path) {
    let second = [
        read_bytes(250, 4, &[1, 2, 3], b"abcd", b"some\0"),
        // The eight bits of the clock wrap around: 250, then 256 + 3.
        read_bytes(3, 9, &[], b"a\0\0\0", &2.5f64.to_le_bytes()),
    ]
    .concat();
    let first = new_thread(7, 1, -5, "first", -3, 9);
    let files = [
        ("metadata", METADATA.as_bytes().to_vec()),
        ("a_0", [packet(0, 0, 0, &first, UNUSED), packet(240, 0, 0, &second, 0)].concat()),
        ("a_1", packet(10, 0, 1, &new_thread(11, 2, 70_000, "zweite ä", 15, -16), UNUSED)),
        (".hidden", b"not a stream".to_vec()),
    ];
    for (name, bytes) in files {
        std::fs::write(directory.join(name), bytes).expect("the scratch directory can be written to");
    }
}

#[derive(Default)]
struct Lines(Vec<String>);

impl Sink for Lines {
    fn event(&mut self, time: Time, output: &PlannedOutput, value: &Value) -> ControlFlow<()> {
        self.0.push(format!("{time}: {} = {value}", output.name));
        ControlFlow::Continue(())
    }
}

fn run(directory: &Path, spec: &str) -> Result<(Vec<String>, CtfSummary), String> {
    evaluate(directory, plan(spec)?)
}

fn plan(spec: &str) -> Result<Rc<Plan>, String> {
    let spec = compile("spec", spec, &Options::default()).map_err(|error| error.to_string())?;
    Ok(spec.plan)
}

fn evaluate(directory: &Path, plan: Rc<Plan>) -> Result<(Vec<String>, CtfSummary), String> {
    let (mut engine, mut lines) = (Engine::new(plan), Lines::default());
    let summary = CtfReader { undeclared: Undeclared::Ignore }
        .run(directory, &mut engine, &mut lines)
        .map_err(|(name, problem)| format!("{}: {problem}", name.rsplit('/').next().unwrap_or("")))?;
    engine.finish(None, &mut lines).map_err(|error| error.to_string())?;
    Ok((lines.0, summary))
}

fn scratch(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("foretrace-ctf-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir(&path).expect("a scratch directory can be made");
    path
}

#[test]
fn every_kind_of_field_is_read() {
    let directory = scratch("kinds");
    write(&directory);
    let spec = r#"
in new_thread: Events[CTF]
def number = CTF.getInt(new_thread, "number")
out number
out CTF.getString(new_thread, "name") as name
out CTF.getInt(new_thread, "both.b") as b
out CTF.getInt(new_thread, "x") + 100 * CTF.getInt(new_thread, "fields:y") as bits
out CTF.getInt(new_thread, "context:thread") as thread
out CTF.getInt(new_thread, "eventcontext:depth") as depth
out CTF.getInt(new_thread, "packetcontext:cpu_id") as cpu
out CTF.getInt(new_thread, "eventheader:id") as id
"#;
    let (lines, summary) = run(&directory, spec).expect("the trace is read");
    // The clock has a tick a millisecond and began at 2.5 seconds.
    let expected = "2507000000: number = -5|2507000000: name = \"first\"|2507000000: b = 20|2507000000: bits = 897|\
                    2507000000: thread = 1|2507000000: depth = 4|2507000000: cpu = 0|2507000000: id = 1|\
                    2511000000: number = 70000|2511000000: name = \"zweite ä\"|2511000000: b = 20|2511000000: bits = -1585|\
                    2511000000: thread = 2|2511000000: depth = 4|2511000000: cpu = 1|2511000000: id = 1";
    assert_eq!(lines.join("|"), expected);
    assert_eq!(summary, CtfSummary { events: 4, discarded: 0 });
    std::fs::remove_dir_all(directory).expect("it is ours");
}

#[test]
fn names_with_signs_are_no_inputs_and_a_missing_field_is_an_error_of_the_value() {
    let directory = scratch("missing");
    write(&directory);
    std::fs::write(directory.join("metadata"), METADATA.replace("read:bytes", "\"bytes\"")).expect("ours");
    let spec = r#"
in bytes: Events[CTF]
out CTF.getInt(bytes, "tag") as tag
out CTF.getString(bytes, "tag") as label
out CTF.getString(bytes, "title") as title
out CTF.getString(bytes, "what") as what
out CTF.getInt(bytes, "nothing") as nothing
"#;
    let (lines, _) = run(&directory, spec).expect("the trace is read");
    let expected = "2750000000: tag = 4|2750000000: label = \"some\"|2750000000: title = \"abcd\"|2750000000: what = \"some\"|\
                    2750000000: nothing = error(\"the event has no field `nothing`\")|2759000000: tag = 9|\
                    2759000000: label = \"many\"|2759000000: title = \"a\"|\
                    2759000000: what = error(\"field `what` of the event is not a string\")|\
                    2759000000: nothing = error(\"the event has no field `nothing`\")";
    assert_eq!(lines.join("|"), expected);
    std::fs::remove_dir_all(directory).expect("it is ours");
}

#[test]
fn what_cannot_be_is_refused() {
    let directory = scratch("refused");
    write(&directory);
    let refused = |spec: &str| run(&directory, spec).expect_err("it is refused");
    assert!(refused("in other: Events[CTF]\nout other").contains("no events of input `other`"));
    assert!(refused("in new_thread: Events[Int]\nout new_thread").contains("of type CTF or Unit"));
    let (units, _) =
        run(&directory, "in new_thread: Events[Unit]\nout count(new_thread) as n").expect("units are fine");
    assert_eq!(units, ["0: n = 0", "2507000000: n = 1", "2511000000: n = 2"]);
    let spec = "in new_thread: Events[CTF]\nout time(new_thread) as t";
    for (old, new, message) in [
        ("byte_order = le; packet", "byte_order = le; oops packet", "expected"),
        ("size = 5;", "size = 65;", "not a possible size"),
        ("uint8_t data[length]", "uint8_t data[none]", "how long a sequence is"),
        ("<tag>", "<length>", "which variant"),
        ("clock {", "clock { name = a; }; clock {", "several clocks"),
        ("id = 2; stream_id", "id = 3; stream_id", "no event 2 of stream 7"),
        ("five_t x", "six_t x", "no type"),
    ] {
        let changed = METADATA.replace('\n', " ").replacen("/* CTF 1.8 */", "", 1);
        let changed = changed.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(changed.contains(old), "{old}");
        std::fs::write(directory.join("metadata"), changed.replacen(old, new, 1)).expect("ours");
        let said = refused(spec);
        assert!(said.contains(message), "{old} -> {new}: {said}");
    }
    std::fs::remove_dir_all(directory).expect("it is ours");
}

#[test]
fn lost_events_are_counted_and_packets_of_metadata_are_joined() {
    let directory = scratch("lost");
    write(&directory);
    let lost = packet(10, 12, 1, &new_thread(11, 2, 1, "x", 0, 0), UNUSED);
    std::fs::write(directory.join("a_1"), lost).expect("ours");
    let mut packed = Bytes::default();
    for piece in METADATA.as_bytes().chunks(300) {
        packed.number(4, 0x75D1_1D57).bytes(&[7; 16]).number(4, 0);
        packed.number(4, (37 + piece.len() as u64) * 8).number(4, (40 + piece.len() as u64) * 8);
        packed.bytes(&[0, 0, 0, 1, 8]).bytes(piece).bytes(&[0; 3]);
    }
    std::fs::write(directory.join("metadata"), packed.0).expect("ours");
    let (lines, summary) = run(&directory, "in new_thread: Events[Unit]\nout count(new_thread) as n").expect("read");
    assert_eq!((lines.len(), summary.discarded), (3, 12));
    std::fs::remove_dir_all(directory).expect("it is ours");
}

/// Bytes that are changed at random are refused or read as something else; nothing panics, nothing takes for ever.
#[test]
fn changed_bytes_do_no_harm() {
    let directory = scratch("changed");
    write(&directory);
    let plan = plan("in new_thread: Events[CTF]\nout CTF.getInt(new_thread, \"number\") as n").expect("it compiles");
    let names = ["metadata", "a_0", "a_1"];
    let originals = names.map(|name| std::fs::read(directory.join(name)).expect("it was written"));
    let mut state = 0x1234_5678_9abc_def1_u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    let (mut read, mut refused) = (0, 0);
    for _ in 0..3_000 {
        let at = random(names.len());
        let mut bytes = originals[at].clone();
        for _ in 0..=random(4) {
            let place = random(bytes.len());
            match random(3) {
                0 => bytes[place] = random(256) as u8,
                1 => bytes[place] ^= 1 << random(8),
                _ => bytes.truncate(place.max(1)),
            }
        }
        std::fs::write(directory.join(names[at]), bytes).expect("ours");
        match evaluate(&directory, plan.clone()) {
            Ok(_) => read += 1,
            Err(_) => refused += 1,
        }
        std::fs::write(directory.join(names[at]), &originals[at]).expect("ours");
    }
    assert!(read > 100 && refused > 100, "{read} were read, {refused} refused");
    std::fs::remove_dir_all(directory).expect("it is ours");
}
