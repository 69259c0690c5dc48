//! The book in `docs`: every page is in it, every link leads somewhere, and the commands of the first chapter do what it
//! says.

use crate::support::Scratch;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").canonicalize().expect("the docs are there")
}

fn pages(directory: &Path, found: &mut BTreeSet<PathBuf>) {
    for entry in std::fs::read_dir(directory).expect("it can be read") {
        let path = entry.expect("an entry").path();
        if path.is_dir() && !path.ends_with("dev") {
            pages(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "md") && !path.ends_with("SUMMARY.md") {
            found.insert(path);
        }
    }
}

/// What a page links to, without other sites and places within the page.
fn links(page: &Path) -> Vec<PathBuf> {
    let text = std::fs::read_to_string(page).expect("it can be read");
    let prose = text.split("```").step_by(2).collect::<String>();
    let targets =
        prose.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target.to_owned());
    let own = targets.filter(|target| !target.contains("://") && !target.starts_with('#'));
    let file = |target: String| page.parent().expect("a folder").join(target.split('#').next().unwrap_or_default());
    own.map(file).collect()
}

#[test]
fn every_page_is_in_the_book_and_every_link_leads_somewhere() {
    let mut all = BTreeSet::new();
    pages(&docs(), &mut all);
    let in_book: BTreeSet<PathBuf> = links(&docs().join("SUMMARY.md")).into_iter().collect();
    assert_eq!(in_book, all);
    for page in &all {
        for target in links(page) {
            assert!(target.exists(), "{}: {} does not exist", page.display(), target.display());
        }
    }
    let book = std::fs::read_to_string(docs().join("book.toml")).expect("it can be read");
    assert!(book.contains("src = \".\""), "{book}");
}

/// Files are blocks of C after a line with their name. After a command stand texts of its output and its exit code.
#[test]
fn the_commands_of_the_first_chapter_do_what_it_says() {
    let scratch = Scratch::new();
    let text = std::fs::read_to_string(docs().join("first-steps.md")).expect("it can be read");
    let mut blocks = text.split("```");
    let mut commands = 0;
    let mut before = blocks.next().expect("prose");
    while let (Some(block), Some(prose)) = (blocks.next(), blocks.next()) {
        if let Some(code) = block.strip_prefix("c\n") {
            let name = before.trim_end().rsplit('`').nth(1).expect("a file name");
            std::fs::write(scratch.path(name), code).expect("a file can be written");
        } else if let Some(session) = block.strip_prefix("console\n") {
            commands += session.split("$ ").skip(1).map(|command| run(&scratch, command)).count();
        }
        before = prose;
    }
    assert!(commands >= 6, "{commands} commands were run");
    assert!(scratch.path("report.html").exists());
}

fn run(scratch: &Scratch, command: &str) {
    let mut lines = command.lines();
    let line = lines.next().expect("a command");
    let ran = scratch.shell(line);
    let (said, mut code) = (ran.out() + &ran.err(), 0);
    for expected in lines {
        match expected.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            Some(number) => code = number.parse().expect("an exit code"),
            None => assert!(said.contains(expected), "{line}: no `{expected}` in\n{said}"),
        }
    }
    assert_eq!(ran.code(), Some(code), "{line}:\n{said}");
}
