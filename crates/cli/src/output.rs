//! The standard output. Whoever reads it may have seen enough, such as `head`, and that is no error.

use foretrace_trace::dump::DumpError;
use std::io::{self, BufWriter, Write};

/// Writes to the standard output. If its reader has left, the error says so; see [`reader_left`].
pub fn write(body: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>) -> anyhow::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    body(&mut out)?;
    Ok(out.flush()?)
}

/// Whether an error only tells that nobody reads any more.
pub fn reader_left(error: &anyhow::Error) -> bool {
    let broken = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
    error.chain().filter_map(|cause| cause.downcast_ref()).any(broken)
        || matches!(error.downcast_ref(), Some(DumpError::Output(error)) if broken(error))
}
