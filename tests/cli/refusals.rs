//! What cannot be done is said in one line that names the thing and the way out.

use crate::support::{FORETRACE, Scratch};
use std::path::Path;

#[test]
fn of_the_wrapper() {
    let scratch = Scratch::with(&[("a.c", "int main(void) { return 0; }\n")]);
    scratch.run("foretrace cc -static a.c").refuses("link it without -static");
    scratch.run("foretrace-cc -fsanitize=address -c a.c").refuses("-fsanitize=address cannot be combined");
    scratch.run("foretrace-cc --compiler").refuses("--compiler needs a compiler");
    scratch.run("foretrace-cc --compiler=no-such-compiler-gcc a.c").refuses("cannot run no-such-compiler-gcc");
}

#[test]
fn of_programs() {
    let scratch = Scratch::with(&[("a.c", "int main(void) { return 0; }\n"), ("text", "hello\n")]);
    scratch.run("gcc -static a.c -o static").succeeds();
    scratch.run("foretrace record ./static").refuses("linked statically");
    scratch.run("foretrace record no-such-program").refuses("not found in PATH");
    scratch.run("foretrace record ./no-such-program").refuses("cannot record ./no-such-program");
    scratch.run("foretrace record ./text").refuses("neither an ELF program nor a script");
    scratch.run("foretrace record ./").refuses("is a directory");
    assert!(!scratch.path("foretrace.ft").exists(), "a refusal leaves nothing");
}

/// What cannot be served is refused in one line, with exit code 2, before anything runs, whoever asks.
#[test]
fn of_programs_that_cannot_be_served() {
    let source = "#include <stdio.h>\nint main(void) { puts(\"ran\"); return 0; }\n";
    let specification = "in line: Events[Int]\nout line\n";
    let scratch = Scratch::with(&[("a.c", source), ("empty.tessla", specification)]);
    scratch.all(&["gcc -static a.c -o static", "gcc -static-pie a.c -o static-pie", "gcc -c a.c", "gcc a.c -o plain"]);
    let mut refused = vec![("./static", "linked statically"), ("./static-pie", "linked statically")];
    refused.push(("./a.o", "it is an object file"));
    let builds = [
        ("gcc -fsanitize=address a.c -o asan", "./asan", "built with AddressSanitizer"),
        ("gcc -fsanitize=leak a.c -o lsan", "./lsan", "built with LeakSanitizer"),
        ("clang-19 -fsanitize=address a.c -o casan", "./casan", "built with AddressSanitizer"),
        ("clang-19 -fsanitize=memory a.c -o msan", "./msan", "built with MemorySanitizer"),
        ("clang-19 -fsanitize=hwaddress a.c -o hwasan", "./hwasan", "built with HWAddressSanitizer"),
        ("clang-19 -fsanitize=thread a.c -o ctsan", "./ctsan", "build it with foretrace cc"),
        ("gcc -m32 a.c -o narrow", "./narrow", "it is a 32-bit program"),
        ("musl-gcc a.c -o musl", "./musl", "built for the musl C library"),
    ];
    for (build, program, why) in builds {
        let compiler = build.split(' ').next().unwrap_or_default();
        // Not every machine has every compiler and library.
        if crate::support::exists(compiler) && scratch.run(build).code() == Some(0) {
            refused.push((program, why));
        }
    }
    let narrow = scratch.path("narrow-header");
    let mut bytes = std::fs::read(scratch.path("plain")).expect("it was built");
    bytes[4] = 1;
    std::fs::write(&narrow, &bytes).expect("a file can be written");
    (bytes[4], bytes[18]) = (2, 183);
    std::fs::write(scratch.path("other"), &bytes).expect("a file can be written");
    refused.extend([("./narrow-header", "it is a 32-bit program"), ("./other", "built for another machine")]);
    for (program, why) in refused {
        for way in ["record", "check --", "monitor empty.tessla --"] {
            let ran = scratch.run(&format!("foretrace {way} {program}"));
            assert_eq!((ran.code(), ran.out()), (Some(2), String::new()), "{way} {program}: {}", ran.err());
            assert!(ran.err().contains(why) && ran.err().lines().count() == 1, "{way} {program}: {}", ran.err());
        }
    }
}

#[test]
fn of_clangs_own_runtime() {
    let scratch = Scratch::with(&[("a.c", "int main(void) { return 0; }\n")]);
    crate::support::needs("clang-19");
    scratch.run("clang-19 -fsanitize=thread a.c -o prog").succeeds();
    scratch.run("foretrace record ./prog").refuses("build it with foretrace cc");
}

#[test]
fn of_places() {
    let scratch = Scratch::with(&[("notes.txt", "mine\n")]);
    std::fs::create_dir(scratch.path("mine")).expect("a directory can be made");
    std::fs::write(scratch.path("mine/thesis.tex"), "years of work").expect("a file can be written");
    scratch.run("foretrace record -o mine true").refuses("it holds thesis.tex; choose another place with -o");
    scratch.run("foretrace record -o notes.txt true").refuses("is not a recording");
    assert!(scratch.path("mine/thesis.tex").exists() && scratch.path("notes.txt").exists());
}

#[test]
fn of_a_cache_that_others_can_write_to() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = Scratch::with(&[("a.c", "int x;\n")]);
    std::fs::create_dir(scratch.path("cache")).expect("a directory can be made");
    std::fs::set_permissions(scratch.path("cache"), std::fs::Permissions::from_mode(0o777)).expect("a mode can be set");
    let output = scratch.command(FORETRACE).args(["cc", "-c", "a.c"]).env("FORETRACE_CACHE", "cache").output();
    let complaint = String::from_utf8_lossy(&output.expect("it runs").stderr).into_owned();
    assert!(complaint.contains("that you alone can write to"), "{complaint}");
}

#[test]
fn slips_of_the_keyboard_are_noticed() {
    let scratch = Scratch::new();
    let output = scratch.command(FORETRACE).args(["cc", "--version"]).env("FORETRACE_CXC", "gcc").output();
    let complaint = String::from_utf8_lossy(&output.expect("it runs").stderr).into_owned();
    assert!(complaint.contains("FORETRACE_CXC is not a variable of Foretrace"), "{complaint}");
}

#[test]
fn many_calls_at_once_unpack_one_runtime() {
    let scratch = Scratch::with(&[("a.c", "int main(void) { return 0; }\n")]);
    let start = |number: usize| {
        let mut command = scratch.command(FORETRACE);
        command.args(["cc", "--compiler=gcc", "a.c", "-o", &format!("prog{number}")]).env("FORETRACE_CACHE", "fresh");
        command.spawn().expect("it starts")
    };
    let calls: Vec<_> = (0..8).map(start).collect();
    for mut call in calls {
        assert!(call.wait().expect("it ends").success());
    }
    assert_eq!(std::fs::read_dir(scratch.path("fresh")).expect("a cache").count(), 1, "no draft is left");
    let mode = |path: &Path| std::os::unix::fs::MetadataExt::mode(&path.metadata().expect("it is there")) & 0o777;
    assert_eq!(mode(&scratch.path("fresh")), 0o700);
}
