//! Who is an instrumented caller, and who is not.

use crate::listing::Listing;
use crate::support::{Scratch, compilers};
use foretrace_trace::Recording;

const LIBRARY: &str = r#"
#include <string.h>
static volatile int copies;
void copy(char *to, const char *from) { memcpy(to, from, 8), copies++; }
"#;

const PROGRAM: &str = r#"
#include <pthread.h>
char source[8], target[8];
void copy(char *to, const char *from);
static void *work(void *arg) { copy(target, source); return arg; }
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
"#;

/// Records the program with the library built by this command.
fn with_library(build: &str, compiler: &str) -> String {
    let scratch = Scratch::with(&[("library.c", LIBRARY), ("program.c", PROGRAM)]);
    scratch.run(&format!("{build} -O2 -fno-builtin -fPIC -shared library.c -o libcopy.so")).succeeds();
    let path = scratch.path("");
    let path = path.display();
    scratch
        .run(&format!(
            "foretrace-cc --compiler={compiler} -O2 program.c -o program -pthread -L{path} -lcopy -Wl,-rpath,{path}"
        ))
        .succeeds();
    scratch.run("foretrace record -o out.ft -- ./program").succeeds();
    let recording = Recording::open(&scratch.path("out.ft")).expect("the recording opens");
    Listing::of(&recording, &scratch.path("program")).to_string()
}

#[test]
fn a_plain_library_touches_nothing() {
    for compiler in compilers() {
        let listing = with_library("gcc", compiler);
        assert_eq!(listing, "t0\n  start\n  fork t1\n  join t1\n  exit\nt1\n  start\n  end\n", "{compiler}");
    }
}

#[test]
fn an_instrumented_library_touches_what_it_copies() {
    for compiler in compilers() {
        let listing = with_library(&format!("foretrace-cc --compiler={compiler}"), compiler);
        assert!(listing.contains("t1\n  start\n  read source[0..8]\n  write target[0..8]\n  end\n"), "{listing}");
    }
}
