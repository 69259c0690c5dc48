//! Clang's output for real programs is parsed completely, and written back unchanged.

use foretrace_llvm::Module;
use std::path::Path;
use std::process::Command;

/// Clang's text of a program of the corpus.
fn text_of(program: &str, level: &str) -> String {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs").join(program);
    let mut clang = Command::new("clang-19");
    clang.args([level, "-g", "-fsanitize=thread", "-S", "-emit-llvm", "-o", "-"]).arg(&source);
    let output = clang.output().expect("clang-19 can be run (`cargo xtask install`)");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("clang writes UTF-8 for these programs")
}

/// Every line stays, every function is understood, every place leads to the source.
fn check(program: &str, level: &str) {
    let text = text_of(program, level);
    let mut module = Module::parse(&text);
    assert_eq!(module.to_text(), text, "{program} {level}");
    let debug = module.debug();
    let defined = text.lines().filter(|line| line.starts_with("define ")).count();
    assert_eq!(module.definitions().count(), defined);
    for definition in module.definitions_mut() {
        let signature = definition.signature().expect("every signature is understood");
        let known = signature.debug.is_none_or(|number| debug.place(number).is_some());
        assert!(known, "{}", signature.name);
        let name = signature.name.to_owned();
        assert_eq!(definition.rewrite(|_| false), Some(false), "{name}");
    }
    let declared = text.lines().filter(|line| line.starts_with("declare ")).count();
    assert_eq!(module.declared().count(), declared);
    let globals = text.lines().filter(|line| line.starts_with('@') && !line.contains(" alias "));
    assert_eq!(module.globals().count(), globals.count());
}

#[test]
fn c() {
    for level in ["-O0", "-O2"] {
        check("fail/plain/at_exit.c", level);
    }
}

#[test]
fn cxx() {
    for level in ["-O0", "-O1", "-O3"] {
        check("pass/cxx/pipeline.cc", level);
    }
}
