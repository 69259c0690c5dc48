//! The licence files exist, and every package names the licences.

use super::Text;

/// What is missing.
pub fn check(texts: &[Text]) -> Vec<String> {
    let is_there = |name: &str| texts.iter().any(|text| text.path.as_os_str() == name);
    let absent = ["LICENSE-MIT", "LICENSE-APACHE"].into_iter().filter(|name| !is_there(name));
    let mut complaints: Vec<String> = absent.map(|name| format!("{name} is missing")).collect();
    for manifest in texts.iter().filter(|text| text.path.ends_with("Cargo.toml") && is_member(text)) {
        for line in ["license.workspace = true", "[lints]\nworkspace = true"] {
            if !manifest.text.contains(line) {
                complaints.push(format!("{}: no {}", manifest.path.display(), line.replace('\n', " ")));
            }
        }
    }
    complaints
}

/// Is this a manifest of our workspace? Peers of benchmarks and fuzz targets have their own workspaces, and nothing to
/// inherit.
fn is_member(manifest: &Text) -> bool {
    manifest.path.starts_with("crates") || manifest.path.starts_with("xtask")
}
