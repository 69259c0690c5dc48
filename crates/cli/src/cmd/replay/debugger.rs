//! A finding in a debugger, stopped where it fails.
//!
//! The variables of the program, and with them the runtime, are for the program alone: a debugger that is preloaded with the
//! runtime would be replayed itself.

use crate::cmd::check::saved::SavedFinding;
use crate::cmd::record::{forward, signals};
use crate::environment::pair;
use crate::run::announce;
use crate::way::{Way, way_into};
use anyhow::{Context, bail};
use foretrace_run::Outcome;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use std::process::{Command, ExitCode};

/// The runtime calls it when the program has failed,
const BREAKPOINT: &str = "__foretrace_failed";
/// and this before the operation after which that is certain.
const CERTAIN: &str = "__foretrace_certain";

/// Goes from the runtime to the first function with a line, where there is one; gdb without Python can do it.
const GDB_FRAME: &str = r"
define foretrace-look
  if $foretrace_user < 0
    pipe info line *$pc | grep -q ^Line
    if $_shell_exitcode == 0
      set $foretrace_user = $foretrace_level
    end
  end
  set $foretrace_level = $foretrace_level + 1
end
document foretrace-look
Notes the first frame that has a source line.
end
if $_isvoid($_exitcode) && $_isvoid($_exitsignal)
  set $foretrace_user = -1
  set $foretrace_level = 0
  frame apply all -q -s foretrace-look
  if $foretrace_user > 0
    frame $foretrace_user
  end
else
  echo this time it did not fail\n
end
";

/// The same for lldb, in one line.
const LLDB_FRAME: &str = "script thread = lldb.debugger.GetSelectedTarget().GetProcess().GetSelectedThread(); \
    lines = [frame for frame in thread if frame.GetLineEntry().IsValid()]; \
    lines and thread.SetSelectedFrame(lines[0].GetFrameID())";

/// A debugger that we know how to speak to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Debugger {
    Gdb,
    Lldb,
}

impl Debugger {
    fn name(self) -> &'static str {
        match self {
            Self::Gdb => "gdb",
            Self::Lldb => "lldb",
        }
    }

    /// Runs it until the user leaves it; its exit code.
    pub fn run(self, saved: &SavedFinding, certain: bool) -> anyhow::Result<ExitCode> {
        let path = &saved.program.path;
        if way_into(path)? == Way::Script {
            bail!("{} is a script; for a debugger, check the program that it starts", path.display());
        }
        announce(&saved.program);
        let scratch = saved.scratch()?;
        let program = saved.held(&scratch);
        let input = saved.program.input.path().unwrap_or(Path::new("/dev/null"));
        let mut debugger = Command::new(installed(self.name()));
        match self {
            Self::Gdb => gdb(&mut debugger, &program, input, (scratch.path(), certain))?,
            Self::Lldb => lldb(&mut debugger, &program, input, (scratch.path(), certain))?,
        }
        if let Some(directory) = program.get_current_dir() {
            debugger.current_dir(directory);
        }
        let code = wait(&mut debugger);
        tell_divergence(scratch.path());
        code
    }
}

/// What the terminal sends is for the debugger, too; we stay to clean up.
fn wait(debugger: &mut Command) -> anyhow::Result<ExitCode> {
    let signals = signals()?;
    let handle = signals.handle();
    let mut child = match debugger.spawn() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            bail!("{} is not installed", debugger.get_program().display())
        }
        child => child.with_context(|| format!("cannot run {}", debugger.get_program().display()))?,
    };
    let forwarder = forward(signals, &child);
    let status = child.wait().context("cannot wait for the debugger")?;
    handle.close();
    let _ = forwarder.join();
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(ExitCode::from(code.unwrap_or(crate::FAILED)))
}

fn gdb(gdb: &mut Command, program: &Command, input: &Path, (scratch, certain): (&Path, bool)) -> io::Result<()> {
    let frame = scratch.join("frame.gdb");
    fs::write(&frame, GDB_FRAME)?;
    let wrapper = variables(program).fold("set exec-wrapper env -i".into(), added);
    gdb.args(["-q", "-ex", "set pagination off", "-ex", "set breakpoint pending on", "-ex"]).arg(wrapper);
    // `run` with words would take the place of the program's arguments, so that these and the input are set together.
    let arguments = program.get_args().map(OsStr::to_owned).fold("set args".into(), added);
    if certain {
        gdb.args(["-ex", &format!("break {CERTAIN}")]);
    }
    gdb.args(["-ex", &format!("break {BREAKPOINT}"), "-ex"]).arg(redirected(arguments, input));
    gdb.args(["-ex", "run", "-ex", "thread apply all backtrace", "-x"]).arg(frame).arg(program.get_program());
    // It starts programs with the user's shell, which may read quotes in another way.
    gdb.env("SHELL", "/bin/sh");
    Ok(())
}

/// The program is started by a script, in whose place it comes: lldb takes nothing that has more than one line.
fn lldb(lldb: &mut Command, program: &Command, input: &Path, (scratch, certain): (&Path, bool)) -> io::Result<()> {
    let words = std::iter::once(program.get_program()).chain(program.get_args());
    let words = variables(program).chain(words.map(OsStr::to_owned));
    let script = scratch.join("start");
    fs::write(&script, words.fold(OsString::from("exec env -i"), added).as_bytes())?;
    lldb.args(["-o", "settings set target.process.stop-on-exec false"]);
    if certain {
        lldb.args(["-o", &format!("breakpoint set -n {CERTAIN}")]);
    }
    lldb.args(["-o", &format!("breakpoint set -n {BREAKPOINT}"), "-o"]);
    lldb.arg(added("process launch -i".into(), input.into()));
    lldb.args(["-o", "thread backtrace all", "-o", LLDB_FRAME, "-o", "frame select", "--", "/bin/sh"]).arg(script);
    Ok(())
}

/// Its variables, as `env` takes them.
fn variables(program: &Command) -> impl Iterator<Item = OsString> {
    program.get_envs().filter_map(|(name, value)| Some(pair(name, value?)))
}

/// A line for `/bin/sh`, which knows no escapes, with one word more.
fn added(line: OsString, word: OsString) -> OsString {
    let mut line = line.into_vec();
    line.extend_from_slice(b" '");
    for byte in word.as_bytes() {
        match byte {
            b'\'' => line.extend_from_slice(br"'\''"),
            byte => line.push(*byte),
        }
    }
    line.push(b'\'');
    OsString::from_vec(line)
}

/// The line with what the program reads.
fn redirected(mut line: OsString, input: &Path) -> OsString {
    line.push(" <");
    added(line, input.into())
}

/// Says so if the program went another way than its schedule: the debugger cannot know.
fn tell_divergence(scratch: &Path) {
    let text = fs::read_to_string(scratch.join("outcome")).unwrap_or_default();
    let outcome = Outcome::parse(&text).unwrap_or_default();
    if let Some(other) = &outcome.diverged {
        crate::output::say!("the replay diverged: {other}");
    } else if let Some(missing) = &outcome.stalled {
        crate::output::say!("the replay diverged: {missing}");
    }
}

/// The debugger of this name, or the newest of those whose name goes on with a version, as Debian's `lldb-19` does.
fn installed(name: &str) -> OsString {
    let search = std::env::var_os("PATH").unwrap_or_default();
    let files = std::env::split_paths(&search).filter_map(|directory| directory.read_dir().ok()).flatten().flatten();
    let version = |file: &OsString| {
        let rest = file.to_str()?.strip_prefix(name)?;
        if rest.is_empty() { Some(u32::MAX) } else { rest.strip_prefix('-')?.parse().ok() }
    };
    let known = files.map(|file| file.file_name()).filter_map(|file| Some((version(&file)?, file)));
    known.max().map_or_else(|| name.into(), |(_, file)| file)
}
