//! The runtime that this program carries inside, unpacked where linkers and loaders can read it.
//!
//! It is unpacked once, into a directory named after its contents, so that command lines stay the same from call to
//! call and versions never mix. The directory appears whole, by a rename, or not at all: calls may race. Code from it is
//! run in the user's programs, so a cache that others can write to is refused.

use anyhow::{Context, bail};
use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, symlink};
use std::path::{Path, PathBuf};

/// The shared library, for programs that are not rebuilt.
pub const LIBRARY: &str = "libforetrace-rt.so";
/// The same with what gcc's own `libtsan` has besides.
const STAND_IN: &str = "libforetrace-tsan.so";
/// Where that library goes by the names of gcc's own.
pub const LIBTSAN: &str = "libtsan";

/// Where `foretrace.h` is.
pub const INCLUDE: &str = "include";

/// The directory's name: changes whenever one of its files does.
const NAME: &str = concat!("runtime-", env!("RUNTIME_ASSETS_HASH"));

macro_rules! asset {
    ($file:literal) => {
        include_bytes!(concat!(env!("RUNTIME_ASSETS"), "/", $file))
    };
}

/// Names and contents.
const FILES: [(&str, &[u8]); 10] = [
    ("foretrace-rt.o", asset!("foretrace-rt.o")),
    ("exports.list", asset!("exports.list")),
    ("names.ld", asset!("names.ld")),
    ("names.o", asset!("names.o")),
    ("ubsan.ld", asset!("ubsan.ld")),
    (LIBRARY, asset!("libforetrace-rt.so")),
    (STAND_IN, asset!("libforetrace-tsan.so")),
    ("gcc/libtsan_preinit.o", asset!("empty.o")),
    ("include/foretrace.h", asset!("foretrace.h")),
    // An archive without members.
    ("gcc/libtsan.a", b"!<arch>\n"),
];

/// The unpacked runtime.
pub fn directory() -> anyhow::Result<PathBuf> {
    let cache = cache()?;
    let directory = cache.join(NAME);
    if !directory.is_dir() {
        unpack(&cache, &directory).with_context(|| format!("cannot unpack the runtime in {}", cache.display()))?;
    }
    Ok(directory)
}

/// The cache: what the user said, the usual place, or one in the temporary directory; ours alone in any case.
pub fn cache() -> anyhow::Result<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(said) = set("FORETRACE_CACHE") {
        return private(std::path::absolute(said)?).context("FORETRACE_CACHE cannot be used");
    }
    let usual = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")));
    let usual = usual.filter(|path| path.is_absolute()).and_then(|path| private(path.join("foretrace")).ok());
    usual.map(Ok).unwrap_or_else(|| {
        let own = format!("foretrace-{}", rustix::process::geteuid().as_raw());
        private(std::env::temp_dir().join(own)).context("no cache directory can be used; set FORETRACE_CACHE")
    })
}

/// Makes the directory if it is not there, and checks that only this user can write to it.
fn private(directory: PathBuf) -> anyhow::Result<PathBuf> {
    let made = fs::DirBuilder::new().mode(0o700).recursive(true).create(&directory);
    made.with_context(|| format!("cannot create {}", directory.display()))?;
    let data = fs::symlink_metadata(&directory)?;
    let ours = data.uid() == rustix::process::geteuid().as_raw();
    if !data.is_dir() || !ours || data.mode() & 0o022 != 0 {
        bail!("{} is not a directory that you alone can write to", directory.display());
    }
    Ok(directory)
}

/// Writes everything beside the final place and moves it there.
fn unpack(cache: &Path, directory: &Path) -> io::Result<()> {
    let draft = cache.join(format!(".{NAME}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&draft);
    write_all(&draft)?;
    match fs::rename(&draft, directory) {
        // Another call was faster; its files are the same.
        Err(_) if directory.is_dir() => fs::remove_dir_all(&draft),
        moved => moved,
    }
}

fn write_all(draft: &Path) -> io::Result<()> {
    for folder in ["", "gcc", LIBTSAN, INCLUDE] {
        fs::DirBuilder::new().mode(0o700).create(draft.join(folder))?;
    }
    for (name, bytes) in FILES {
        let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o700).open(draft.join(name))?;
        io::Write::write_all(&mut file, bytes)?;
    }
    for name in ["libtsan.so.0", "libtsan.so.1", "libtsan.so.2"] {
        symlink(Path::new("..").join(STAND_IN), draft.join(LIBTSAN).join(name))?;
    }
    Ok(())
}
