//! What a call of the compiler asks for.

use crate::Error;
use crate::input::Input;
use crate::options::{asks, takes_next};
use crate::response::{ReadFile, expand};

/// How far the compiler goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// It answers a question, or only preprocesses: the wrapper adds nothing.
    Ask,
    /// It stops before linking.
    Compile,
    /// It links a program.
    Program,
    /// It links a shared library.
    Library,
    /// It links an object file out of others (`-r`).
    Relocatable,
}

/// The properties of a call that matter to the wrapper.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call {
    /// How far it goes.
    pub stage: Stage,
    /// Is anything compiled, rather than assembled or linked alone?
    pub compiles: bool,
    /// Did the user choose the debug information?
    pub chooses_debug: bool,
    /// Are the compiler's own libraries left out (`-nostdlib`)?
    pub bare: bool,
    /// Must every symbol of a library be defined (`-Wl,-z,defs`)?
    pub wants_definitions: bool,
    /// Does optimisation go on while linking (`-flto`)?
    pub link_time: bool,
    /// Must names of other libraries be defined by an object rather than by a linker script? That is so if the C++
    /// library is an archive (`-static-libstdc++`), or if the linker does not support such scripts (mold).
    pub defines_names: bool,
    /// Does the user ask for checks of undefined behaviour?
    pub checks_undefined: bool,
    /// Does each read have a hook of its own, even if the same variable is written next?
    pub hooks_each_read: bool,
}

/// Clang's option, after `-mllvm`, for a hook before each read.
pub const HOOK_EACH_READ: &str = "-tsan-instrument-read-before-write=1";

/// The state after the arguments so far.
#[derive(Default)]
struct Seen {
    inputs: Vec<Input>,
    language: Option<Input>,
    asks: bool,
    stops: bool,
    shared: bool,
    relocatable: bool,
    chooses_debug: bool,
    bare: bool,
    wants_definitions: bool,
    link_time: bool,
    defines_names: bool,
    is_static: Option<String>,
    sanitizers: Vec<String>,
    hooks_each_read: bool,
}

impl Call {
    /// Reads the arguments, response files included.
    pub fn read(args: impl IntoIterator<Item = String>, read: ReadFile) -> Result<Self, Error> {
        let mut seen = Seen::default();
        let mut words = expand(args, read)?.into_iter();
        let mut options_end = false;
        while let Some(word) = words.next() {
            match word.as_str() {
                file if options_end => seen.input(file),
                "--" => options_end = true,
                option if takes_next(option) => seen.pair(option, words.next().as_deref().unwrap_or("")),
                "-" => seen.input("-"),
                option if option.starts_with('-') => seen.option(option),
                file => seen.input(file),
            }
        }
        seen.finish()
    }
}

impl Seen {
    fn input(&mut self, file: &str) {
        self.inputs.push(self.language.unwrap_or_else(|| Input::of_file(file)));
    }

    fn pair(&mut self, option: &str, value: &str) {
        match option {
            "-x" | "--language" => self.language = Input::of_language(value),
            "-Xlinker" => self.linker_word(value),
            "-z" => self.wants_definitions |= value == "defs",
            "-l" => self.inputs.push(Input::Object),
            "-mllvm" => self.hooks_each_read |= value == HOOK_EACH_READ,
            _ => {}
        }
    }

    fn option(&mut self, option: &str) {
        match option {
            "-c" | "-S" | "--compile" | "--assemble" | "-fsyntax-only" | "-emit-ast" | "--analyze" => self.stops = true,
            "-shared" | "--shared" => self.shared = true,
            "-r" => self.relocatable = true,
            "-static" | "--static" | "-static-pie" | "--static-pie" => self.is_static = Some(option.to_owned()),
            "-nostdlib" | "--no-standard-libraries" | "-nodefaultlibs" | "-nolibc" => self.bare = true,
            "-static-libstdc++" | "-fuse-ld=mold" | "--ld-path=mold" => self.defines_names = true,
            "-fno-lto" => self.link_time = false,
            _ if asks(option) => self.asks = true,
            _ => self.valued(option),
        }
    }

    fn valued(&mut self, option: &str) {
        if let Some(language) = option.strip_prefix("-x") {
            self.language = Input::of_language(language);
        } else if let Some(names) = option.strip_prefix("-fsanitize=") {
            self.sanitizers.extend(names.split(',').map(str::to_owned));
        } else if let Some(names) = option.strip_prefix("-fno-sanitize=") {
            self.sanitizers.retain(|given| names != "all" && names.split(',').all(|name| name != given));
        } else if let Some(words) = option.strip_prefix("-Wl,") {
            self.linker_words(words);
        } else if option.starts_with("-flto") {
            self.link_time = true;
        } else if option.starts_with("-l") {
            self.inputs.push(Input::Object);
        } else if let Some(kind) = option.strip_prefix("-g") {
            self.chooses_debug |= is_debug_choice(kind);
        }
    }

    fn linker_words(&mut self, words: &str) {
        words.split(',').for_each(|word| self.linker_word(word));
    }

    fn linker_word(&mut self, word: &str) {
        match word {
            "defs" | "--no-undefined" | "-no-undefined" | "--unresolved-symbols=report-all" => {
                self.wants_definitions = true;
            }
            "-r" | "--relocatable" | "-i" => self.relocatable = true,
            "-shared" | "--shared" | "-Bshareable" => self.shared = true,
            "-static" | "-Bstatic" | "-Bdynamic" => {}
            file if !file.starts_with('-') && file.ends_with(".o") => self.inputs.push(Input::Object),
            _ => {}
        }
    }

    fn stage(&self) -> Stage {
        let only_headers = self.inputs.iter().all(|input| *input == Input::Header);
        match () {
            () if self.asks || self.inputs.is_empty() => Stage::Ask,
            () if self.stops || only_headers => Stage::Compile,
            () if self.relocatable => Stage::Relocatable,
            () if self.shared => Stage::Library,
            () => Stage::Program,
        }
    }

    fn finish(self) -> Result<Call, Error> {
        let stage = self.stage();
        if stage != Stage::Ask
            && let Some(name) = self.sanitizers.iter().find(|name| replaces_hooks(name))
        {
            return Err(Error::Sanitizer { name: name.clone() });
        }
        if stage == Stage::Program
            && let Some(flag) = self.is_static
        {
            return Err(Error::Static { flag });
        }
        Ok(Call {
            stage,
            compiles: self.inputs.iter().any(|input| matches!(input, Input::Source | Input::Header)),
            chooses_debug: self.chooses_debug,
            bare: self.bare,
            wants_definitions: self.wants_definitions,
            link_time: self.link_time,
            defines_names: self.defines_names,
            checks_undefined: self.sanitizers.iter().any(|name| name != "thread"),
            hooks_each_read: self.hooks_each_read,
        })
    }
}

/// `-g`, `-g3`, `-ggdb`, `-gdwarf-4` choose debug information; `-gz`, `-gno-column-info` and similar ones only modify
/// it.
fn is_debug_choice(kind: &str) -> bool {
    let level = |rest: &str| rest.is_empty() || rest.starts_with(|c: char| c.is_ascii_digit());
    level(kind)
        || ["gdb", "dwarf-", "stabs", "vms", "codeview", "btf", "ctf"].iter().any(|form| kind.starts_with(form))
        || kind.starts_with("line-tables-only")
        || kind == "dwarf"
        || kind == "mlt"
        || kind == "full"
}

/// Sanitizers that replace the thread sanitizer's hooks or its memory layout.
fn replaces_hooks(name: &str) -> bool {
    matches!(name, "address" | "memory" | "hwaddress" | "leak" | "kernel-address" | "kernel-hwaddress" | "dataflow")
        || matches!(name, "kernel-memory" | "memtag" | "realtime" | "type" | "numerical" | "safe-stack")
}
