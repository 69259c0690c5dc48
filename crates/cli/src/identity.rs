//! Whether a program is still the one that was recorded.

use anyhow::{Context, bail};
use foretrace_trace::{Module, Recording};
use object::{Object, ReadCache};
use std::io;
use std::path::Path;

/// The build id of a program or library; the hash of its bytes, if it has none.
pub fn of(file: &Path) -> io::Result<String> {
    if let Some(id) = build_id(file)? {
        return Ok(format!("build-id:{id}"));
    }
    let mut hash = Hash::default();
    io::copy(&mut foretrace_file::open(file)?, &mut hash)?;
    Ok(format!("bytes:{:016x}", hash.0))
}

fn build_id(file: &Path) -> io::Result<Option<String>> {
    let cache = ReadCache::new(foretrace_file::open(file)?);
    let id = object::File::parse(&cache).ok().and_then(|file| file.build_id().ok().flatten().map(<[u8]>::to_vec));
    Ok(id.map(|id| id.iter().map(|byte| format!("{byte:02x}")).collect()))
}

/// Refuses a program that is not the one of this recording, or has libraries that are not.
pub fn refuse_changed(program: &Path, identity: &str, recording: &Path) -> anyhow::Result<()> {
    let now = of(program).with_context(|| {
        format!("cannot read {}: build it there as it was, or check it again where it is now", program.display())
    })?;
    let modules = Recording::modules_in(recording)?;
    let other = modules.iter().find(|module| is_changed(module)).map(|module| module.path.as_path());
    if let Some(changed) = (now != identity).then_some(program).or(other) {
        bail!("{} has changed since it was recorded; check it again", changed.display());
    }
    Ok(())
}

/// Libraries of the system may be newer, or those of another machine. A file that is gone was a program compiled for one check.
fn is_changed(module: &Module) -> bool {
    let system = ["/usr", "/lib", "/lib64"].iter().any(|place| module.path.starts_with(place));
    let known = module.path.is_absolute() && !system && !module.build_id.is_empty();
    known && build_id(&module.path).is_ok_and(|id| id.is_some_and(|id| id != module.build_id))
}

/// FNV-1a, the same for ever: it is written down.
#[derive(Clone, Copy)]
pub struct Hash(pub u64);

impl Default for Hash {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hash {
    /// Adds bytes, and a mark of their end.
    pub fn add(&mut self, bytes: &[u8]) {
        self.bytes(bytes);
        self.bytes(&bytes.len().to_le_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
    }
}

impl io::Write for Hash {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_bytes_are_another_program() {
        let scratch = tempfile::tempdir().expect("a scratch directory");
        let script = scratch.path().join("script");
        let with = |text: &str| {
            std::fs::write(&script, text).expect("it can be written");
            of(&script).expect("it can be read")
        };
        let (first, other) = (with("#!/bin/sh\n"), with("#!/bin/sh\n:\n"));
        assert_eq!(with("#!/bin/sh\n"), first);
        assert_ne!(first, other);
        let changed = refuse_changed(&script, &other, scratch.path()).expect_err("it has changed").to_string();
        assert!(changed.ends_with("script has changed since it was recorded; check it again"), "{changed}");
        assert!(of(Path::new("/proc/self/exe")).expect("it can be read").len() > "bytes:".len());
    }
}
