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
    scratch.run("foretrace record ./").refuses("it is a directory");
    assert!(!scratch.path("foretrace.ft").exists(), "a refusal leaves nothing");
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
    assert!(complaint.contains("FORETRACE_CXC means nothing"), "{complaint}");
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
