//! Which compiler is chosen.

use foretrace_cc::{Driver, Error, Family, choose};
use std::ffi::OsString;

/// The command and the arguments left, for these arguments, variables and programs.
fn chosen(driver: Driver, args: &str, variables: &[(&str, &str)], programs: &[&str]) -> Result<String, Error> {
    let args: Vec<OsString> = args.split_whitespace().map(OsString::from).collect();
    let variable = |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
    let choice = choose(driver, &args, variable, |name| programs.contains(&name))?;
    let words = |words: &[OsString]| words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ");
    Ok(format!("{} | {}", words(&choice.command), words(&choice.args)))
}

#[test]
fn found() {
    let both = ["cc", "c++", "gcc", "g++", "clang-19", "clang++-19", "clang"];
    assert_eq!(chosen(Driver::C, "-c a.c", &[], &both).unwrap(), "cc | -c a.c");
    assert_eq!(chosen(Driver::Cxx, "-c a.c", &[], &both).unwrap(), "c++ | -c a.c");
    assert_eq!(chosen(Driver::C, "", &[], &["gcc", "clang"]).unwrap(), "gcc | ");
    assert_eq!(chosen(Driver::C, "", &[], &["clang-19"]).unwrap(), "clang-19 | ");
    let none = chosen(Driver::Cxx, "", &[], &[]).unwrap_err().to_string();
    assert!(none.contains("clang++-19") && none.contains("FORETRACE_CXX"), "{none}");
}

#[test]
fn of_the_build() {
    let named = |driver, variables: &[(&str, &str)]| chosen(driver, "a.c", variables, &["cc", "c++"]).unwrap();
    assert_eq!(named(Driver::C, &[("CC", "clang-19")]), "clang-19 | a.c");
    assert_eq!(named(Driver::Cxx, &[("CC", "clang-19")]), "c++ | a.c");
    assert_eq!(named(Driver::Cxx, &[("CXX", "ccache g++-12")]), "ccache g++-12 | a.c");
    assert_eq!(named(Driver::C, &[("CC", "clang-19"), ("FORETRACE_CC", "gcc")]), "gcc | a.c");
    for wrapper in ["foretrace-cc", "/usr/local/bin/foretrace-cc", "ccache foretrace-cc", "foretrace cc", "", "tcc"] {
        assert_eq!(named(Driver::C, &[("CC", wrapper)]), "cc | a.c", "{wrapper}");
    }
}

#[test]
fn named() {
    let named = |driver, variables: &[(&str, &str)]| chosen(driver, "a.c", variables, &["clang"]).unwrap();
    assert_eq!(named(Driver::C, &[("FORETRACE_CC", "gcc-12")]), "gcc-12 | a.c");
    assert_eq!(named(Driver::C, &[("FORETRACE_CC", "ccache gcc")]), "ccache gcc | a.c");
    assert_eq!(named(Driver::C, &[("FORETRACE_CC", " ")]), "clang | a.c");
    // One variable determines both compilers of a pair.
    assert_eq!(named(Driver::Cxx, &[("FORETRACE_CC", "ccache /usr/bin/gcc-12")]), "ccache /usr/bin/g++-12 | a.c");
    assert_eq!(named(Driver::C, &[("FORETRACE_CXX", "x86_64-linux-gnu-g++")]), "x86_64-linux-gnu-gcc | a.c");
}

#[test]
fn on_the_line() {
    let variables = [("FORETRACE_CC", "gcc")];
    let line = |driver, args| chosen(driver, args, &variables, &[]);
    assert_eq!(line(Driver::C, "--compiler clang-19 -c a.c").unwrap(), "clang-19 | -c a.c");
    assert_eq!(line(Driver::Cxx, "--compiler=clang-19 -c a.c").unwrap(), "clang++-19 | -c a.c");
    assert_eq!(line(Driver::C, "--compiler"), Err(Error::CompilerMissing));
    // As CMake calls a launcher.
    assert_eq!(line(Driver::C, "/usr/bin/cc -c a.c").unwrap(), "/usr/bin/cc | -c a.c");
    assert_eq!(line(Driver::C, "ccache clang++-19 -c a.cc").unwrap(), "ccache clang++-19 | -c a.cc");
    assert_eq!(line(Driver::C, "gcc.c -c").unwrap(), "gcc | gcc.c -c");
}

#[test]
fn families() {
    let family = |name: &str| Family::of_name(&[name.into()]);
    assert_eq!(family("clang++-19"), Some(Family::Clang));
    assert_eq!(family("/usr/bin/x86_64-linux-gnu-gcc-12"), Some(Family::Gcc));
    assert_eq!(family("cc"), None);
    assert_eq!(Family::of_version("Debian clang version 19.1.7"), Family::Clang);
    assert_eq!(Family::of_version("cc (Debian 12.2.0-14) 12.2.0"), Family::Gcc);
}
