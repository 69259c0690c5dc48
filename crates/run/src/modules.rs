//! Where the files of a process were mapped, which makes addresses of two runs comparable.

use std::path::{Path, PathBuf};

use foretrace_trace::Module;

/// The mapped files of one run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Modules(Vec<Module>);

impl Modules {
    /// The modules from this list.
    pub fn new(modules: Vec<Module>) -> Self {
        Self(modules)
    }

    /// Reads a file `modules`; malformed lines are skipped, because their writer may have been killed.
    pub fn read(path: &Path) -> Self {
        let text = foretrace_file::read(path, foretrace_file::LONGEST_TEXT).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        Self(text.lines().filter_map(parse).collect())
    }

    /// The module at an address.
    pub fn find(&self, address: u64) -> Option<&Module> {
        self.0.iter().find(|module| (module.start..module.end).contains(&address))
    }

    /// All of them.
    pub fn all(&self) -> &[Module] {
        &self.0
    }

    /// The place in a form that is the same in every run: the file, and the address in it. Addresses outside all files
    /// stay as they are.
    pub fn locate(&self, address: u64) -> (PathBuf, u64) {
        self.find(address).map_or_else(
            || (PathBuf::new(), address),
            |module| (module.path.clone(), address.wrapping_sub(module.bias)),
        )
    }
}

fn parse(line: &str) -> Option<Module> {
    let mut fields = line.splitn(5, ' ');
    let mut number = || u64::from_str_radix(fields.next()?.trim_start_matches("0x"), 16).ok();
    let (start, end, bias) = (number()?, number()?, number()?);
    let build_id = fields.next()?.trim_matches('-').to_owned();
    Some(Module { start, end, bias, build_id, path: fields.next()?.into() })
}
