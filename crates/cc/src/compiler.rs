//! Chooses the compiler behind the wrapper.

use crate::Error;
use std::ffi::{OsStr, OsString};

/// The language the wrapper was called for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Driver {
    /// `foretrace cc`.
    C,
    /// `foretrace c++`.
    Cxx,
}

impl Driver {
    /// The variable that names the real compiler.
    pub fn variable(self) -> &'static str {
        match self {
            Self::C => "FORETRACE_CC",
            Self::Cxx => "FORETRACE_CXX",
        }
    }

    /// The variable that names the compiler of a build.
    fn build_variable(self) -> &'static str {
        match self {
            Self::C => "CC",
            Self::Cxx => "CXX",
        }
    }
}

/// The family of options that a compiler takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    /// The GNU compilers.
    Gcc,
    /// Clang and its derivatives.
    Clang,
}

/// A compiler that can be run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Compiler {
    /// Launchers, then the compiler.
    pub command: Vec<OsString>,
    /// The family of its options.
    pub family: Family,
}

/// The chosen compiler, and the arguments that are left for it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Choice {
    /// Launchers, then the compiler.
    pub command: Vec<OsString>,
    /// The arguments.
    pub args: Vec<OsString>,
}

/// Programs that run the compiler given to them.
const LAUNCHERS: [&str; 5] = ["ccache", "sccache", "distcc", "icecc", "buildcache"];

/// Compilers to look for if none is named. The one that the build would have used comes first, because not every
/// compiler accepts every program.
pub fn candidates(driver: Driver) -> Vec<String> {
    let (clang, rest) = match driver {
        Driver::C => ("clang", ["cc", "gcc"]),
        Driver::Cxx => ("clang++", ["c++", "g++"]),
    };
    let versions = [19, 20, 21, 22, 18, 17, 16, 15, 14].map(|version| format!("{clang}-{version}"));
    rest.map(str::to_owned).into_iter().chain([clang.to_owned()]).chain(versions).collect()
}

/// Chooses the compiler: `--compiler` first on the line, a compiler given as the first argument (as launchers are
/// called), `FORETRACE_CC` or `FORETRACE_CXX`, the compiler of the build (`CC` or `CXX`) unless that is the wrapper itself,
/// or the first of [`candidates`] that `exists`.
pub fn choose(
    driver: Driver,
    args: &[OsString],
    variable: impl Fn(&str) -> Option<String>,
    exists: impl Fn(&str) -> bool,
) -> Result<Choice, Error> {
    if let Some((name, rest)) = explicit(args)? {
        return Ok(Choice { command: words_for(driver, &name), args: rest.to_vec() });
    }
    if let Some(length) = launched(args) {
        return Ok(Choice { command: args[..length].to_vec(), args: args[length..].to_vec() });
    }
    let command = named(driver, &variable).map(Ok).unwrap_or_else(|| found(driver, exists))?;
    Ok(Choice { command, args: args.to_vec() })
}

/// `--compiler NAME` or `--compiler=NAME` as the first argument.
fn explicit(args: &[OsString]) -> Result<Option<(String, &[OsString])>, Error> {
    let Some(first) = args.first().and_then(|arg| arg.to_str()) else { return Ok(None) };
    if let Some(name) = first.strip_prefix("--compiler=") {
        return Ok(Some((name.to_owned(), &args[1..])));
    }
    if first != "--compiler" {
        return Ok(None);
    }
    let name = args.get(1).and_then(|arg| arg.to_str()).ok_or(Error::CompilerMissing)?;
    Ok(Some((name.to_owned(), &args[2..])))
}

/// How many of the first arguments are launchers and a compiler; `None` if no compiler comes first.
fn launched(args: &[OsString]) -> Option<usize> {
    let launchers = args.iter().take_while(|arg| LAUNCHERS.contains(&base_name(arg).as_str())).count();
    let compiler = args.get(launchers)?;
    is_compiler(&base_name(compiler)).then_some(launchers + 1)
}

fn named(driver: Driver, variable: &impl Fn(&str) -> Option<String>) -> Option<Vec<OsString>> {
    let set = |driver: Driver| variable(driver.variable()).filter(|value| !value.trim().is_empty());
    let other = match driver {
        Driver::C => Driver::Cxx,
        Driver::Cxx => Driver::C,
    };
    let value = set(driver).or_else(|| set(other)).or_else(|| of_build(driver, variable))?;
    Some(words_for(driver, &value))
}

/// The compiler that the build names. If the build names the wrapper, it says nothing about the real compiler.
fn of_build(driver: Driver, variable: &impl Fn(&str) -> Option<String>) -> Option<String> {
    let value = variable(driver.build_variable())?;
    let mut words = value.split_whitespace().map(|word| base_name(word.as_ref()));
    let compiler = words.find(|word| !LAUNCHERS.contains(&word.as_str()))?;
    (is_compiler(&compiler) && !compiler.starts_with("foretrace-")).then_some(value)
}

fn found(driver: Driver, exists: impl Fn(&str) -> bool) -> Result<Vec<OsString>, Error> {
    let candidates = candidates(driver);
    match candidates.iter().find(|name| exists(name)) {
        Some(name) => Ok(vec![name.into()]),
        None => Err(Error::NoCompiler { looked_for: candidates.join(", "), variable: driver.variable() }),
    }
}

/// The words of a compiler's name, such as `ccache gcc`, with the compiler replaced by the one for this language.
fn words_for(driver: Driver, value: &str) -> Vec<OsString> {
    let mut words: Vec<String> = value.split_whitespace().map(str::to_owned).collect();
    let compiler = words.iter().position(|word| !LAUNCHERS.contains(&base_name(word.as_ref()).as_str()));
    if let Some(word) = compiler.and_then(|at| words.get_mut(at)) {
        *word = companion(driver, word);
    }
    words.into_iter().map(OsString::from).collect()
}

/// The C++ compiler that belongs to a C compiler, and the other way round: `gcc-12` and `g++-12`.
fn companion(driver: Driver, compiler: &str) -> String {
    let (directory, name) = compiler.rsplit_once('/').map_or(("", compiler), |(directory, name)| (directory, name));
    let (stem, tail) = split_version(name);
    let pairs = [("clang", "clang++"), ("gcc", "g++"), ("cc", "c++")];
    let turned = pairs.iter().find_map(|(c, cxx)| {
        let (from, to) = if driver == Driver::C { (cxx, c) } else { (c, cxx) };
        let prefix = stem.strip_suffix(from)?;
        (prefix.is_empty() || prefix.ends_with('-')).then(|| format!("{prefix}{to}{tail}"))
    });
    match turned {
        Some(name) if directory.is_empty() => name,
        Some(name) => format!("{directory}/{name}"),
        None => compiler.to_owned(),
    }
}

/// Splits `clang-19` into `clang` and `-19`.
fn split_version(name: &str) -> (&str, &str) {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    match stem.strip_suffix('-') {
        Some(base) if stem.len() < name.len() => (base, &name[base.len()..]),
        _ => (name, ""),
    }
}

fn base_name(path: &OsStr) -> String {
    let path = path.to_string_lossy();
    path.rsplit('/').next().unwrap_or_default().to_owned()
}

/// Is this the name of a compiler, possibly with a target before it and a version after it?
fn is_compiler(name: &str) -> bool {
    let stem = split_version(name).0;
    let known = ["gcc", "g++", "clang", "clang++", "cc", "c++"];
    known.iter().any(|known| stem.strip_suffix(known).is_some_and(|target| target.is_empty() || target.ends_with('-')))
        && !name.starts_with('-')
}

impl Family {
    /// By the compiler's name; `None` for ambiguous names such as `cc`.
    pub fn of_name(command: &[OsString]) -> Option<Self> {
        let name = command.last().map(|word| base_name(word))?;
        match split_version(&name).0 {
            stem if stem.ends_with("clang") || stem.ends_with("clang++") => Some(Self::Clang),
            stem if stem.ends_with("gcc") || stem.ends_with("g++") => Some(Self::Gcc),
            _ => None,
        }
    }

    /// By what the compiler prints for `--version`.
    pub fn of_version(text: &str) -> Self {
        if text.contains("clang") { Self::Clang } else { Self::Gcc }
    }
}
