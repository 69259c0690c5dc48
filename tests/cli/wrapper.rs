//! The compiler wrapper with real compilers and linkers: what it builds links, runs, and can be recorded.

use crate::support::{COUNTER, FORETRACE_CC, Scratch, compilers, exists, needs};

/// Runs lines with `CC` and `CXX` replaced by the wrapper around each compiler in turn, then records `./prog`.
fn builds(files: &[(&str, &str)], lines: &[&str], expected: &str) {
    for compiler in compilers() {
        let scratch = Scratch::with(files);
        let wrapped = |line: &&str| {
            line.replace("CXX", &format!("foretrace-c++ --compiler={compiler}"))
                .replace("CC", &format!("foretrace-cc --compiler={compiler}"))
        };
        for line in lines.iter().map(wrapped) {
            let ran = scratch.run(&line).succeeds();
            assert_eq!(ran.err(), "", "{line}");
        }
        scratch.records("./prog", expected);
    }
}

#[test]
fn compile_and_link_in_one() {
    builds(&[("a.c", COUNTER)], &["CC -O2 -Wall -Werror a.c -o prog"], "2000\n");
}

#[test]
fn compile_then_link() {
    let lines = ["CC -O2 -c a.c -o a.o", "CC a.o -o prog"];
    builds(&[("a.c", COUNTER)], &lines, "2000\n");
}

#[test]
fn position_dependent() {
    builds(&[("a.c", COUNTER)], &["CC -O1 -fno-pie -no-pie a.c -o prog"], "2000\n");
}

#[test]
fn link_time_optimisation_of_gcc() {
    let scratch = Scratch::with(&[("a.c", COUNTER)]);
    scratch.all(&["foretrace-cc --compiler=gcc -flto -O2 -c a.c", "foretrace-cc --compiler=gcc -flto -O2 a.o -o prog"]);
    scratch.records("./prog", "2000\n");
}

#[test]
fn other_linkers() {
    for linker in ["gold", "lld-19"].into_iter().filter(|name| exists(&format!("ld.{name}"))) {
        let compiler = if linker == "gold" { "gcc" } else { "clang-19" };
        let scratch = Scratch::with(&[("a.c", COUNTER), ("f.c", "int f(int x) { return x + 1; }\n")]);
        scratch.all(&[
            &format!("foretrace-cc --compiler={compiler} -fuse-ld={linker} a.c -o prog"),
            &format!("foretrace-cc --compiler={compiler} -fuse-ld={linker} -fPIC -shared f.c -Wl,-z,defs -o libf.so"),
        ]);
        scratch.records("./prog", "2000\n");
    }
}

const THREAD: &str = r#"
#include <pthread.h>
#include <stdio.h>
int next(int);
static void *run(void *arg) { return (void *)(long)next((int)(long)arg); }
int main(void) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, run, (void *)41);
    pthread_join(thread, &result);
    printf("%ld\n", (long)result);
    return 0;
}
"#;
const NEXT: &str = "static int calls;\nint next(int x) { calls++; return x + calls; }\n";

#[test]
fn static_library() {
    let lines = ["CC -c next.c", "ar rcs libnext.a next.o", "CC a.c -L. -lnext -o prog"];
    builds(&[("a.c", THREAD), ("next.c", NEXT)], &lines, "42\n");
}

#[test]
fn shared_library() {
    let lines = ["CC -fPIC -shared next.c -Wl,-z,defs -o libnext.so", "CC a.c -L. -lnext -Wl,-rpath,$ORIGIN -o prog"];
    builds(&[("a.c", THREAD), ("next.c", NEXT)], &lines, "42\n");
}

#[test]
fn relocatable_object() {
    let lines = ["CC -c a.c", "CC -c next.c", "CC -r a.o next.o -o both.o", "CC both.o -o prog"];
    builds(&[("a.c", THREAD), ("next.c", NEXT)], &lines, "42\n");
}

#[test]
fn plugin() {
    let host = THREAD.replace("int next(int);", "#include <dlfcn.h>\nstatic int (*next)(int);").replace(
        "pthread_t thread;",
        "pthread_t thread;\n    next = (int (*)(int))dlsym(dlopen(\"./plugin.so\", RTLD_NOW), \"next\");",
    );
    let lines = ["CC -fPIC -shared next.c -o plugin.so", "CC a.c -ldl -o prog"];
    builds(&[("a.c", &host), ("next.c", NEXT)], &lines, "42\n");
}

#[test]
fn cplusplus() {
    let source = r#"
#include <iostream>
#include <mutex>
#include <thread>
#include <vector>
int main() {
    std::mutex lock;
    std::vector<int> seen;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++)
        threads.emplace_back([&, i] { std::lock_guard<std::mutex> guard(lock); seen.push_back(i); });
    for (auto &thread : threads) thread.join();
    std::cout << seen.size() << std::endl;
}
"#;
    builds(&[("a.cc", source)], &["CXX -std=c++17 -O2 a.cc -o prog"], "4\n");
    builds(&[("a.cc", source)], &["CXX -std=c++17 -c a.cc", "CXX a.o -o prog"], "4\n");
}

#[test]
fn precompiled_header() {
    let files = [("all.h", "#include <pthread.h>\n#include <stdio.h>\n"), ("a.c", COUNTER)];
    builds(&files, &["CC -O2 -x c-header all.h -o all.h.gch", "CC -O2 -include all.h a.c -o prog"], "2000\n");
}

#[test]
fn response_file() {
    let files = [("a.c", COUNTER), ("args", "-O2 'a.c'\n@more\n"), ("more", "-o prog")];
    builds(&files, &["CC @args"], "2000\n");
}

#[test]
fn assembler() {
    let next = ".globl next\nnext:\n    lea 1(%rdi), %eax\n    ret\n.section .note.GNU-stack,\"\",@progbits\n";
    let lines = ["CC -Werror -c next.s", "CC a.c next.o -o prog"];
    builds(&[("a.c", THREAD), ("next.s", next)], &lines, "42\n");
}

#[test]
fn read_modify_write_keeps_its_read() {
    let scratch = Scratch::with(&[("a.c", "int x;\nvoid f(void) { x++; }\n")]);
    for (compiler, hooks) in [("gcc", ["__tsan_read4", "__tsan_write4"]), ("clang-19", ["__tsan_read_write4"; 2])] {
        if exists(compiler) {
            let asm = scratch.run(&format!("foretrace-cc --compiler={compiler} -O2 -S a.c -o -")).succeeds().out();
            assert!(hooks.iter().all(|hook| asm.contains(hook)), "{compiler}: {asm}");
            assert!(!asm.contains("__tsan_func_entry"), "{compiler}: {asm}");
        }
    }
}

#[test]
fn wide_vectors_are_seen_under_clang() {
    needs("clang-19");
    let source = "void f(int n, int *a, int *b) { for (int i = 0; i < n; i++) a[i] = b[i] * 3; }\n";
    let scratch = Scratch::with(&[("a.c", source)]);
    let line = "foretrace-cc --compiler=clang-19 -O3 -mavx2 -S a.c -o -";
    assert!(!scratch.run(line).succeeds().out().contains("ymm"));
}

#[test]
fn questions_are_the_compilers_to_answer() {
    for compiler in compilers() {
        let scratch = Scratch::with(&[("a.c", "int x;\n")]);
        for question in ["--version", "-dumpmachine", "-print-search-dirs", "-E a.c", "-M a.c", "-dumpversion"] {
            let ours = scratch.run(&format!("foretrace-cc --compiler={compiler} {question}")).succeeds();
            assert_eq!(ours.out(), scratch.run(&format!("{compiler} {question}")).out(), "{compiler} {question}");
        }
    }
}

#[test]
fn the_same_call_makes_the_same_object() {
    for compiler in compilers() {
        let scratch = Scratch::with(&[("a.c", COUNTER)]);
        let compile = |object: &str| {
            scratch.run(&format!("foretrace-cc --compiler={compiler} -O2 -c a.c -o {object}")).succeeds();
            std::fs::read(scratch.path(object)).expect("an object")
        };
        assert_eq!(compile("a.o"), compile("b.o"), "{compiler}");
    }
}

#[test]
fn the_compilers_exit_code_and_complaints_are_kept() {
    let scratch = Scratch::with(&[("bad.c", "int f( {\n")]);
    let ran = scratch.run("foretrace-cc --compiler=gcc -c bad.c");
    assert_eq!(ran.code(), Some(1));
    assert!(ran.err().contains("bad.c:1"), "{}", ran.err());
}

const STATIC: &str =
    "#include <stdlib.h>\nint f() { static int x = rand(); return x; }\nint main() { return f() == 0; }\n";
const WIDE: &str = r#"
struct Wide { long words[4]; } shared;
int main(void) {
    struct Wide one = {{1, 2, 3, 4}}, other;
    __atomic_store(&shared, &one, 5);
    __atomic_load(&shared, &other, 5);
    return other.words[3] != 4;
}
"#;

fn needed(scratch: &Scratch, program: &str) -> Vec<String> {
    let listing = scratch.run(&format!("readelf -d {program}")).succeeds().out();
    let names = listing.lines().filter(|line| line.contains("(NEEDED)"));
    let mut names: Vec<_> = names.filter_map(|line| line.split(['[', ']']).nth(1)).map(str::to_owned).collect();
    names.sort();
    names
}

/// The runtime stands in front of functions of these libraries, and does not take their place.
#[test]
fn the_same_libraries_are_needed() {
    let files = [("static.cc", STATIC), ("wide.c", WIDE), ("a.c", COUNTER)];
    for compiler in ["g++", "clang++-19"].into_iter().filter(|name| exists(name)) {
        for linker in ["bfd", "gold"].into_iter().filter(|name| exists(&format!("ld.{name}"))) {
            for rest in ["static.cc", "wide.c -latomic", "a.c -lm", "-Wl,--gc-sections static.cc"] {
                let scratch = Scratch::with(&files);
                let line = format!("-w -Wl,--as-needed -fuse-ld={linker} {rest} -o");
                scratch.run(&format!("{compiler} {line} native")).succeeds();
                scratch.run(&format!("foretrace-c++ --compiler={compiler} {line} ours")).succeeds();
                assert_eq!(needed(&scratch, "ours"), needed(&scratch, "native"), "{compiler} {line}");
                scratch.run("./ours").succeeds();
            }
        }
    }
}

const UNDEFINED: &str = r#"
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
static int counts[4];
static void *run(void *arg) {
    volatile int most = INT_MAX;
    most = most + 1;
    counts[3] = most;
    return arg;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
    puts("went on");
    return 0;
}
"#;

/// Undefined behaviour is reported as without Foretrace, and the program goes on.
#[test]
fn together_with_checks_of_undefined_behaviour() {
    for (compiler, file) in [("gcc", "a.c"), ("clang-19", "a.c"), ("g++", "a.cc"), ("clang++-19", "a.cc")] {
        if !exists(compiler) {
            continue;
        }
        let scratch = Scratch::with(&[("a.c", UNDEFINED), ("a.cc", UNDEFINED)]);
        let wrapper = if file == "a.c" { "foretrace-cc" } else { "foretrace-c++" };
        let line = format!("{wrapper} --compiler={compiler} -fsanitize=thread,undefined {file} -o prog");
        scratch.run(&line).succeeds();
        let ran = scratch.run("foretrace record ./prog").succeeds();
        assert_eq!(ran.out(), "went on\n", "{compiler}");
        let told = "runtime error: signed integer overflow: 2147483647 + 1 cannot be represented in type 'int'";
        assert!(ran.err().contains(told) && ran.err().contains(&format!("{file}:8:")), "{compiler}: {}", ran.err());
    }
}

/// A compiler that is a script around the wrapper ends at once, and does not start processes without end.
#[test]
fn a_compiler_that_starts_the_wrapper_again_is_refused() {
    let scratch = Scratch::with(&[("again", "")]);
    let script = format!("#!/bin/sh\nexec {FORETRACE_CC} \"$@\"\n");
    std::fs::write(scratch.path("again"), script).expect("a file can be written");
    let ran = scratch.shell("chmod +x again && FORETRACE_CC=$PWD/again timeout 20 $PWD/again -c x.c");
    assert_eq!(ran.code(), Some(2), "{}", ran.err());
    assert!(ran.err().contains("starts the wrapper again; name the real one in FORETRACE_CC"), "{}", ran.err());
}
