//! The symbols the runtime exports, read from the runtime itself: every C name it defines.
//!
//! Names that begin with `ft_` stay inside, with one exception: `ft_interposed_<name>` is exported as `<name>`. That is
//! for functions that the runtime's own code calls too, by the way of the compiler, such as `memcpy`; those calls go
//! to `ft_internal_<name>`, which the runtime defines.

const INTERPOSED: &str = "ft_interposed_";
const INTERNAL: &str = "ft_internal_";

/// The runtime's symbols, by the names they have in its code.
pub struct Symbols {
    defined: Vec<String>,
    marker: String,
}

impl Symbols {
    /// From what `nm --format=posix` says of the archive; of its members, only those of the runtime's own crate.
    pub fn parse(listing: &str, member: &str, marker: &str) -> Self {
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
        Self { defined, marker: marker.to_owned() }
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
        self.interposed().map(|name| format!("{INTERPOSED}{name} {name}\n")).collect()
    }

    /// One exported name a line.
    pub fn names(&self) -> String {
        self.exported().map(|name| format!("{name}\n")).collect()
    }

    /// The names that give way to a program's own definitions, one a line: all but the compilers' interface. A program
    /// may bring its own allocator, its own `getline` or its own annotations.
    pub fn weak_names(&self) -> String {
        let ours = |name: &&str| name.starts_with("__tsan_") || name.starts_with("__foretrace_");
        self.exported().filter(|name| !ours(name)).map(|name| format!("{name}\n")).collect()
    }

    /// For a linker's `--dynamic-list`.
    pub fn dynamic_list(&self) -> String {
        format!("{{\n{}}};\n", self.terminated())
    }

    /// For a linker's `--version-script`.
    pub fn version_script(&self) -> String {
        format!("{{\nglobal:\n{}local: *;\n}};\n", self.terminated())
    }

    fn terminated(&self) -> String {
        self.exported().map(|name| format!("{name};\n")).collect()
    }

    fn exported(&self) -> impl Iterator<Item = &str> {
        let names = self.defined.iter().map(|name| name.strip_prefix(INTERPOSED).unwrap_or(name));
        names.filter(|name| !name.starts_with("ft_")).chain([self.marker.as_str()])
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
