//! `unsafe` stays where it must be. (Clippy checks that each block says why it is sound.)

use super::Text;

/// Crates that need it: inside someone else's process, mapping files, steering processes.
const UNSAFE: [&str; 3] = ["runtime", "trace", "replay"];

/// Every library and program elsewhere that does not forbid it.
pub fn check(texts: &[Text]) -> Vec<String> {
    let roots = texts.iter().filter(|text| text.path.ends_with("src/lib.rs") || is_program(text));
    let free = roots.filter(|text| !text.text.contains("#![forbid(unsafe_code)]") && !is_excused(text));
    free.map(|text| format!("{}: no #![forbid(unsafe_code)]", text.path.display())).collect()
}

/// A `main.rs` with its own code; one that only calls its library is covered by the library.
fn is_program(text: &Text) -> bool {
    text.path.ends_with("src/main.rs") && text.text.contains("mod ")
}

fn is_excused(text: &Text) -> bool {
    text.path.components().any(|part| UNSAFE.iter().any(|name| part.as_os_str() == *name))
}
