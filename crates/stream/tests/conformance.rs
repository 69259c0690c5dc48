//! Every case under `tests/stream`: the output must be what the file says. `cargo xtask bless` writes what came out.
use foretrace_stream::testing::Case;
use std::path::{Path, PathBuf};

fn cases(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the folder of cases") {
        let path = entry.expect("a file").path();
        if path.is_dir() {
            cases(&path, out);
        } else if path.extension().is_some_and(|extension| extension == "case") {
            out.push(path);
        }
    }
}

#[test]
fn every_case_gives_its_output() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/stream");
    let mut paths = Vec::new();
    cases(&root, &mut paths);
    paths.sort();
    let bless = std::env::var_os("UPDATE_EXPECT").is_some();
    let mut wrong = Vec::new();
    for path in &paths {
        let text = std::fs::read_to_string(path).expect("a case");
        let case = Case::parse(&text);
        let found = case.run("spec");
        if found == case.expected {
            continue;
        }
        if bless {
            let head = text.split("--- output\n").next().unwrap_or_default();
            std::fs::write(path, format!("{head}--- output\n{found}")).expect("the case can be written");
        } else {
            wrong.push(format!("{}:\n--- expected\n{}--- found\n{found}", path.display(), case.expected));
        }
    }
    assert!(wrong.is_empty(), "{} of {} cases differ:\n{}", wrong.len(), paths.len(), wrong.join("\n"));
}
