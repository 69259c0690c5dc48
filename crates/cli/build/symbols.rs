//! The symbols the runtime exports, read from the runtime itself: every C name it defines.
//!
//! Names that begin with `ft_` stay inside, with one exception: `ft_interposed_<name>` is exported as `<name>`. That is
//! for functions that the runtime's own code calls too, by the way of the compiler, such as `memcpy`; those calls go
//! to `ft_internal_<name>`, which the runtime defines.
//!
//! Functions of libraries that not every program has, such as `__cxa_guard_acquire` of the C++ library, are *lent*: to
//! define them would take the library's place when a program is linked with `--as-needed`. In the object they are called
//! `__foretrace_for_<name>`, and a linker script gives them their names after the linker has seen what each library is
//! needed for.

use std::collections::HashSet;

/// Ends assembly that needs no executable stack.
pub const NO_STACK: &str = ".section .note.GNU-stack,\"\",@progbits\n";
const INTERPOSED: &str = "ft_interposed_";
const INTERNAL: &str = "ft_internal_";
const LENT: &str = "__foretrace_for_";

/// How names begin that no library but a sanitizer's has.
const INTERFACE: [&str; 13] = [
    "__tsan_",
    "__sanitizer_",
    "__sancov_",
    "__foretrace_",
    "__interceptor_",
    "___interceptor_",
    "__asan_",
    "__lsan_",
    "__ubsan_",
    "Annotate",
    "WTFAnnotate",
    "RunningOnValgrind",
    "ThreadSanitizerQuery",
];

/// The runtime's symbols, by the names they have in its code.
#[derive(Clone)]
pub struct Symbols {
    defined: Vec<String>,
    marker: String,
    /// Names that are no functions of the runtime's code: see `interface`.
    more: Vec<String>,
    /// What the C library's own files define.
    system: HashSet<String>,
}

impl Symbols {
    /// From what `nm --format=posix` says of the archive; of its members, only those of the runtime's own crate.
    pub fn parse(listing: &str, member: &str, marker: &str, system: HashSet<String>) -> Self {
        let mut ours = false;
        let mut defined = Vec::new();
        for line in listing.lines() {
            match line.split_once("[") {
                Some((_, name)) if line.ends_with("]:") => ours = name.starts_with(member),
                _ if ours => defined.extend(symbol(line)),
                _ => {}
            }
        }
        defined.sort();
        Self { defined, marker: marker.to_owned(), more: vec![], system }
    }

    /// The same with more names, which are no functions of the runtime's code.
    pub fn with(&self, more: Vec<String>) -> Self {
        let mut symbols = self.clone();
        symbols.more.extend(more);
        symbols
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.defined.len()
    }

    /// Arguments that make a linker take from an archive what defines the symbols.
    pub fn roots(&self) -> Vec<String> {
        let internal = self.interposed().map(|name| format!("--undefined={INTERNAL}{name}"));
        self.defined.iter().map(|name| format!("--undefined={name}")).chain(internal).collect()
    }

    /// Renames the runtime's own calls.
    pub fn inner_renames(&self) -> String {
        self.interposed().map(|name| format!("{name} {INTERNAL}{name}\n")).collect()
    }

    /// Renames what the program calls.
    pub fn outer_renames(&self) -> String {
        let interposed = self.interposed().map(|name| format!("{INTERPOSED}{name} {}\n", self.in_object(name)));
        let lent = self.lent().filter(|name| self.defined.iter().any(|defined| defined == name));
        interposed.chain(lent.map(|name| format!("{name} {LENT}{name}\n"))).collect()
    }

    /// What a function is called in the object.
    fn in_object(&self, name: &str) -> String {
        if self.is_lent(name) { format!("{LENT}{name}") } else { name.to_owned() }
    }

    /// Does a library have this function that a program may do without?
    fn is_lent(&self, name: &str) -> bool {
        let interface = INTERFACE.iter().any(|prefix| name.starts_with(prefix)) || name == "ValgrindSlowdown";
        !interface && !self.system.contains(name)
    }

    fn lent(&self) -> impl Iterator<Item = &str> {
        self.functions().filter(|name| self.is_lent(name))
    }

    /// A linker script that gives lent functions their names, unless the program has its own.
    pub fn script(&self) -> String {
        self.lent().map(|name| format!("PROVIDE({name} = {LENT}{name});\n")).collect()
    }

    /// A linker script that gives the functions of undefined behaviour clang's names.
    pub fn undefined_behaviour(&self) -> String {
        let names = self.functions().filter_map(|name| name.strip_prefix("__foretrace_ubsan_"));
        let provide = |name| match name {
            "vptr_type_cache" => format!("PROVIDE(__ubsan_{name} = __foretrace_ubsan_{name});\n"),
            _ => format!("PROVIDE(__ubsan_handle_{name} = __foretrace_ubsan_{name});\n"),
        };
        names.map(provide).collect()
    }

    /// The same as assembly, for links whose libraries are archives.
    pub fn stubs(&self) -> String {
        let stub = |name| format!(".weak {name}\n.type {name}, @function\n{name}: jmp {LENT}{name}\n");
        format!(".text\n{}{NO_STACK}", self.lent().map(stub).collect::<String>())
    }

    /// References to lent names, as assembly: libraries that are loaded later find them in a program that needs none.
    pub fn wishes(&self) -> String {
        let wish = |name| format!(".weak {name}\n.quad {name}\n");
        format!(".section .data.rel.ft_wishes,\"aw\"\n{}{NO_STACK}", self.lent().map(wish).collect::<String>())
    }

    /// What is global in the object, one a line.
    pub fn names(&self) -> String {
        self.exported().map(|name| format!("{}\n", self.in_object(name))).collect()
    }

    /// The names that give way to a program's own definitions, one a line: all but the compilers' interface. A program
    /// may bring its own allocator, its own `getline` or its own annotations.
    pub fn weak_names(&self) -> String {
        let theirs = |name: &str| name.starts_with("__tsan_default_") || name.starts_with("__tsan_on_");
        let ours = |name: &&str| (name.starts_with("__tsan_") || name.starts_with("__foretrace_")) && !theirs(name);
        self.exported().filter(|name| !ours(name) && !self.is_lent(name)).map(|name| format!("{name}\n")).collect()
    }

    /// For a linker's `--dynamic-list`. What lent names stand for is in it so that `--gc-sections` keeps it.
    pub fn dynamic_list(&self) -> String {
        let lent: String = self.lent().map(|name| format!("{LENT}{name};\n")).collect();
        format!("{{\n{}{lent}}};\n", self.terminated())
    }

    /// For a linker's `--version-script`.
    pub fn version_script(&self) -> String {
        format!("{{\nglobal:\n{}local: *;\n}};\n", self.terminated())
    }

    fn terminated(&self) -> String {
        self.exported().map(|name| format!("{name};\n")).collect()
    }

    fn exported(&self) -> impl Iterator<Item = &str> {
        self.functions().chain([self.marker.as_str()]).chain(self.more.iter().map(String::as_str))
    }

    fn functions(&self) -> impl Iterator<Item = &str> {
        let names = self.defined.iter().map(|name| name.strip_prefix(INTERPOSED).unwrap_or(name));
        names.filter(|name| !name.starts_with("ft_"))
    }

    fn interposed(&self) -> impl Iterator<Item = &str> {
        self.defined.iter().filter_map(|name| name.strip_prefix(INTERPOSED))
    }
}

/// The name in a line such as `memcpy T 40 1f`, if it is one of C.
fn symbol(line: &str) -> Option<String> {
    let mut words = line.split(' ');
    let (name, kind) = (words.next()?, words.next()?);
    (kind.len() == 1 && is_c_name(name)).then(|| name.to_owned())
}

/// Names of Rust are mangled, those of the compiler begin like these.
fn is_c_name(name: &str) -> bool {
    !["_ZN", "_R", "rust_", "__rust", "DW.ref", "anon."].iter().any(|prefix| name.starts_with(prefix))
}
