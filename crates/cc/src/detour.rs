//! The detour through LLVM's textual form: under clang, C and C++ are compiled to text, rewritten by passes, and then
//! compiled to an object.

use crate::flags::{plan, prepared};
use crate::input::Input;
use crate::options::takes_next;
use crate::{Call, Compiler, Error, Family, ReadFile, Runtime, Stage};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The commands to run instead of the one of [`plan`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Detour {
    /// One for each source, in order.
    pub units: Vec<Unit>,
    /// The link that follows, if there is one.
    pub link: Option<Vec<OsString>>,
}

/// When passes run over the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Levels {
    /// After optimisation and instrumentation, if the call optimises: passes that only save time gain nothing
    /// otherwise.
    Optimised,
    /// Also before optimisation, in every call, `-O0` included: events that the user asked for must be in the program
    /// before the optimiser merges or removes calls.
    All,
}

/// The commands for one source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unit {
    /// The source.
    pub source: PathBuf,
    /// Makes the unoptimised text, if passes run over it.
    pub unoptimised: Option<Step>,
    /// Makes the optimised and instrumented text.
    pub optimised: Step,
    /// Makes the object from it.
    pub to_object: Vec<OsString>,
}

/// A command that makes a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The command.
    pub command: Vec<OsString>,
    /// The file it writes.
    pub text: PathBuf,
}

/// Options whose files are named after the output, or that change how the compiler works.
const STAY: [&str; 22] = [
    "-E",
    "-S",
    "-emit-llvm",
    "-emit-ast",
    "-fsyntax-only",
    "--analyze",
    "-save-temps",
    "--save-temps",
    "--coverage",
    "-coverage",
    "-fprofile",
    "-ftest-coverage",
    "-ftime-trace",
    "-ftime-report",
    "-gsplit-dwarf",
    "-fmodules",
    "-fthinlto",
    "-fembed-bitcode",
    "-Xclang",
    "-fplugin",
    "-fpass-plugin",
    "-include-pch",
];

/// The detour for a call, with its files in `scratch`; `None` for a call that would gain nothing at these levels, or
/// that is not understood completely.
pub fn detour(
    compiler: &Compiler,
    runtime: &Runtime,
    args: &[OsString],
    scratch: &Path,
    levels: Levels,
    read: ReadFile,
) -> Result<Option<Detour>, Error> {
    let Some(words) = args.iter().map(|arg| arg.to_str()).collect::<Option<Vec<&str>>>() else { return Ok(None) };
    let call = Call::read(words.iter().map(|word| (*word).to_owned()), read)?;
    let takes_part = compiler.family == Family::Clang && call.compiles && !call.link_time && call.stage != Stage::Ask;
    let Some(taken) = takes_part.then(|| Taken::apart(&words)).flatten() else { return Ok(None) };
    let links = call.stage != Stage::Compile;
    let gains = taken.optimises || levels == Levels::All;
    if !gains || taken.sources.is_empty() || (links && !taken.dependencies.is_empty()) {
        return Ok(None);
    }
    if !links && taken.output.is_some() && taken.sources.len() > 1 {
        return Ok(None);
    }
    let flags = prepared(compiler, runtime, &call);
    let mut units = Vec::new();
    let mut link_words: Vec<OsString> = args.to_vec();
    for (number, (at, source)) in taken.sources.iter().enumerate() {
        let object = match taken.output {
            Some(output) if !links => PathBuf::from(output),
            _ if !links => PathBuf::from(Path::new(source).file_name().unwrap_or_default()).with_extension("o"),
            _ => scratch.join(format!("{number}.o")),
        };
        units.push(taken.unit(&flags, source, &object, &scratch.join(number.to_string()), levels));
        link_words[*at] = object.into();
    }
    link_words.push("-Qunused-arguments".into());
    let link = if links { Some(plan(compiler, runtime, &link_words, read)?) } else { None };
    Ok(Some(Detour { units, link }))
}

/// The words of a call, grouped by how they are used.
struct Taken<'a> {
    /// The sources and their positions.
    sources: Vec<(usize, &'a str)>,
    output: Option<&'a str>,
    optimises: bool,
    /// Options about dependencies.
    dependencies: Vec<&'a str>,
    /// All other words except inputs.
    options: Vec<&'a str>,
}

impl<'a> Taken<'a> {
    /// `None` if the detour does not support one of the arguments.
    fn apart(words: &[&'a str]) -> Option<Self> {
        let mut taken =
            Self { sources: Vec::new(), output: None, optimises: false, dependencies: Vec::new(), options: Vec::new() };
        let mut at = 0;
        while at < words.len() {
            let word = words[at];
            let value = takes_next(word).then(|| words.get(at + 1).copied());
            match (word, value) {
                (_, Some(None)) => return None,
                (word, _) if STAY.iter().any(|stay| word.starts_with(stay)) => return None,
                ("-" | "--" | "-x", _) => return None,
                (word, _) if word.starts_with('@') || word.starts_with("-x") => return None,
                (word, _) if word.starts_with("-Wp,") && word.contains("-M") => return None,
                ("-o", Some(Some(value))) => taken.output = Some(value),
                ("-c", _) => {}
                (word, value) if word.starts_with("-M") => {
                    taken.dependencies.extend([Some(word), value.flatten()].into_iter().flatten());
                }
                (word, Some(Some(value))) => taken.options.extend([word, value]),
                (word, _) if word.starts_with('-') => taken.option(word),
                (word, _) => taken.input(at, word)?,
            }
            at += if value.is_some() { 2 } else { 1 };
        }
        Some(taken)
    }

    fn option(&mut self, word: &'a str) {
        if let Some(level) = word.strip_prefix("-O") {
            self.optimises = level != "0";
        } else if let Some(output) = word.strip_prefix("-o") {
            self.output = Some(output);
            return;
        }
        self.options.push(word);
    }

    fn input(&mut self, at: usize, word: &'a str) -> Option<()> {
        let ending = Path::new(word).extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        match Input::of_file(word) {
            Input::Source if ["c", "cc", "cpp", "cxx", "C", "c++"].contains(&ending) => self.sources.push((at, word)),
            Input::Object => {}
            _ => return None,
        }
        Some(())
    }

    /// The steps of one source; `base` is the path of its files without their extensions.
    fn unit(&self, flags: &[OsString], source: &str, object: &Path, base: &Path, levels: Levels) -> Unit {
        let own = self.options.iter().map(OsString::from).chain(["-Qunused-arguments".into()]);
        let start: Vec<OsString> = flags.iter().cloned().chain(own).collect();
        let compile = |words: &[&str], to: &Path| {
            let output = ["-o".into(), to.into()];
            [&start[..], &words.iter().map(OsString::from).collect::<Vec<_>>(), &output].concat()
        };
        let from_source = |mut command: Vec<OsString>| {
            command.extend(self.dependencies_of(object));
            command.push(source.into());
            command
        };
        let from_text = |mut command: Vec<OsString>, text: &Path| {
            command.extend(["-x".into(), "ir".into(), text.into()]);
            command
        };
        let (plain, text) = (base.with_extension("plain.ll"), base.with_extension("ll"));
        let to_text = compile(&["-S", "-emit-llvm"], &text);
        let to_object = from_text(compile(&["-Xclang", "-disable-llvm-passes", "-c"], object), &text);
        let (unoptimised, command) = match levels {
            Levels::Optimised => (None, from_source(to_text)),
            Levels::All => {
                let command = from_source(compile(&["-Xclang", "-disable-llvm-passes", "-S", "-emit-llvm"], &plain));
                (Some(Step { command, text: plain.clone() }), from_text(to_text, &plain))
            }
        };
        Unit { source: source.into(), unoptimised, optimised: Step { command, text }, to_object }
    }

    /// The options that the compiler would use if it wrote the object itself.
    fn dependencies_of(&self, object: &Path) -> Vec<OsString> {
        let given =
            |names: &[&str]| self.dependencies.iter().any(|word| names.iter().any(|name| word.starts_with(name)));
        let mut words: Vec<OsString> = self.dependencies.iter().map(OsString::from).collect();
        if given(&["-MD", "-MMD"]) {
            if !given(&["-MF"]) {
                words.extend(["-MF".into(), object.with_extension("d").into()]);
            }
            if !given(&["-MT", "-MQ"]) {
                words.extend(["-MQ".into(), object.into()]);
            }
        }
        words
    }
}
