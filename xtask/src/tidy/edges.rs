//! A crate depends only on the crates in its row of the table in `ARCHITECTURE.md`.

use super::Text;
use crate::run::cargo;
use anyhow::{Context, ensure};
use serde_json::Value;
use std::collections::BTreeMap;

/// What a crate may depend on.
#[derive(PartialEq, Eq, Debug)]
enum Allowed {
    Any,
    These(Vec<String>),
}

/// Every edge that is not in the table, every edge of the table that does not exist, every crate without a row, and every
/// row without a crate.
pub fn check(texts: &[Text]) -> anyhow::Result<Vec<String>> {
    let page = texts.iter().find(|text| text.path.ends_with("ARCHITECTURE.md")).context("no ARCHITECTURE.md")?;
    Ok(compare(&table(&page.text), &packages()?))
}

fn compare(table: &BTreeMap<String, Allowed>, packages: &BTreeMap<String, Vec<String>>) -> Vec<String> {
    let mut complaints = Vec::new();
    for (name, dependencies) in packages {
        match table.get(name) {
            None => complaints.push(format!("crate {name} has no row in the table of ARCHITECTURE.md")),
            Some(Allowed::Any) => {}
            Some(Allowed::These(allowed)) => {
                let foreign = dependencies.iter().filter(|dependency| !allowed.contains(dependency));
                complaints.extend(foreign.map(|other| format!("crate {name} must not depend on {other}")));
                let gone = allowed.iter().filter(|allowed| *allowed != "–" && !dependencies.contains(allowed));
                complaints.extend(
                    gone.map(|other| format!("crate {name} no longer depends on {other}; remove it from the row")),
                );
            }
        }
    }
    let rows = table.keys().filter(|name| !packages.contains_key(*name));
    complaints.extend(rows.map(|name| {
        format!("the table of ARCHITECTURE.md has a row for {name}, which is not a crate; remove the row")
    }));
    complaints
}

/// Rows such as ``| `crates/trace` | event, finding | what it is for |``. Tables with fewer columns are about something else.
fn table(page: &str) -> BTreeMap<String, Allowed> {
    let rows = page.lines().filter(|line| line.starts_with("| `"));
    rows.filter_map(row).flatten().collect()
}

fn row(line: &str) -> Option<Vec<(String, Allowed)>> {
    let mut cells = line.split('|').map(str::trim).skip(1);
    let (names, dependencies, _purpose) = (cells.next()?, cells.next()?, cells.next().filter(|cell| !cell.is_empty())?);
    let names = names.split(',').filter_map(|name| name.split('`').nth(1));
    // Other tables name modules.
    let is_crate = |name: &&str| name.starts_with("crates/") || *name == "xtask";
    let names = names.filter(is_crate);
    let allowed = |list: &str| match list {
        "all" => Allowed::Any,
        list => Allowed::These(list.split(',').map(|name| name.trim().to_owned()).collect()),
    };
    Some(names.map(|name| (name.trim_start_matches("crates/").to_owned(), allowed(dependencies))).collect())
}

/// Our crates by the names of their folders, each with those it depends on outside of tests.
fn packages() -> anyhow::Result<BTreeMap<String, Vec<String>>> {
    let output = cargo(&["metadata", "--no-deps", "--format-version", "1"]).output().context("cannot run cargo")?;
    ensure!(output.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout)?;
    let packages = metadata["packages"].as_array().context("cargo metadata lists no packages")?;
    Ok(packages.iter().map(|package| (folder(package), dependencies(package))).collect())
}

fn folder(package: &Value) -> String {
    let manifest = package["manifest_path"].as_str().unwrap_or_default();
    manifest.rsplit('/').nth(1).unwrap_or_default().to_owned()
}

fn dependencies(package: &Value) -> Vec<String> {
    let all = package["dependencies"].as_array().into_iter().flatten();
    let real = all.filter(|dependency| dependency["kind"] != "dev");
    real.filter_map(|dependency| dependency["name"].as_str()?.strip_prefix("foretrace-")).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read() {
        let read = table("| `crates/a` | – | x |\n| `crates/b`, `xtask` | a, c | y |\n| `crates/cli` | all | z |\n");
        let these = |names: &[&str]| Allowed::These(names.iter().map(|name| (*name).to_owned()).collect());
        assert_eq!(read["a"], these(&["–"]));
        assert_eq!(read["b"], these(&["a", "c"]));
        assert_eq!(read["xtask"], these(&["a", "c"]));
        assert_eq!(read["cli"], Allowed::Any);
    }

    #[test]
    fn the_table_is_exact_in_both_directions() {
        let table = table("| `crates/a` | b, c | x |\n| `crates/b` | – | y |\n| `crates/gone` | – | z |\n");
        let package = |name: &str, dependencies: &[&str]| {
            (name.to_owned(), dependencies.iter().map(|name| (*name).to_owned()).collect())
        };
        let found = compare(&table, &[package("a", &["b", "d"]), package("b", &[]), package("e", &[])].into());
        assert_eq!(
            found,
            [
                "crate a must not depend on d",
                "crate a no longer depends on c; remove it from the row",
                "crate e has no row in the table of ARCHITECTURE.md",
                "the table of ARCHITECTURE.md has a row for gone, which is not a crate; remove the row",
            ]
        );
    }
}
