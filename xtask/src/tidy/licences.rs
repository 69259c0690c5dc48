//! The licences lie where everyone looks for them, and every package names them.

use super::Text;

/// What is missing.
pub fn check(texts: &[Text]) -> Vec<String> {
    let is_there = |name: &str| texts.iter().any(|text| text.path.as_os_str() == name);
    let absent = ["LICENSE-MIT", "LICENSE-APACHE"].into_iter().filter(|name| !is_there(name));
    let mut complaints: Vec<String> = absent.map(|name| format!("{name} is missing")).collect();
    let manifests = texts.iter().filter(|text| text.path.ends_with("Cargo.toml") && text.path.components().count() > 1);
    for manifest in manifests {
        for line in ["license.workspace = true", "[lints]\nworkspace = true"] {
            if !manifest.text.contains(line) {
                complaints.push(format!("{}: no {}", manifest.path.display(), line.replace('\n', " ")));
            }
        }
    }
    complaints
}
