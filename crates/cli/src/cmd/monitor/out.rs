//! Where the events of the outputs go: text to a file or standard output, and all of them to a page or a waveform.

use super::{Args, OutputForm, Quotes};
use anyhow::Context;
use foretrace_report::Visible;
use foretrace_stream::engine::{Sink, Time};
use foretrace_stream::flow::PlannedOutput;
use foretrace_stream::output::{Page, Tally, Vcd, Writer};
use foretrace_stream::value::Value;
use foretrace_stream::{Dialect, Spec};
use std::cell::RefCell;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// A buffered output that the reader flushes before it waits for input.
#[derive(Clone)]
pub struct Shared(Rc<RefCell<BufWriter<Box<dyn Write>>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.borrow_mut().flush()
    }
}

/// The output of a run.
pub struct Out<'a> {
    shared: Shared,
    text: Writer<'a, Shared>,
    page: Option<(PathBuf, Page)>,
    vcd: Option<(PathBuf, Vcd<BufWriter<File>>)>,
}

impl<'a> Out<'a> {
    pub fn new(args: &'a Args, dialect: Dialect, spec: &Spec) -> anyhow::Result<Out<'a>> {
        let format = match args.format {
            OutputForm::Text => super::Format::Text,
            OutputForm::Json => super::Format::Json,
            OutputForm::Csv => super::Format::Csv,
        };
        let target: Box<dyn Write> = match &args.output {
            Some(path) => Box::new(create(path)?),
            // Text from a file or a program may contain control characters for the terminal.
            None => Box::new(Visible::new(io::stdout())),
        };
        let shared = Shared(Rc::new(RefCell::new(BufWriter::with_capacity(1 << 16, target))));
        let quotes = args.quotes.map_or(dialect == Dialect::Tessla2018, |quotes| quotes == Quotes::Always);
        let failures = if args.lenient { super::Failures::Show } else { super::Failures::Stop };
        let text = Writer::new(shared.clone(), format, args.until.as_deref());
        let text = text.quotes(quotes).failures(failures).limit(args.abort_at);
        let outputs = &spec.plan.outputs;
        let page = args.html.as_ref().map(|path| (path.clone(), Page::new(outputs)));
        let vcd = match &args.vcd {
            Some(path) => {
                let vcd = Vcd::new(BufWriter::new(create(path)?), outputs).context("cannot write the waveform")?;
                Some((path.clone(), vcd))
            }
            None => None,
        };
        Ok(Out { shared, text, page, vcd })
    }

    pub fn shared(&self) -> Shared {
        self.shared.clone()
    }

    pub fn tally(&self) -> Tally {
        self.text.tally
    }

    /// Why the run ended, if it was because a value could not be computed.
    pub fn failure(&self) -> Option<&str> {
        self.text.failure.as_deref()
    }

    pub fn flush(&mut self) -> io::Result<()> {
        self.text.flush()
    }

    /// Writes everything that is still to be written; the last event was at `now`.
    pub fn finish(&mut self, now: Time) -> anyhow::Result<()> {
        match self.flush() {
            // The reader of our output may have closed it.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
            result => result.context("cannot write the output")?,
        }
        if let Some((path, page)) = &self.page {
            let title = path.file_stem().unwrap_or_default().to_string_lossy();
            let written = page.write(&mut BufWriter::new(create(path)?), &title, now);
            written.with_context(|| format!("cannot write {}", path.display()))?;
        }
        if let Some((path, vcd)) = &mut self.vcd {
            vcd.finish(now).with_context(|| format!("cannot write {}", path.display()))?;
        }
        let failures = self.tally().failures;
        if failures > 0 {
            crate::output::say!("{failures} events could not be computed; they are marked `error` or `unknown`");
        }
        Ok(())
    }
}

fn create(path: &Path) -> anyhow::Result<File> {
    File::create(path).with_context(|| format!("cannot write {}", path.display()))
}

impl Sink for Out<'_> {
    fn event(&mut self, time: Time, output: &PlannedOutput, value: &Value) -> ControlFlow<()> {
        let flow = self.text.event(time, output, value);
        if self.text.failure.is_some() && self.page.is_none() {
            return flow;
        }
        if let Some((_, page)) = &mut self.page {
            page.event(time, output, value);
        }
        if let Some((_, vcd)) = &mut self.vcd {
            vcd.event(time, output, value);
        }
        flow
    }
}
