//! The wrapper under the build systems people have.

use crate::support::{COUNTER, FORETRACE_CC, FORETRACE_CXX, Scratch, compilers, needs};

const CMAKE: &str = "
cmake_minimum_required(VERSION 3.10)
project(counter C CXX)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
find_package(Threads REQUIRED)
add_library(helper SHARED helper.cc)
add_executable(prog a.c)
target_link_libraries(prog helper Threads::Threads)
";
const HELPER: &str = "#include <string>\nextern \"C\" int helper() { return (int)std::string(\"four\").size(); }\n";

#[test]
fn cmake() {
    needs("cmake");
    let compiler = [format!("-DCMAKE_C_COMPILER={FORETRACE_CC}"), format!("-DCMAKE_CXX_COMPILER={FORETRACE_CXX}")];
    let launcher = [
        format!("-DCMAKE_C_COMPILER_LAUNCHER={FORETRACE_CC}"),
        format!("-DCMAKE_CXX_COMPILER_LAUNCHER={FORETRACE_CXX}"),
        // CMake launches compilers, not links.
        format!("-DCMAKE_C_LINKER_LAUNCHER={FORETRACE_CC}"),
        format!("-DCMAKE_CXX_LINKER_LAUNCHER={FORETRACE_CXX}"),
    ];
    for flags in [&compiler[..], &launcher[..]] {
        let scratch = Scratch::with(&[("CMakeLists.txt", CMAKE), ("a.c", COUNTER), ("helper.cc", HELPER)]);
        scratch.run(&format!("cmake -S . -B out {}", flags.join(" "))).succeeds();
        scratch.run("cmake --build out").succeeds();
        scratch.records("out/prog", "2000\n");
    }
}

#[test]
fn meson() {
    needs("meson");
    needs("ninja");
    let build = "project('counter', 'c')\nexecutable('prog', 'a.c', dependencies: dependency('threads'))\n";
    for compiler in compilers() {
        let scratch = Scratch::with(&[("meson.build", build), ("a.c", COUNTER)]);
        let setup = scratch
            .command("meson")
            .args(["setup", "out"])
            .env("CC", FORETRACE_CC)
            .env("FORETRACE_CC", compiler)
            .output()
            .expect("meson runs");
        assert!(setup.status.success(), "{}", String::from_utf8_lossy(&setup.stdout));
        let ninja = scratch.command("ninja").args(["-C", "out"]).env("FORETRACE_CC", compiler).output();
        assert!(ninja.expect("ninja runs").status.success());
        scratch.records("out/prog", "2000\n");
    }
}

/// What a configure script tries: does a program compile, link, run; is a function there; is it not.
#[test]
fn probes_of_configure_scripts() {
    let has = "char pthread_create(void);\nint main(void) { return pthread_create(); }\n";
    let lacks = "char no_such_function_here(void);\nint main(void) { return no_such_function_here(); }\n";
    let runs = "int main(void) { return 0; }\n";
    for compiler in compilers() {
        let scratch = Scratch::with(&[("has.c", has), ("lacks.c", lacks), ("runs.c", runs)]);
        let cc = |rest: &str| scratch.run(&format!("foretrace-cc --compiler={compiler} {rest}"));
        cc("runs.c -o conftest").succeeds();
        scratch.run("./conftest").succeeds();
        cc("-w -fno-builtin has.c -o conftest").succeeds();
        assert_ne!(cc("-w lacks.c -o conftest").code(), Some(0), "{compiler}");
        assert_ne!(cc("-static runs.c -o conftest").code(), Some(0), "{compiler}");
        cc("-E runs.c").succeeds();
    }
}

#[test]
fn ccache() {
    needs("ccache");
    let scratch = Scratch::with(&[("a.c", COUNTER)]);
    let compile = |object: &str| {
        let mut command = scratch.command(FORETRACE_CC);
        command.args(["-O2", "-c", "a.c", "-o", object]).env("FORETRACE_CC", "ccache gcc");
        let output = command.env("CCACHE_DIR", scratch.path("ccache")).output().expect("ccache runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        std::fs::read(scratch.path(object)).expect("an object")
    };
    assert_eq!(compile("a.o"), compile("b.o"));
    scratch.run("foretrace-cc --compiler=gcc b.o -o prog").succeeds();
    scratch.records("./prog", "2000\n");
}
