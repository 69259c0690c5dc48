//! Which calls take the detour through text, and with which commands.

use foretrace_cc::{Compiler, Detour, Family, Levels, Runtime, detour};
use std::ffi::OsString;

fn of(family: Family, line: &str) -> Option<Detour> {
    at(Levels::Optimised, family, line)
}

fn at(levels: Levels, family: Family, line: &str) -> Option<Detour> {
    let compiler = Compiler { command: vec!["cc".into()], family };
    let args: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
    let runtime = Runtime::in_directory("/cache".as_ref());
    detour(&compiler, &runtime, &args, "/scratch".as_ref(), levels, &|_| None).expect("these calls are right")
}

fn words(command: &[OsString]) -> Vec<String> {
    command.iter().map(|word| word.to_string_lossy().into_owned()).collect()
}

/// Do these words stand together in the command?
fn has(command: &[OsString], together: &str) -> bool {
    let wanted: Vec<_> = together.split(' ').map(str::to_owned).collect();
    words(command).windows(wanted.len()).any(|window| window == wanted)
}

#[test]
fn one_source_is_compiled_in_two_steps() {
    let detour = of(Family::Clang, "-O2 -DX=1 -c dir/a.c -o out/a.o").expect("it gains");
    assert_eq!((detour.units.len(), &detour.link), (1, &None));
    let unit = &detour.units[0];
    assert!(has(&unit.optimised.command, "-S -emit-llvm -o /scratch/0.ll dir/a.c"));
    assert!(has(&unit.optimised.command, "-DX=1"));
    assert!(has(&unit.to_object, "-disable-llvm-passes -c -o out/a.o -x ir /scratch/0.ll"));
    assert!(!words(&unit.to_object).contains(&"dir/a.c".to_owned()));
}

#[test]
fn objects_are_named_as_the_compiler_names_them() {
    let detour = of(Family::Clang, "-O1 -c dir/a.c b.cc").expect("it gains");
    assert!(has(&detour.units[0].to_object, "-o a.o"));
    assert!(has(&detour.units[1].to_object, "-o b.o"));
}

#[test]
fn dependencies_name_the_object() {
    let detour = of(Family::Clang, "-O2 -MMD -c a.c -o d/a.o").expect("it gains");
    assert!(has(&detour.units[0].optimised.command, "-MMD -MF d/a.d -MQ d/a.o"));
    assert!(!words(&detour.units[0].to_object).contains(&"-MMD".to_owned()));
    let detour = of(Family::Clang, "-O2 -MD -MT x -MF y -c a.c -o d/a.o").expect("it gains");
    assert!(has(&detour.units[0].optimised.command, "-MD -MT x -MF y"));
    assert!(!words(&detour.units[0].optimised.command).contains(&"-MQ".to_owned()));
}

#[test]
fn a_link_takes_the_objects_in_place_of_the_sources() {
    let detour = of(Family::Clang, "-O2 a.c b.o c.cpp -o prog -lm").expect("it gains");
    let link = detour.link.expect("it links");
    assert!(has(&link, "/scratch/0.o b.o /scratch/1.o -o prog -lm"));
    assert!(has(&link, "-Xlinker /cache/names.ld -Xlinker /cache/foretrace-rt.o"));
}

#[test]
fn calls_that_stay_with_the_compiler() {
    for line in [
        "-c a.c",
        "-O0 -c a.c",
        "-O2 -O0 -c a.c",
        "-O2 a.o -o prog",
        "-O2 -S a.c",
        "-O2 -flto -c a.c",
        "-O2 -c a.s",
        "-O2 -x c -c a.c",
        "-O2 -c -",
        "-O2 --coverage -c a.c",
        "-O2 -gsplit-dwarf -c a.c",
        "-O2 -c @words",
        "-O2 -E a.c",
        "-O2 -MD a.c -o prog",
        "-O2 -Wp,-MD,x.d -c a.c",
    ] {
        assert_eq!(of(Family::Clang, line), None, "{line}");
    }
    assert_eq!(of(Family::Gcc, "-O2 -c a.c"), None);
}

#[test]
fn what_passes_add_is_added_without_optimisation_too() {
    for line in ["-c a.c", "-O0 -c a.c", "-Og -g3 -c a.c"] {
        let unit =
            at(Levels::All, Family::Clang, line).expect("every source is compiled over the text").units.remove(0);
        let plain = unit.unoptimised.expect("passes are run before optimisation");
        assert!(has(&plain.command, "-disable-llvm-passes -S -emit-llvm -o /scratch/0.plain.ll a.c"));
        assert!(has(&unit.optimised.command, "-S -emit-llvm -o /scratch/0.ll -x ir /scratch/0.plain.ll"));
    }
    assert_eq!(of(Family::Clang, "-O0 -c a.c"), None);
    assert_eq!(at(Levels::All, Family::Gcc, "-c a.c"), None);
}
