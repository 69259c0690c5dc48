//! What the specification is checked over: a program, sources of one, or a trace.

use super::Args;
use crate::cmd::probes::Probes;
use crate::cmd::sources::{Build, Sources, is_source};
use crate::scratch::Scratch;
use anyhow::bail;
use foretrace_stream::Spec;
use std::ffi::OsString;
use std::path::Path;

/// What the specification is checked over.
pub enum Subject<'a> {
    /// A program to run; the directory is that of a program that was compiled for this.
    Program(Vec<OsString>, Option<Scratch>),
    /// A trace or a recording, or standard input.
    Input(Option<&'a Path>),
}

impl<'a> Subject<'a> {
    /// What the arguments name. Sources are compiled, with the events that the annotations of the specification ask for.
    pub fn of(args: &'a Args, spec: &Spec) -> anyhow::Result<Self> {
        if args.inputs.first().is_some_and(|first| is_source(first.as_os_str())) {
            return compiled(args, spec);
        }
        if args.cflags.is_some() {
            bail!("--cflags is for source files, and none is named");
        }
        if let Some(second) = args.inputs.get(1) {
            bail!("there is one input at a time, and {} is a second one", second.display());
        }
        let input = args.inputs.first();
        if args.command.is_empty() {
            refuse_flags_of_programs(args)?;
            return Ok(Self::Input(input.map(|input| input.as_path())));
        }
        match input {
            Some(input) => bail!("the input is either {} or a program after `--`", input.display()),
            None => Ok(Self::Program(args.command.clone(), None)),
        }
    }
}

fn refuse_flags_of_programs(args: &Args) -> anyhow::Result<()> {
    let flags = [
        ("--locations", args.locations),
        ("--every-access", args.every_access),
        ("--from-start", args.from_start),
        ("--stats", args.stats),
    ];
    match flags.into_iter().find(|(_, given)| *given) {
        Some((flag, _)) => bail!("{flag} is for programs: name one after `--`, or its source files"),
        None => Ok(()),
    }
}

fn compiled<'a>(args: &Args, spec: &Spec) -> anyhow::Result<Subject<'a>> {
    if let Some(other) = args.inputs.iter().find(|input| !is_source(input.as_os_str())) {
        bail!("{} is not a source file, and the files before it are", other.display());
    }
    let probes = Probes::of(spec)?;
    let specification = args.spec.iter().filter(|_| !probes.is_empty()).cloned().collect::<Vec<_>>();
    if let Some(path) = specification.iter().find(|path| path.extension().is_none_or(|ending| ending != "tessla")) {
        bail!(
            "{}: the name of a specification whose annotations are compiled into a program ends in .tessla",
            path.display()
        );
    }
    let scratch = Scratch::new("monitor-")?;
    let sources = Sources {
        files: args.inputs.iter().map(|input| input.clone().into_os_string()).collect(),
        command: args.command.clone(),
        cflags: args.cflags.clone(),
    };
    let build = Build { reporting: None, quiet: true, verbose: false, branches: false, events: specification };
    let (command, _) = sources.command(scratch.path(), &build)?;
    Ok(Subject::Program(command, Some(scratch)))
}
