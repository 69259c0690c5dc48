//! Names of addresses, from files that change while they are read.

use std::fs::File;
use std::path::Path;

use foretrace_trace::{Module, Symbols};
use object::{Object, ObjectSymbol, SymbolKind};

/// Where the functions of a file begin.
fn functions(path: &Path) -> Vec<u64> {
    let bytes = std::fs::read(path).expect("the file can be read");
    let file = object::File::parse(&*bytes).expect("an executable");
    let functions = file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.size() > 8);
    functions.map(|symbol| symbol.address()).collect()
}

/// A file that is mapped and shrinks ends the process with a signal, so debug information is read.
#[test]
fn a_module_that_shrinks_loses_nothing_that_was_read() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let path = scratch.path().join("module");
    std::fs::copy(std::env::current_exe().expect("this test"), &path).expect("there is room");
    let functions = functions(&path);
    let module = Module { start: 0, end: u64::MAX, bias: 0, build_id: String::new(), path: path.clone() };
    let symbols = Symbols::of_modules(vec![module], None);
    symbols.location(functions[0] + 1);
    File::create(&path).expect("it is emptied");
    let named = functions.iter().filter(|address| symbols.location(**address + 1).line > 0).count();
    assert!(named > 100, "{named} of {} functions have lines", functions.len());
}
