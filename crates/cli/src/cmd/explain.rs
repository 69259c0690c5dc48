//! `foretrace explain`: the page about a kind of error, with an example.

use crate::output;
use anyhow::bail;
use std::process::ExitCode;

/// Explain a kind of error, with an example and what to do about it.
///
/// Reports name the kind as their rule, for example `data-race`. Without a name, the kinds are listed.
#[derive(clap::Args)]
pub struct Args {
    /// The kind of error
    #[arg(value_name = "RULE")]
    rule: Option<String>,
}

macro_rules! pages {
    ($($rule:literal),* $(,)?) => {
        /// The kinds that have a page, and their pages.
        const PAGES: &[(&str, &str)] =
            &[$(($rule, include_str!(concat!("../../../../docs/errors/", $rule, ".md")))),*];
    };
}

pages!["data-race", "deadlock", "lost-signal", "wait-not-in-loop", "atomicity-violation", "crash", "property"];

/// Prints the page, or the list of pages.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let Some(rule) = &args.rule else {
        output::write(|out| {
            let widest = PAGES.iter().map(|(rule, _)| rule.len()).max().unwrap_or_default();
            Ok(PAGES.iter().try_for_each(|(rule, page)| writeln!(out, "{rule:<widest$}  {}", about(page)))?)
        })?;
        return Ok(ExitCode::SUCCESS);
    };
    let Some((_, page)) = PAGES.iter().find(|(name, _)| name == rule) else {
        let names: Vec<&str> = PAGES.iter().map(|(name, _)| *name).collect();
        bail!("{rule}: no such kind of error; there are {}", names.join(", "));
    };
    output::write(|out| Ok(out.write_all(page.as_bytes())?))?;
    Ok(ExitCode::SUCCESS)
}

/// The first sentence of a page's text.
fn about(page: &str) -> String {
    let text = page.split("\n\n").nth(1).unwrap_or_default().replace('\n', " ");
    text.split_once(". ").map_or(text.clone(), |(first, _)| format!("{first}."))
}

#[cfg(test)]
mod tests {
    use super::{PAGES, about};

    #[test]
    fn every_kind_of_error_has_a_page() {
        for kind in foretrace_report::kinds::ALL {
            let has_page = PAGES.iter().any(|(rule, _)| *rule == kind.rule());
            assert!(has_page, "docs/errors/{}.md is missing, or is not listed in explain.rs", kind.rule());
        }
    }

    #[test]
    fn every_page_begins_with_its_rule_and_a_sentence() {
        for (rule, page) in PAGES {
            assert!(page.starts_with(&format!("# {rule}\n\n")), "{rule}");
            assert!(about(page).ends_with('.') && about(page).len() < 160, "{rule}: {}", about(page));
        }
    }
}
