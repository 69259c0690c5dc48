//! Every line of `calls.table`, for both families of compilers.

use foretrace_cc::{Compiler, Family, Runtime, plan};
use std::ffi::OsString;
use std::path::Path;

const TABLE: &str = include_str!("calls.table");

/// The abbreviations of the table.
fn meaning(word: &str, family: Family) -> String {
    let gcc = family == Family::Gcc;
    let switches = if gcc {
        "--param tsan-instrument-func-entry-exit=0 -fno-builtin-memcpy -fno-builtin-memmove -fno-builtin-mempcpy \
         -fno-builtin-memset -fno-builtin-stpcpy -fno-builtin-strcat -fno-builtin-strcpy -fno-builtin-strncpy"
    } else {
        "-mllvm -tsan-compound-read-before-write=1 -mllvm -tsan-instrument-func-entry-exit=0 -mprefer-vector-width=128"
    };
    match word {
        "$SAN" => "-fsanitize=thread".to_owned(),
        "$INSTRUMENT" => {
            format!("-fsanitize=thread -fno-omit-frame-pointer -fno-optimize-sibling-calls -g1 {switches}")
        }
        "$COMPILE" => format!("-idirafter/rt/include {}", meaning("$INSTRUMENT", family)),
        "$DEBUG" => format!(
            "-idirafter/rt/include -fsanitize=thread -fno-omit-frame-pointer -fno-optimize-sibling-calls {switches}"
        ),
        "$NORT" => if gcc { "-B/rt/gcc" } else { "-fno-sanitize-link-runtime" }.to_owned(),
        "$RT" => {
            "-Xlinker /rt/names.ld -Xlinker /rt/foretrace-rt.o -Xlinker --dynamic-list=/rt/exports.list".to_owned()
        }
        "$LIBS" => "-lpthread -ldl".to_owned(),
        "$UNDEFINED" => "-Wl,--unresolved-symbols=ignore-in-object-files".to_owned(),
        word => word.to_owned(),
    }
}

fn response_file(path: &Path) -> Option<String> {
    let text = match path.to_str()? {
        "one" => "-O2 -c 'a b.c'",
        "two" => "@one -g",
        "link" => "a.o b.o -shared",
        "self" => "@self",
        _ => return None,
    };
    Some(text.to_owned())
}

fn planned(args: &str, family: Family) -> Result<String, String> {
    let compiler = Compiler { command: vec!["compiler".into()], family };
    let args: Vec<OsString> = args.split_whitespace().map(OsString::from).collect();
    let command = plan(&compiler, &Runtime::in_directory(Path::new("/rt")), &args, &response_file);
    let words = command.map_err(|error| error.to_string())?;
    Ok(words[1..].iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" "))
}

fn check(line: &str, number: usize, family: Family) {
    if let Some((args, error)) = line.split_once(" ! ") {
        let refusal = planned(args, family).expect_err(line);
        assert!(refusal.contains(error), "line {number}: {args}: {refusal}");
        return;
    }
    let (args, expected) = line.split_once("=>").unwrap_or_else(|| panic!("line {number} has no =>"));
    let expected: Vec<String> = expected.split_whitespace().map(|word| meaning(word, family)).collect();
    assert_eq!(planned(args, family), Ok(expected.join(" ")), "line {number}: {args} for {family:?}");
}

#[test]
fn every_line_of_the_table() {
    for (line, number) in TABLE.lines().zip(1..).filter(|(line, _)| !line.starts_with('#') && !line.is_empty()) {
        match (line.strip_prefix("gcc "), line.strip_prefix("clang ")) {
            (Some(line), _) => check(line, number, Family::Gcc),
            (_, Some(line)) => check(line, number, Family::Clang),
            _ => [Family::Gcc, Family::Clang].into_iter().for_each(|family| check(line, number, family)),
        }
    }
}
