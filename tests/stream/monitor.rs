//! The example of the 2018 paper, end to end: compiled, recorded, and checked with every form of the lockset
//! specification, from the recording and while it runs.

#![forbid(unsafe_code)]

use std::path::Path;
use std::process::{Command, Output};

/// Figure 1 of the paper: `f` holds the lock, `g` does not. `SAFE` leaves `g` out. The threads run one after the other, so
/// that it is always `g` that empties the lockset: which access does so otherwise depends on who comes first.
const EXAMPLE: &str = r#"
#include <pthread.h>
int x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *f(void *arg) {
    for (int i = 0; i < 100; i++) {
        pthread_mutex_lock(&m);
        x++;
        pthread_mutex_unlock(&m);
    }
    return arg;
}
void *g(void *arg) {
    for (int i = 0; i < 100; i++)
        x++;
    return arg;
}
int main(void) {
    pthread_t p1, p2;
    pthread_create(&p1, 0, f, 0);
    pthread_join(p1, 0);
#ifdef SAFE
    pthread_create(&p2, 0, f, 0);
#else
    pthread_create(&p2, 0, g, 0);
#endif
    pthread_join(p2, 0);
    return 0;
}
"#;

/// The templates, each with the stream that names the function of an unguarded access.
const TEMPLATES: [(&str, &str); 4] = [
    ("--threads 2 --variables x", "error_x_in_function"),
    ("--threads 2 --variables x --no-sets --locks 1", "error_x_in_function"),
    ("", "error_function"),
    ("--states", "error_function"),
];

fn foretrace(directory: &Path, line: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_foretrace"));
    command.current_dir(directory).args(line.split_whitespace());
    command.env("FORETRACE_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
    command.output().expect("the tool runs")
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Builds the example, and checks every template on its recording and on a run of its own.
fn check(flags: &str, verdict: i32) {
    let scratch = tempfile::tempdir().expect("a scratch directory can be made");
    let directory = scratch.path();
    std::fs::write(directory.join("example.c"), EXAMPLE).expect("a file can be written");
    for line in [format!("cc -g -O0 {flags} example.c -o example -pthread"), "record -o run.ft ./example".to_owned()] {
        let output = foretrace(directory, &line);
        assert!(output.status.success(), "{line}: {}", text(&output));
    }
    for (template, stream) in TEMPLATES {
        let spec = foretrace(directory, &format!("monitor --template lockset {template}"));
        std::fs::write(directory.join("spec.tessla"), &spec.stdout).expect("a file can be written");
        for input in ["run.ft", "-- ./example"] {
            let output = foretrace(directory, &format!("monitor spec.tessla {input}"));
            let shown = text(&output);
            assert_eq!(output.status.code(), Some(verdict), "{template} {input}: {shown}");
            // The templates of the paper are in the dialect that shows strings in quotes.
            let name = if stream.starts_with("error_x") { "\"g\"" } else { "g" };
            assert_eq!(shown.contains(&format!("{stream} = {name}")), verdict == 1, "{template} {input}: {shown}");
        }
    }
}

#[test]
fn the_unprotected_increment_is_reported_by_every_specification() {
    check("", 1);
}

#[test]
fn protected_increments_are_not() {
    check("-DSAFE", 0);
}
