//! TeSSLa's annotations that ask for instrumentation: calls, bodies, arguments, results and global variables of a C program
//! become events of inputs, while the program runs and from its recording.

#![forbid(unsafe_code)]

use std::path::Path;
use std::process::{Command, Output};

const PROGRAM: &str = r#"
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
struct state { int before; int fd; } state;
int total;
double level;
int add(int a, int b) {
    total += a + b;
    return total;
}
bool is_large(long x) { return x > 10; }
double half(double x) { return x / 2; }
void quiet(void) {}
void *work(void *arg) {
    add(10, 20);
    return arg;
}
int main(int argc, char **argv) {
    pthread_t p;
    add(1, argc > 1 ? atoi(argv[1]) : 2);
    state.before = 7;
    state.fd = 3;
    is_large(total);
    pthread_create(&p, 0, work, 0);
    pthread_join(p, 0);
    is_large(total);
    level = half(5);
    quiet();
    return 0;
}
"#;

/// Every annotation that is supported, on inputs of every type.
const SPECIFICATION: &str = r#"
@InstFunctionCall("add")
in call: Events[Unit]
@InstFunctionCallArg("add", 0)
in a: Events[Int]
@InstFunctionCallArg(index = 1, name = "add")
in b: Events[Int]
@InstFunctionCalled("quiet")
in quiet: Events[Unit]
@InstFunctionCalledArg("is_large", 0)
in x: Events[Int]
@InstFunctionReturn("quiet")
in quiet_ends: Events[Unit]
@InstFunctionReturnValue("add")
in sum: Events[Int]
@InstFunctionReturned("add")
in back: Events[Unit]
@InstFunctionReturnedValue("is_large")
in large: Events[Bool]
@InstFunctionReturnedValue("half")
in half: Events[Float]
@GlobalWrite("total")
in total: Events[Int]
@GlobalRead("total")
in reads: Events[Unit]
@GlobalWrite("state.fd")
in fd: Events[Int]
@GlobalWrite("level")
in level: Events[Float]
@ThreadId
in thread: Events[Int]
in line: Events[Int]
in pcreate: Events[Unit]

out a
out b
out a + b == on(call, a + b) as at_one_time
out x
out sum
out large
out half
out total
out fd
out level
out count(call) as calls
out count(back) as backs
out count(reads) as read
out time(quiet) < time(quiet_ends) as in_order
out on(call, thread) as caller
out on(x, line) as line_of_x
out count(pcreate) as threads
"#;

struct Bench(tempfile::TempDir);

impl Bench {
    fn new(specification: &str) -> Bench {
        let bench = Bench(tempfile::tempdir().expect("a scratch directory can be made"));
        bench.write("program.c", PROGRAM);
        bench.write("spec.tessla", specification);
        bench
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.path().join(name), text).expect("a file can be written");
    }

    /// The exit code and what is said.
    fn foretrace(&self, line: &str) -> (Option<i32>, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_foretrace"));
        command.current_dir(self.0.path()).args(line.split_whitespace());
        command.env("FORETRACE_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
        let output = command.output().expect("the tool runs");
        (output.status.code(), said(&output))
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// The values of a stream, in order.
fn values<'a>(said: &'a str, stream: &str) -> Vec<&'a str> {
    let mark = format!(": {stream} = ");
    said.lines().filter_map(|line| line.split_once(&mark)).map(|(_, value)| value).collect()
}

/// What the specification must say of a run.
fn check(said: &str, second: &str) {
    let sums: Vec<String> = {
        let first = 1 + second.parse::<i64>().expect("a number");
        vec![first.to_string(), (first + 30).to_string()]
    };
    for (stream, expected) in [
        ("a", vec!["1", "10"]),
        ("b", vec![second, "20"]),
        ("sum", sums.iter().map(String::as_str).collect()),
        ("total", sums.iter().map(String::as_str).collect()),
        ("x", sums.iter().map(String::as_str).collect()),
        ("large", vec!["false", "true"]),
        ("half", vec!["2.5"]),
        ("fd", vec!["3"]),
        ("level", vec!["2.5"]),
        ("in_order", vec!["true"]),
        ("line_of_x", vec!["12", "12"]),
    ] {
        assert_eq!(values(said, stream), expected, "{stream}: {said}");
    }
    for (stream, last) in [("calls", "2"), ("backs", "2"), ("read", "6"), ("threads", "1"), ("at_one_time", "true")] {
        assert_eq!(values(said, stream).last(), Some(&last), "{stream}: {said}");
    }
    let threads = values(said, "caller");
    assert!(threads.len() == 2 && threads[0] != threads[1], "{said}");
}

#[test]
fn a_program_is_compiled_and_monitored_with_its_specification() {
    let bench = Bench::new(SPECIFICATION);
    let (code, said) = bench.foretrace("monitor spec.tessla program.c");
    assert_eq!(code, Some(0), "{said}");
    check(&said, "2");
    let (code, said) = bench.foretrace("monitor spec.tessla program.c --cflags -O2 -- 5");
    assert_eq!(code, Some(0), "{said}");
    check(&said, "5");
}

#[test]
fn a_program_that_was_built_with_the_specification_is_monitored_live_and_later() {
    let bench = Bench::new(SPECIFICATION);
    let (code, said) = bench.foretrace("cc --events spec.tessla -g program.c -o program -pthread");
    assert_eq!(code, Some(0), "{said}");
    let (code, said) = bench.foretrace("monitor spec.tessla -- ./program");
    assert_eq!(code, Some(0), "{said}");
    check(&said, "2");
    let (code, said) = bench.foretrace("record -o run.ft ./program 4");
    assert_eq!(code, Some(0), "{said}");
    let (code, said) = bench.foretrace("monitor spec.tessla run.ft");
    assert_eq!(code, Some(0), "{said}");
    check(&said, "4");
    // Another specification that asks for a part of it fits as well.
    bench.write("part.tessla", "@InstFunctionReturnValue(\"add\")\nin r: Events[Int]\nout maximum(r) as most");
    let (code, said) = bench.foretrace("monitor part.tessla run.ft");
    assert_eq!((code, values(&said, "most").last()), (Some(0), Some(&"35")), "{said}");
}

#[test]
fn an_error_is_found_in_a_call() {
    let bench = Bench::new(
        "@InstFunctionCalledArg(\"is_large\", 0)\nin x: Events[Int]\n@error\nout filter(x, x > 20) as too_large\n",
    );
    let (code, said) = bench.foretrace("monitor spec.tessla program.c");
    assert_eq!((code, values(&said, "too_large")), (Some(1), vec!["33"]), "{said}");
}

#[test]
fn what_is_not_in_the_program_is_said() {
    let bench = Bench::new("@InstFunctionCall(\"ad\")\nin call: Events[Unit]\nout call");
    let (code, said) = bench.foretrace("monitor spec.tessla program.c");
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("`ad` (line 1 of the specification) matches nothing") && said.contains("add"), "{said}");
    assert!(said.contains("the program emits no such event"), "{said}");
    let half =
        "@InstFunctionCall(\"ad\")\nin no: Events[Unit]\n@InstFunctionCall(\"add\")\nin yes: Events[Unit]\nout yes";
    bench.write("spec.tessla", half);
    let (code, said) = bench.foretrace("monitor spec.tessla program.c");
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("`@InstFunctionCall(\"ad\")` of input `no`: the program has no such place"), "{said}");
    assert_eq!(said.matches(": yes = ()").count(), 2, "{said}");
}

#[test]
fn what_cannot_be_observed_is_an_error() {
    let cases = [
        ("@LocalWrite(\"x\", \"f\")\nin i: Events[Int]", "accesses to local variables are not observed"),
        ("@GlobalWriteIndex(\"a[]\", 0)\nin i: Events[Int]", "the index of an access is not observed"),
        ("@GlobalRead(\"*p\")\nin i: Events[Int]", "accesses through pointers are not observed"),
        ("@GlobalWrite(\"a[]\")\nin i: Events[Int]", "accesses to single elements are not observed"),
        ("@InstFunctionCall(\"add\")\nin i: Events[Int]", "see `@InstFunctionCallArg`"),
        ("@InstFunctionReturn(\"add\")\nin i: Events[Int]", "see `@InstFunctionReturnValue`"),
        ("@InstFunctionCallArg(\"add\", 0)\nin i: Events[String]", "events of type Unit, Int, Bool or Float"),
        ("@InstFunctionCallArg(\"add\", 1 - 1)\nin i: Events[Int]", "must be written as a number"),
        ("@InstFunctionCallArg(\"add\", 9)\nin i: Events[Int]", "#9 does not exist: the last argument is #1"),
        ("@InstFunctionReturnValue(\"quiet\")\nin i: Events[Int]", "#return does not exist"),
        ("@InstFunctionCall(\"add when #0 == 1\")\nin i: Events[Unit]", "is not a name"),
        (
            "@InstFunctionCallArg(\"add\", 0)\n@InstFunctionCallArg(\"add\", 1)\nin i: Events[Int]",
            "already has an event there",
        ),
        ("@ThreadId\nin i: Events[Int]", "tells the threads of other annotated inputs"),
    ];
    let bench = Bench::new("");
    for (input, message) in cases {
        bench.write("spec.tessla", &format!("{input}\nout i"));
        let (code, said) = bench.foretrace("monitor spec.tessla program.c");
        assert_eq!(code, Some(2), "{input}: {said}");
        assert!(said.contains(message), "{input}: {said}");
    }
    bench.write("spec.tessla", "in i: Events[Int]\nout i");
    let (code, said) = bench.foretrace("cc --events spec.tessla program.c -o program -pthread");
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("no input of this specification asks for events"), "{said}");
}
