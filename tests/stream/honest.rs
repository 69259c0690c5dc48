//! What was not checked is said: inputs that a program cannot have, programs that are not instrumented, variables that are
//! not there, more threads than a template is made for, lost events, and values that cannot be computed. And the program's
//! side: every access, the beginning, the clock.

#![forbid(unsafe_code)]

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};

const PROGRAM: &str = r#"
#include <pthread.h>
#include <unistd.h>
struct account { long id; long balance; } accounts[3];
int x;
void *f(void *arg) {
    for (int i = 0; i < 50; i++)
        x++;
    accounts[2].balance = x;
    usleep(20000);
    return arg;
}
int main(void) {
    pthread_t p;
    x = 1;
    for (int i = 0; i < 2; i++) {
        pthread_create(&p, 0, f, 0);
        pthread_join(p, 0);
    }
    return 0;
}
"#;

struct Bench(tempfile::TempDir);

impl Bench {
    fn new() -> Bench {
        let bench = Bench(tempfile::tempdir().expect("a scratch directory can be made"));
        bench.write("program.c", PROGRAM);
        let built = bench.foretrace("cc --compiler gcc -g -O0 -pthread program.c -o program");
        assert!(built.status.success(), "{}", said(&built));
        let mut plain = Command::new("gcc");
        plain.args(["-g", "-pthread", "program.c", "-o", "plain"]).current_dir(bench.path());
        assert!(plain.status().expect("gcc runs").success());
        bench
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path().join(name), text).expect("a file can be written");
    }

    fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_foretrace"));
        command.current_dir(self.path()).args(line.split_whitespace());
        command.env("FORETRACE_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
        command
    }

    fn foretrace(&self, line: &str) -> Output {
        self.command(line).output().expect("the tool runs")
    }

    /// The exit code and all that is said about a specification.
    fn monitor(&self, specification: &str, line: &str) -> (Option<i32>, String) {
        self.write("spec.tessla", specification);
        let output = self.foretrace(&format!("monitor spec.tessla {line}"));
        (output.status.code(), said(&output))
    }

    fn template(&self, flags: &str) -> String {
        let output = self.foretrace(&format!("monitor --template lockset {flags}"));
        String::from_utf8(output.stdout).expect("a template is text")
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn what_cannot_be_checked_is_an_error() {
    let bench = Bench::new();
    let cases = [
        ("in other: Events[Int]\nout other", "-- ./program", "never has events of input `other`"),
        (
            "@InstFunctionCall(\"f\")\nin call: Events[Unit]\nout call",
            "-- ./program",
            "the program emits no such event",
        ),
        ("@GlobalWrite(\"x\")\nin write: Events[Int]\nout write", "-- ./program", "the program emits no such event"),
        ("in line: Events[Int]\nout line", "--stats run.ft", "--stats is for programs"),
        ("in line: Events[Int]\nout line", "run.ft -- ./program", "the input is either run.ft or a program"),
        ("in line: Events[Int]\nout line", "run.ft other.ft", "other.ft is a second one"),
        ("in line: Events[Int]\nout line", "program.c other.ft", "other.ft is not a source file"),
        ("in readvar: Events[String]\nout readvar", "-- ./plain", "is not instrumented"),
        ("in line: Events[String]\nout line", "-- ./program", "a recording's are of type Int"),
    ];
    for (specification, line, message) in cases {
        let (code, said) = bench.monitor(specification, line);
        assert_eq!(code, Some(2), "{specification}: {said}");
        assert!(said.contains(message), "{specification}: {said}");
    }
    let (code, said) = bench.monitor(&bench.template("--threads 2 --variables nowhere"), "-- ./program");
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("has no variable `nowhere`"), "{said}");
}

#[test]
fn what_was_not_checked_has_an_exit_code() {
    let bench = Bench::new();
    let (code, said) = bench.monitor(&bench.template("--threads 1 --variables accounts[1].balance"), "-- ./program");
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("more threads or locks than the specification is made for"), "{said}");
    let recorded = bench.foretrace("record -o run.ft ./plain");
    assert!(recorded.status.success(), "{}", self::said(&recorded));
    let (code, said) = bench.monitor("in readvar: Events[String]\nout readvar", "run.ft");
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("no memory access is in the recording"), "{said}");
}

#[test]
fn a_part_of_a_variable_is_found_by_its_path() {
    let bench = Bench::new();
    let template = bench.template("--threads 2 --variables accounts[2].balance");
    let (_, said) = bench.monitor(&template, "-- ./program");
    assert!(said.contains("thread_accessing_accounts_2__balance = 1"), "{said}");
    assert!(said.contains("thread_accessing_accounts_2__balance = 2"), "{said}");
}

/// The last value of a stream.
fn last(said: &str, stream: &str) -> u64 {
    let mark = format!(": {stream} = ");
    let value = said.lines().rev().find_map(|line| line.split_once(&mark)).map(|(_, value)| value);
    value.and_then(|value| value.parse().ok()).unwrap_or_else(|| panic!("no {stream} in {said}"))
}

#[test]
fn every_access_is_an_event_on_request() {
    let bench = Bench::new();
    let spec = "in writevar: Events[String]\nout count(filter(writevar, writevar == \"x\")) as writes";
    assert_eq!(last(&bench.monitor(spec, "-- ./program").1, "writes"), 2, "one a segment");
    assert_eq!(last(&bench.monitor(spec, "--every-access -- ./program").1, "writes"), 100);
    let (_, said) = bench.monitor(spec, "--every-access --from-start -- ./program");
    assert_eq!(last(&said, "writes"), 101, "and the first, before any thread: {said}");
}

#[test]
fn timestamps_can_be_time() {
    let bench = Bench::new();
    let spec = "in pcreateid: Events[Unit]\nin pjoinid: Events[Int]\n\
        out runtime(pcreateid, pjoinid) as took\nout time(pjoinid) > 20ms as late";
    let (_, said) = bench.monitor(spec, "--time clock -- ./program");
    let took = last(&said, "took");
    assert!((20_000_000..60_000_000_000).contains(&took), "the thread sleeps for 20 ms: {said}");
    let since_1970: u64 = said.split(':').next().and_then(|time| time.trim().parse().ok()).expect("a timestamp");
    assert!(since_1970 > 1_700_000_000_000_000_000, "{said}");
}

#[test]
fn a_value_that_cannot_be_computed_stops() {
    let bench = Bench::new();
    bench.write("trace", "1: x = 1\n2: x = 0\n3: x = 2\n");
    let spec = "in x: Events[Int]\nout 4 / x as r";
    let (code, said) = bench.monitor(spec, "trace");
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("1: r = 4") && said.contains("division by zero") && !said.contains("3: r"), "{said}");
    let (code, said) = bench.monitor(spec, "--lenient trace");
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("3: r = 2"), "{said}");
}

#[test]
fn output_is_there_while_the_input_waits() {
    let bench = Bench::new();
    bench.write("spec.tessla", "in x: Events[Int]\nout x + 1 as y");
    let mut child = bench
        .command("monitor spec.tessla")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the tool runs");
    let mut input = child.stdin.take().expect("it was piped");
    let mut output = BufReader::new(child.stdout.take().expect("it was piped"));
    // The second event makes the first one certain; nothing more comes while the line is read.
    input.write_all(b"1: x = 1\n2: x = 2\n").expect("it reads");
    input.flush().expect("it reads");
    let mut line = String::new();
    output.read_line(&mut line).expect("it writes");
    assert_eq!(line, "1: y = 2\n");
    drop(input);
    assert!(child.wait().expect("it ends").success());
}

#[test]
fn output_goes_to_a_file_and_waveforms_are_written() {
    let bench = Bench::new();
    bench.write("trace", "1: x = 1\n1: u\n5: x = 3\n");
    let spec = "in x: Events[Int]\nin u: Events[Unit]\nout x\nout u\nout x > 2 as big\nout \"a b\" as s";
    let (code, said) = bench.monitor(spec, "-o out.txt --vcd wave.vcd trace");
    assert_eq!((code, said.as_str()), (Some(0), ""));
    let text = std::fs::read_to_string(bench.path().join("out.txt")).expect("it was written");
    assert_eq!(text, "0: s = a b\n1: x = 1\n1: u = ()\n1: big = false\n5: x = 3\n5: big = true\n");
    let wave = std::fs::read_to_string(bench.path().join("wave.vcd")).expect("it was written");
    for part in
        ["$var integer 64 ! x $end", "$var event 1 \" u $end", "$var wire 1 # big $end", "#5\nb11 !\n1#\n", "sa_b $"]
    {
        assert!(wave.contains(part), "{part} in {wave}");
    }
}

#[test]
fn an_included_file_may_be_named_without_its_ending() {
    let bench = Bench::new();
    bench.write("lib.tessla", "def more(x: Events[Int]) = x + 1\n");
    bench.write("trace", "1: x = 1\n");
    for name in ["lib", "lib.tessla"] {
        let (code, said) = bench.monitor(&format!("include \"{name}\"\nin x: Events[Int]\nout more(x) as y"), "trace");
        assert_eq!((code, said.as_str()), (Some(0), "1: y = 2\n"), "{name}");
    }
}

#[test]
fn what_it_was_compiled_to_can_be_printed() {
    let bench = Bench::new();
    let (code, said) = bench.monitor("in x: Events[Int]\ndef y = last(x, x)\nout y", "--print-core");
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("$0 = in x") && said.contains("last($0, $0) -- y") && said.contains("out $1 as y"), "{said}");
}
