//! The way into a program: what must be done so that the runtime is in it.

use crate::assets;
use crate::environment::Environment;
use anyhow::{Context, bail};
use object::read::elf::{ElfFile64, FileHeader, ProgramHeader};
use object::{Object, ObjectSymbol, ReadCache, elf};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A symbol of every program that holds our runtime.
const MARKER: &str = "__foretrace_runtime";

/// The class of 32-bit programs in an ELF file's header.
const NARROW: u8 = 1;

/// How the runtime comes into a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// It was linked in by `foretrace cc`.
    Built,
    /// It stands in for gcc's own `libtsan`.
    Libtsan,
    /// It is loaded before the program's libraries, and sees synchronisation only.
    Preload,
    /// The program is a script: what it starts is recorded, whichever way that was built.
    Script,
}

impl Way {
    /// For the file that describes the run.
    pub fn name(self) -> &'static str {
        match self {
            Self::Built => "built with foretrace cc",
            Self::Libtsan => "gcc ThreadSanitizer build",
            Self::Preload => "preloaded, synchronisation only",
            Self::Script => "script, runtime preloaded",
        }
    }

    /// The variables that bring the runtime in, beside those of the program.
    pub fn environment(self, around: &Environment) -> anyhow::Result<Vec<(&'static str, OsString)>> {
        let directory = assets::directory()?;
        let library = || prepended(around, "LD_PRELOAD", &directory.join(assets::LIBRARY));
        let libtsan = || prepended(around, "LD_LIBRARY_PATH", &directory.join(assets::LIBTSAN));
        Ok(match self {
            Self::Built => vec![],
            Self::Libtsan => vec![libtsan()],
            Self::Preload => vec![library()],
            Self::Script => vec![library(), libtsan()],
        })
    }
}

fn prepended(around: &Environment, variable: &'static str, path: &Path) -> (&'static str, OsString) {
    let mut value = path.as_os_str().to_owned();
    if let Some(old) = around.get(variable).filter(|old| !old.is_empty()) {
        value.push(":");
        value.push(old);
    }
    (variable, value)
}

/// Finds a program as a shell does.
pub fn find_program(name: &OsStr) -> anyhow::Result<PathBuf> {
    let path = Path::new(name);
    if path.components().count() > 1 || path.is_absolute() || name.as_encoded_bytes().contains(&b'/') {
        return Ok(path.to_owned());
    }
    let search = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&search).map(|directory| directory.join(name)).find(|file| is_executable(file));
    found.with_context(|| format!("{}: not found in PATH; for a program here, say ./{0}", name.display()))
}

/// The way into this program, or why there is none.
pub fn way_into(program: &Path) -> anyhow::Result<Way> {
    let way = foretrace_file::open(program).map_err(anyhow::Error::from).and_then(|file| {
        refuse_privileged(&file)?;
        way_into_file(file)
    });
    way.with_context(|| format!("cannot record {}", program.display()))
}

/// The loader lets nobody bring code into a program that runs with another user's rights.
fn refuse_privileged(file: &File) -> anyhow::Result<()> {
    let data = file.metadata()?;
    if data.is_dir() {
        bail!("it is a directory");
    }
    let foreign = data.uid() != rustix::process::geteuid().as_raw();
    if data.mode() & 0o4000 != 0 && foreign {
        bail!("it runs with the rights of another user (set-user-id); record it as that user");
    }
    Ok(())
}

fn way_into_file(mut file: File) -> anyhow::Result<Way> {
    let mut start = Vec::new();
    Read::by_ref(&mut file).take(20).read_to_end(&mut start)?;
    if start.starts_with(b"#!") {
        return Ok(Way::Script);
    }
    if !start.starts_with(b"\x7fELF") {
        bail!("it is neither an ELF program nor a script");
    }
    if start.get(4) == Some(&NARROW) {
        bail!("it is a 32-bit program; build it for 64 bits");
    }
    let cache = ReadCache::new(file);
    let machine = if cfg!(target_arch = "x86_64") { elf::EM_X86_64 } else { elf::EM_AARCH64 };
    let elf = ElfFile64::<object::Endianness, _>::parse(&cache).context("it is not a program for this machine")?;
    if elf.elf_header().e_machine(elf.endian()) != machine {
        bail!("it was built for another machine");
    }
    if elf.elf_header().e_type(elf.endian()) == elf::ET_REL {
        bail!("it is an object file; link it with foretrace cc");
    }
    way_into_elf(&elf)
}

fn way_into_elf<'a, R: object::ReadRef<'a>>(program: &Elf<'a, R>) -> anyhow::Result<Way> {
    let defines = |name: &str| {
        let mut symbols = program.dynamic_symbols().chain(program.symbols());
        symbols.any(|symbol| !symbol.is_undefined() && symbol.name() == Ok(name))
    };
    if defines(MARKER) {
        return Ok(Way::Built);
    }
    refuse_other_sanitizers(program)?;
    if defines("__tsan_init") {
        bail!(
            "ThreadSanitizer is linked into it, as clang does; build it with foretrace cc, or link it with \
             -fno-sanitize-link-runtime and run it under foretrace"
        );
    }
    if program.section_by_name(".go.buildinfo").is_some() || program.section_by_name(".note.go.buildid").is_some() {
        bail!("it is a Go program, whose threads and locks Go's own runtime makes");
    }
    let needed = needed_libraries(program)?;
    match () {
        () if needed.iter().any(|name| name.contains("musl")) || interpreter(program).contains("musl") => {
            bail!("it was built for the musl C library; build it for glibc")
        }
        () if needed.iter().any(|name| name.starts_with("libtsan.so")) => Ok(Way::Libtsan),
        () if needed.is_empty() => {
            bail!("it is linked statically; link it without -static, or build it with foretrace cc")
        }
        () => Ok(Way::Preload),
    }
}

type Elf<'a, R> = ElfFile64<'a, object::Endianness, R>;

fn needed_libraries<'a, R: object::ReadRef<'a>>(program: &Elf<'a, R>) -> anyhow::Result<Vec<String>> {
    let libraries = program.import_libraries()?;
    libraries.map(|library| Ok(String::from_utf8_lossy(library?.name()).into_owned())).collect()
}

/// The loader that the program names; nothing for one that names none.
fn interpreter<'a, R: object::ReadRef<'a>>(program: &Elf<'a, R>) -> String {
    let (endian, data) = (program.endian(), program.data());
    let mut headers = program.elf_program_headers().iter();
    let name = headers.find_map(|header| header.interpreter(endian, data).ok().flatten());
    name.map(|name| String::from_utf8_lossy(name).into_owned()).unwrap_or_default()
}

/// Sanitizers that replace the allocator or the layout of memory, by a symbol of each and by its libraries.
const SANITIZERS: [(&str, &str, &str); 5] = [
    ("AddressSanitizer", "__asan_init", "asan"),
    ("HWAddressSanitizer", "__hwasan_init", "hwasan"),
    ("MemorySanitizer", "__msan_init", "msan"),
    ("DataFlowSanitizer", "dfsan_set_label", "dfsan"),
    ("LeakSanitizer", "__lsan_init", "lsan"),
];

/// A program that was built with another sanitizer has no place for the runtime.
fn refuse_other_sanitizers<'a, R: object::ReadRef<'a>>(program: &Elf<'a, R>) -> anyhow::Result<()> {
    let needed = needed_libraries(program)?;
    let runtime = |name: &str| {
        let (gcc, clang) = (format!("lib{name}.so"), format!("libclang_rt.{name}"));
        needed.iter().any(|library| library.starts_with(&gcc) || library.starts_with(&clang))
    };
    let has = |symbol: &str| program.dynamic_symbols().chain(program.symbols()).any(|one| one.name() == Ok(symbol));
    match SANITIZERS.iter().find(|(_, symbol, library)| runtime(library) || has(symbol)) {
        Some((name, ..)) => bail!("it was built with {name}; build it without, or with foretrace cc"),
        None => Ok(()),
    }
}

/// A file that may be run.
pub fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}
