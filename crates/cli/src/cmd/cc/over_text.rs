//! Compiling over LLVM's textual form, with passes between the two halves of the compiler.

use super::{VERBOSE, exit_code, read, status_of};
use anyhow::{Context, bail};
use foretrace_cc::{Compiler, Levels, Runtime, Step, Unit, detour};
use foretrace_llvm::{Pass, Purpose, UnmarkedWait};
use std::ffi::OsString;
use std::process::{ExitCode, ExitStatus};

/// Compiles with the passes; `None` if the compiler alone should do it, which passes for speed allow.
pub fn compile(
    compiler: &Compiler,
    runtime: &Runtime,
    args: &[OsString],
    passes: &[&dyn Pass],
) -> anyhow::Result<Option<ExitCode>> {
    let needed = passes.iter().find(|pass| pass.purpose() != Purpose::Speed);
    let every_level = needed.is_some() || passes.iter().any(|pass| pass.runs_at_every_level());
    let levels = if every_level { Levels::All } else { Levels::Optimised };
    let scratch = tempfile::Builder::new().prefix("foretrace-cc-").tempdir();
    let detour = match &scratch {
        Ok(scratch) => detour(compiler, runtime, args, scratch.path(), levels, &read)?,
        Err(_) => None,
    };
    let Some(detour) = detour else {
        return match needed {
            Some(pass) => without(pass.name(), compiler, args),
            None => Ok(None),
        };
    };
    for unit in &detour.units {
        match compile_unit(unit, passes)? {
            Made::Object => {}
            Made::Refused(status) => return Ok(Some(exit_code(status))),
            Made::Nothing => return Ok(None),
        }
    }
    match detour.link {
        None => Ok(Some(ExitCode::SUCCESS)),
        Some(link) => status_of(&link).map(|status| Some(exit_code(status))),
    }
}

/// What became of a source.
enum Made {
    /// Its object.
    Object,
    /// The compiler does not take it.
    Refused(ExitStatus),
    /// The rewritten text did not work, and the compiler alone may do it.
    Nothing,
}

fn compile_unit(unit: &Unit, passes: &[&dyn Pass]) -> anyhow::Result<Made> {
    let with = |purpose| passes.iter().copied().filter(|pass| pass.purpose() == purpose).collect::<Vec<_>>();
    let mut added = false;
    if let Some(step) = &unit.unoptimised {
        let status = status_of(&step.command)?;
        if !status.success() {
            return Ok(Made::Refused(status));
        }
        added = rewrite(step, &with(Purpose::Meaning))?;
    }
    let status = status_of(&unit.optimised.command)?;
    if !status.success() && !added {
        return Ok(Made::Refused(status));
    }
    if status.success() {
        added |= rewrite(&unit.optimised, &with(Purpose::Values))?;
        say_unmarked(&unit.optimised)?;
        rewrite(&unit.optimised, &with(Purpose::Speed))?;
        if status_of(&unit.to_object)?.success() {
            return Ok(Made::Object);
        }
    }
    if added {
        bail!("clang rejects the instrumented module of {}", unit.source.display());
    }
    Ok(Made::Nothing)
}

/// With `FORETRACE_VERBOSE=1`: says which waits are not recognised as loops that check a condition.
fn say_unmarked(step: &Step) -> anyhow::Result<()> {
    if std::env::var_os(VERBOSE).is_none_or(|value| value != "1") {
        return Ok(());
    }
    let text = std::fs::read_to_string(&step.text).with_context(|| format!("cannot read {}", step.text.display()))?;
    for UnmarkedWait { function, why } in foretrace_llvm::unmarked_waits(&text) {
        crate::output::say!("the wait in `{function}` is not taken for a wait loop: {why}");
    }
    Ok(())
}

/// Runs passes over a text; whether anything changed.
fn rewrite(step: &Step, passes: &[&dyn Pass]) -> anyhow::Result<bool> {
    let named = || format!("cannot rewrite {}", step.text.display());
    let text = std::fs::read_to_string(&step.text).with_context(named)?;
    let rewritten = foretrace_llvm::run(&text, passes)?;
    if let Some(text) = &rewritten {
        std::fs::write(&step.text, text).with_context(named)?;
    }
    Ok(rewritten.is_some())
}

/// A call that does not go over the text is fine if it compiles nothing, and an error if it leaves out a pass that is
/// needed.
fn without(pass: &str, compiler: &Compiler, args: &[OsString]) -> anyhow::Result<Option<ExitCode>> {
    if foretrace_cc::compiles(args, &read)? {
        let words: Vec<_> = args.iter().map(|word| word.to_string_lossy()).collect();
        bail!(
            "the pass `{pass}` needs clang, and sources that are compiled to objects; {} was called with: {}",
            compiler.command[0].display(),
            words.join(" ")
        );
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use foretrace_cc::Family;
    use foretrace_llvm::{Function, Module, Refusal};
    use std::path::Path;
    use std::process::Command;

    /// Counts the calls of functions named `work`, in a counter that the program prints.
    struct CountWork;

    impl Pass for CountWork {
        fn name(&self) -> &'static str {
            "count-work"
        }

        fn purpose(&self) -> Purpose {
            Purpose::Meaning
        }

        fn run(&self, module: &mut Module<'_>) -> Result<bool, Refusal> {
            let debug = module.debug();
            let mut changed = false;
            for definition in module.definitions_mut() {
                let Some(signature) = definition.signature() else { continue };
                let (name, place) = (signature.name.to_owned(), signature.debug.and_then(|number| debug.place(number)));
                if name == "refused" {
                    return Err(Refusal::new(&name, place, "this one never"));
                }
                if name == "work" {
                    changed |= definition.rewrite(call_count) == Some(true);
                }
            }
            Ok(changed)
        }
    }

    fn call_count(function: &mut Function) -> bool {
        let lines = &mut function.blocks[0].lines;
        let place = lines.last().and_then(|line| line.find(", !dbg ").map(|at| line[at..].to_owned()));
        lines.insert(0, format!("  call void @count(){}", place.unwrap_or_default()));
        true
    }

    const PROGRAM: &str = "int counted; void count(void) { counted++; }
__attribute__((noinline)) int work(int x) { return x + 1; }
int main(int argc, char **argv) { int sum = 0; for (int i = 0; i < 5; i++) sum += work(argc); return sum + counted; }
";

    fn compiled(text: &str, args: &[&str], command: &str) -> anyhow::Result<Option<ExitCode>> {
        let family = if command == "gcc" { Family::Gcc } else { Family::Clang };
        let compiler = Compiler { command: vec![command.into()], family };
        let directory = tempfile::tempdir().unwrap();
        let (source, program) = (directory.path().join("a.c"), directory.path().join("a.out"));
        std::fs::write(&source, text).unwrap();
        let mut words: Vec<OsString> = args.iter().map(OsString::from).collect();
        words.extend(["-fno-sanitize=all".into(), "-c".into(), source.into(), "-o".into(), "a.o".into()]);
        let object = directory.path().join("a.o");
        *words.last_mut().unwrap() = object.clone().into();
        let code = compile(&compiler, &Runtime::in_directory(Path::new("/nowhere")), &words, &[&CountWork])?;
        let linked = Command::new(command).arg(&object).arg("-o").arg(&program).status().unwrap();
        assert!(linked.success());
        assert_eq!(Command::new(&program).status().unwrap().code(), Some(10 + 5), "{args:?}");
        Ok(code)
    }

    #[test]
    fn a_pass_is_run_at_every_level() {
        for level in ["-O0", "-O1", "-O2", "-O3", "-Os"] {
            assert!(compiled(PROGRAM, &[level], "clang-19").unwrap().is_some(), "{level}");
        }
    }

    #[test]
    fn a_build_without_a_pass_that_it_needs_fails() {
        let refused = format!("{PROGRAM}int refused(void) {{ return 3; }}");
        let message = compiled(&refused, &["-g"], "clang-19").unwrap_err().to_string();
        assert!(message.starts_with("the pass `count-work` cannot instrument `refused` ("), "{message}");
        assert!(message.ends_with("a.c:4): this one never"), "{message}");
        let message = compiled(PROGRAM, &[], "gcc").unwrap_err().to_string();
        assert!(message.starts_with("the pass `count-work` needs clang"), "{message}");
    }
}
