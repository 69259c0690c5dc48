//! What a person sees: everything goes through [`Visible`], because names of threads, variables and files come from the
//! checked program and from files that nobody vouches for. Whoever reads the standard output may have seen enough, such as
//! `head`, and that is no error.

use foretrace_report::Visible;
use foretrace_trace::dump::DumpError;
use std::io::{self, BufWriter, Write};

/// Writes to the standard output. If its reader has left, the error says so; see [`reader_left`].
pub fn write(body: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>) -> anyhow::Result<()> {
    let mut out = Visible::new(BufWriter::new(io::stdout().lock()));
    body(&mut out)?;
    Ok(out.flush()?)
}

/// Whether an error only tells that nobody reads any more.
pub fn reader_left(error: &anyhow::Error) -> bool {
    let broken = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
    error.chain().filter_map(|cause| cause.downcast_ref()).any(broken)
        || matches!(error.downcast_ref(), Some(DumpError::Output(error)) if broken(error))
}

/// A line on the standard error; see [`say!`]. Whoever closed it learns the outcome from the exit code.
pub fn say_line(line: std::fmt::Arguments<'_>) {
    let _ = Visible::new(io::stderr().lock()).write_all(format!("foretrace: {line}\n").as_bytes());
}

/// Says something to the user, in a line on the standard error that begins with `foretrace:`.
macro_rules! say {
    ($($what:tt)*) => { $crate::output::say_line(format_args!($($what)*)) };
}
pub(crate) use say;
