//! Stream specifications and traces: random combinations of language elements, and the same with changed bytes.

use super::random::Random;
use foretrace_stream::engine::Engine;
use foretrace_stream::flow::Plan;
use foretrace_stream::input::{BinaryReader, CsvReader, TextReader, Undeclared, binary};
use foretrace_stream::output::{Format, Writer};
use foretrace_stream::{Dialect, Options, compile};
use std::rc::Rc;

const PIECES: [&str; 84] = [
    "in x: Events[Int]\n",
    "in y: Events[Bool]\n",
    "in s: Events[String]\n",
    "in u: Events[Unit]\n",
    "out x\n",
    "out ",
    "def a = ",
    "def b: Events[Int] = ",
    "def f(v: Int): Int = ",
    "def g[A](v: A): A = ",
    "liftable def h(v: Int) = ",
    "x",
    "y",
    "s",
    "u",
    "a",
    "b",
    "f",
    "g",
    "h",
    "v",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ".",
    ":",
    "=",
    ":=",
    "=>",
    "\n",
    " ",
    "+",
    "-",
    "*",
    "/",
    "%",
    "==",
    "<",
    "&&",
    "||",
    "!",
    "1",
    "0",
    "7.5",
    "\"t\"",
    "\"$x\"",
    "\"${x}\"",
    "true",
    "()",
    "if ",
    " then ",
    " else ",
    "static if ",
    "last(",
    "default(",
    "merge(",
    "lift(",
    "slift1(",
    "delay(",
    "time(",
    "count(",
    "Set.empty[Int]",
    "Set.add(",
    "Map.",
    "List.",
    "None[Int]",
    "Some(",
    "getSome(",
    "fold(",
    "(v: Int) => ",
    "module M {",
    "import M\n",
    "type T = ",
    "Events[",
    "Option[",
    "@error\n",
    "where {",
    "return ",
    "include \"f\"\n",
    "__root__.",
];

/// Complete specifications, of which bytes are changed.
const WHOLE: [&str; 3] = [
    "in x: Events[Int]\ndef c: Events[Int] = default(last(c, x) + 1, 0)\ndef p = { a = x, b = c }\nout p\nout fold(x, 0, (a: Int, b: Int) => a + b)\n",
    "-- dialect: 2018\nin x: Events[Int]\nin s: Events[String]\ndef r := if s == \"x\" then ()\ndef t := on(r, x)\nout merge(r, t) as m\nout collectSetWithRemove(x, t)\n",
    "in x: Events[Int]\ndef fac(n: Int): Int = if n <= 1 then 1 else n * fac(n - 1)\nmodule M { def k = \"v ${x % 3}\" }\nout slift1(x, fac) as f\nout M.k\nout Map.collectCount(x)\nout period(3)\n",
];

/// A specification: it compiles or is refused with an error, and if it compiles, it runs.
pub fn specification(random: &mut Random) {
    let text = match random.below(3) {
        0 => (0..random.below(40)).map(|_| *random.choose(&PIECES)).collect(),
        1 => format!(
            "in x: Events[Int]\nin y: Events[Bool]\nout {}",
            (0..random.below(12)).map(|_| *random.choose(&PIECES)).collect::<String>()
        ),
        _ => changed(random, random_whole),
    };
    let mut options = Options::for_text(&text);
    if random.below(4) == 0 {
        options.dialect = Dialect::Tessla2018;
    }
    if let Ok(spec) = compile("fuzz", &text, &options) {
        let mut engine = Engine::new(spec.plan);
        let mut out = Writer::new(std::io::sink(), Format::Json, None);
        let trace = "1: x = 3\n1: y = true\n2: x = 0\n2: s = \"x\"\n5: x = -2\n9: u\n";
        let read =
            TextReader { name: "fuzz", undeclared: Undeclared::Ignore }.run(trace.as_bytes(), &mut engine, &mut out);
        if read.is_ok() {
            let _ = engine.finish(Some(20), &mut out);
        }
    }
}

fn random_whole(random: &mut Random) -> Vec<u8> {
    random.choose(&WHOLE).as_bytes().to_vec()
}

/// A text with a few bytes changed, doubled or deleted.
fn changed(random: &mut Random, whole: fn(&mut Random) -> Vec<u8>) -> String {
    let mut bytes = whole(random);
    for _ in 0..1 + random.below(6) {
        let at = random.below(bytes.len());
        match random.below(4) {
            0 => bytes[at] = random.next() as u8,
            1 => drop(bytes.remove(at)),
            2 => bytes.insert(at, *random.choose(b"()[]{}=:,.\"$0x \n-")),
            _ => {
                let to = (at + random.below(20)).min(bytes.len());
                let part = bytes[at..to].to_vec();
                let target = random.below(bytes.len());
                bytes.splice(target..target, part);
            }
        }
        if bytes.is_empty() {
            break;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

const INPUTS: &str = "in x: Events[Int]\nin f: Events[Float]\nin s: Events[String]\nin u: Events[Unit]\nin o: Events[Option[(Int, Bool)]]\nin l: Events[List[Set[Int]]]\nin m: Events[Map[String, Int]]\nin r: Events[{ a: Int, b: String }]\nout *\n";

const TRACE: &str = "1: x = 3\n1: f = -1.5e3\n2: s = \"a\\\"b\"\n3: u\n3: u = ()\n4: o = Some((1, true))\n5: o = None\n6: l = List(Set(1, 2), Set())\n7: m = Map(\"a\" -> 1, \"b\" -> 2)\n8: r = { a = 1, b = \"q\" }\n99999999999999999999999: x = 0xff\n";

thread_local! {
    static PLAN: Rc<Plan> = match compile("fuzz", INPUTS, &Options::default()) {
        Ok(spec) => spec.plan,
        Err(error) => unreachable!("the specification is right: {error}"),
    };
}

/// A trace, as text, as comma-separated values and as a binary trace.
pub fn events(random: &mut Random) {
    let text = changed(random, |_| TRACE.as_bytes().to_vec());
    let undeclared = if random.below(2) == 0 { Undeclared::Ignore } else { Undeclared::Reject };
    let mut out = Writer::new(std::io::sink(), Format::Csv, None);
    let engine = || Engine::new(PLAN.with(Rc::clone));
    let _ = TextReader { name: "fuzz", undeclared }.run(text.as_bytes(), &mut engine(), &mut out);
    let table = format!("ts,x,s,u\n{}", text.replace(": ", ",").replace(" = ", ","));
    let _ = CsvReader { name: "fuzz", undeclared }.run(table.as_bytes(), &mut engine(), &mut out);
    let bytes = binary_trace(random);
    let _ = BinaryReader { name: "fuzz", undeclared }.run(&bytes[..], &mut engine(), &mut out);
}

/// A few small streams, one of them often undeclared, and events that are valid now and then.
fn binary_trace(random: &mut Random) -> Vec<u8> {
    let mut bytes = binary::MAGIC.to_vec();
    bytes.extend(b"\x04\x02\x01x\x03\x01s\x00\x01u\x01\x01q");
    bytes.extend((0..random.below(120)).map(|_| (random.next() & 0x83) as u8));
    if random.below(4) == 0 {
        let at = random.below(bytes.len());
        bytes[at] = random.next() as u8;
    }
    bytes
}
