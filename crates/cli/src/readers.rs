//! The readers of files that only the command line reads, for fuzzing: whatever the text, they answer.

use crate::cmd::check::suppress::Suppressions;
use crate::quote::{quoted_all, unquoted};
use foretrace_report::{Act, Finding, Frame, Kind, Operation, Report, Site, What};

/// A list of suppressions, applied to a report.
pub fn suppressions(text: &str) {
    let Ok(mut suppressions) = Suppressions::parse("fuzz", text) else { return };
    let frame = Frame { function: Some("main".to_owned()), file: Some("a.c".to_owned()), ..Frame::default() };
    let does = Act::Operation(Operation::new(What::Begin));
    let site = Site { thread: 0, does, stack: vec![frame], locks: Vec::new() };
    let finding = |kind: Kind| Finding {
        id: kind.rule().to_owned(),
        sites: vec![site.clone(), site.clone()],
        ..Finding::new(kind)
    };
    let findings = [Kind::DATA_RACE, Kind::DEADLOCK].map(finding).to_vec();
    let mut report = Report { findings, ..Report::default() };
    suppressions.apply(&mut report);
    assert_eq!(report.findings.len() + report.suppressed, 2);
}

/// A command, as it stands in findings and beside recordings. What is read is written so that it reads the same.
///
/// # Panics
/// If it does not.
pub fn words(line: &str) {
    if let Some(words) = unquoted(line) {
        assert_eq!(unquoted(&quoted_all(&words)), Some(words));
    }
}

/// A project's file, applied to a call.
pub fn project(text: &str) {
    let commands = <crate::Cli as clap::CommandFactory>::command();
    if let Ok(project) = crate::project::Project::parse("/fuzz/foretrace.toml".into(), text.to_owned(), &commands) {
        let call = ["foretrace", "check", "a.c"].map(std::ffi::OsString::from);
        let _ = project.complete(&commands, call.into());
    }
}

#[cfg(test)]
mod tests {
    use foretrace_testkit::Random;
    use foretrace_testkit::fuzz::mutate;

    #[test]
    fn broken_files_never_bring_a_reader_down() {
        let mut random = Random::new(1);
        for _ in 0..3000 {
            let mut broken = |good: &str| String::from_utf8_lossy(&mutate(&mut random, good.as_bytes())).into_owned();
            super::suppressions(&broken("# none\nrace:^main$\nrace_top:a*b\ndeadlock:*x*\n\u{e4}"));
            super::project(&broken("events = [\"a\", 'b']\nbudget = \"30s\"\n[check]\nall = true\nreplays = 3\n"));
            super::words(&broken("./prog 'a b' $'\\x0a' c'd'$'\\'' -x=\u{e4}"));
        }
    }
}
