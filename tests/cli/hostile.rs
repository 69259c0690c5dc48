//! Files that nobody vouches for: recordings and findings from elsewhere, names that speak to the terminal, special files
//! where regular ones are expected, files that shrink.

use crate::support::{COUNTER, FORETRACE, Ran, Scratch};

/// A recording `run.ft` of a program that is built and recorded here.
fn recorded(source: &str) -> Scratch {
    let scratch = Scratch::with(&[("prog.c", source)]);
    scratch.shell("foretrace cc -g -pthread -o prog prog.c && foretrace record -o run.ft ./prog > output").succeeds();
    scratch
}

/// A command that must answer within seconds: what it does wrong is to wait.
fn prompt(scratch: &Scratch, line: &str) -> Ran {
    // A shell function, such as `foretrace` here, is no command for `timeout`.
    let ran = scratch.shell(&format!("timeout 20 {}", line.replacen("foretrace", FORETRACE, 1)));
    assert_ne!(ran.code(), Some(124), "{line} hangs");
    ran
}

#[test]
fn a_recording_from_elsewhere_runs_only_if_it_is_trusted() {
    let scratch = recorded(COUNTER);
    let ran = scratch.shell("foretrace check --recording run.ft");
    assert_eq!(ran.code(), Some(0), "{}", ran.err());
    assert!(ran.err().contains("foretrace: running ./prog ("), "it says what it runs: {}", ran.err());
    // Another user, or another machine, has another key.
    let elsewhere = "FORETRACE_CACHE=$PWD/other foretrace check --recording run.ft";
    scratch.shell(elsewhere).refuses("was not made here, or was changed: it would run ./prog");
    let ran = scratch.shell(&format!("{elsewhere} --trust"));
    assert_eq!(ran.code(), Some(0), "{}", ran.err());
}

#[test]
fn a_recording_that_was_changed_is_not_run() {
    let scratch = recorded(COUNTER);
    scratch.shell("cp -r run.ft moved.ft && foretrace check --recording moved.ft").succeeds();
    scratch.shell("cp -r run.ft c.ft && sed -i s/^command=.*/command=touch\\ owned/ c.ft/run").succeeds();
    scratch.shell("foretrace check --recording c.ft").refuses("it would run touch owned");
    scratch.shell("cp -r run.ft e.ft && echo LD_PRELOAD=./evil.so >> e.ft/environment").succeeds();
    scratch.shell("foretrace check --recording e.ft").refuses("with LD_PRELOAD=./evil.so");
    scratch.shell("cp -r run.ft s.ft && rm s.ft/seal && foretrace check --recording s.ft").refuses("not made here");
    scratch
        .shell("cp -r run.ft l.ft && truncate -s 3 l.ft/seal && foretrace check --recording l.ft")
        .refuses("not made");
}

#[test]
fn a_program_that_was_swapped_in_a_finding_is_not_run() {
    let scratch = Scratch::with(&[("race.c", RACE)]);
    assert_eq!(scratch.shell("foretrace check race.c").code(), Some(1));
    let replay = "foretrace replay foretrace-findings/data-race-*";
    assert_eq!(scratch.shell(replay).code(), Some(1));
    // The same build id, but other bytes.
    scratch.shell("cd foretrace-findings/runs/race-*/program && echo x >> race").succeeds();
    scratch.shell(replay).refuses("was not made here, or was changed");
}

const RACE: &str = r"
#include <pthread.h>
static int shared;
static void *first(void *arg) { shared = 1; return arg; }
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, first, 0);
    shared = 2;
    pthread_join(a, 0);
    return 0;
}
";

/// A thread whose name sets the title of the terminal, and turns its colours.
const NAMED: &str = r#"
#define _GNU_SOURCE
#include <pthread.h>
static int shared;
static void *work(void *arg) {
    pthread_setname_np(pthread_self(), "\x1b]0;x\x07\xc2\x9b" "31m");
    shared = 1;
    return arg;
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, work, 0);
    shared = 2;
    pthread_join(a, 0);
    return 0;
}
"#;

/// Control characters other than the ends of lines and tabs, C1 included.
fn controls(text: &str) -> Vec<char> {
    text.chars().filter(|c| c.is_control() && !matches!(c, '\n' | '\t')).collect()
}

#[test]
fn names_do_nothing_to_the_terminal() {
    let scratch = recorded(NAMED);
    let lines = [
        "foretrace trace info run.ft",
        "foretrace trace dump run.ft",
        "foretrace trace dump --raw run.ft",
        "foretrace trace convert run.ft --to text",
        "foretrace trace convert run.ft --to std",
        "foretrace predict run.ft",
        "foretrace check --recording run.ft",
        "foretrace check --recording run.ft --format tsan",
        "foretrace check --recording run.ft --format github",
        "foretrace check --recording run.ft --format junit",
        "foretrace trace dump $(printf 'no\\033[31mwhere')",
        "foretrace replay $(printf 'no\\033[31mwhere')",
        "printf 'P = \\033[31m\\302\\233 -> STOP' > e.csp; foretrace csp e.csp",
        "printf 'channel a\\nprint \"\\033[31m\"\\nassert STOP [T= a -> STOP' > g.csp; foretrace csp g.csp",
        "printf 'in a: Events[String]\\nout \\033[31m' > e.tessla; foretrace monitor e.tessla < /dev/null",
        "printf 'in a: Events[String]\\nout a' > f.tessla; printf '1: a = \"x\\033[31my\\302\\233\"' | foretrace monitor f.tessla",
        "printf '1: \\033[31ma = 3' | foretrace monitor f.tessla",
        "printf '1,\\033[31m\\n2,\\033[31m' | foretrace monitor --csv f.tessla",
    ];
    for line in lines {
        let ran = scratch.shell(line);
        assert_eq!(controls(&(ran.out() + &ran.err())), [], "{line}: {}{}", ran.out(), ran.err());
    }
}

#[test]
fn special_files_are_refused_and_not_waited_for() {
    let scratch = recorded(COUNTER);
    scratch.shell("mkfifo fifo; ln -s /dev/zero zero").succeeds();
    let commands = [
        "foretrace trace info X",
        "foretrace trace dump X",
        "foretrace predict X",
        "foretrace csp X",
        "foretrace monitor X run.ft",
        "foretrace check --suppressions X -- ./prog",
        "foretrace record -o o.ft ./X",
        "foretrace check ./X",
    ];
    for (file, what) in [("fifo", "a FIFO"), ("zero", "a device")] {
        for command in commands {
            let line = command.replace('X', file);
            let ran = prompt(&scratch, &line);
            assert_eq!(ran.code(), Some(2), "{line}: {}", ran.err());
            assert!(ran.err().contains(what), "{line}: {}", ran.err());
        }
    }
}

#[test]
fn special_files_in_a_recording_are_refused_and_not_waited_for() {
    let scratch = recorded(COUNTER);
    for file in ["events", "modules", "threads", "run", "environment", "seal"] {
        scratch.shell("rm -rf bad.ft && cp -r run.ft bad.ft").succeeds();
        scratch.shell(&format!("rm -f bad.ft/{file} && mkfifo bad.ft/{file}")).succeeds();
        let ran = prompt(&scratch, "foretrace check --recording bad.ft");
        assert_eq!(ran.code(), Some(2), "{file}: {}", ran.err());
    }
    // A module may be named that is no file.
    scratch
        .shell("rm -rf bad.ft && cp -r run.ft bad.ft && sed -i 's, [^ ]*/prog$, /dev/zero,' bad.ft/modules")
        .succeeds();
    prompt(&scratch, "foretrace trace dump bad.ft").succeeds();
    // The folder of a recording may be a link to itself.
    scratch.shell("ln -s loop.ft loop.ft").succeeds();
    prompt(&scratch, "foretrace trace info loop.ft").refuses("loop.ft");
}

const SPECIFICATION: &str = "in a: Events[Int]\nout a\n";

/// Runs a line of the shell in 1 GB of memory at the most; it must answer within seconds.
fn small(scratch: &Scratch, line: &str) -> Ran {
    let ran =
        scratch.shell(&format!("ulimit -v 1000000; {}", line.replace("foretrace", &format!("timeout 60 {FORETRACE}"))));
    assert_ne!(ran.code(), Some(124), "{line} hangs");
    ran
}

#[test]
fn a_stream_without_an_end_or_with_endless_lines_is_refused() {
    let scratch = Scratch::with(&[("a.tessla", SPECIFICATION), ("a.csp", "P = STOP\n")]);
    let binary = "(printf 'ftevent\\002\\001\\003\\001a\\000\\000\\000\\377\\377\\377\\377\\177'; cat /dev/zero)";
    let lines = [
        ("foretrace monitor a.tessla /dev/zero".to_owned(), "the line is longer than 4194304 bytes"),
        ("foretrace monitor a.tessla < /dev/zero".to_owned(), "the line is longer than 4194304 bytes"),
        ("cat /dev/zero | foretrace monitor a.tessla -".to_owned(), "the line is longer than 4194304 bytes"),
        ("cat /dev/zero | foretrace monitor --csv a.tessla -".to_owned(), "the line is longer than 4194304 bytes"),
        (
            "mkfifo f; cat /dev/zero > f & foretrace monitor a.tessla f".to_owned(),
            "the line is longer than 4194304 bytes",
        ),
        (
            format!("echo 'in a: Events[String]' > s.tessla; {binary} | foretrace monitor s.tessla"),
            "a string of more than",
        ),
        ("cat /dev/zero | foretrace csp -".to_owned(), "longer than 268435456 bytes"),
        ("cat /dev/zero | foretrace csp --repl a.csp".to_owned(), "the line is longer than 4194304 bytes"),
    ];
    for (line, reason) in lines {
        let ran = small(&scratch, &line);
        assert_eq!(ran.code(), Some(2), "{line}: {}", ran.err());
        assert!(ran.err().contains(reason), "{line}: {}", ran.err());
        assert!(ran.err().len() < 1000, "{line} shows {} bytes", ran.err().len());
    }
}
