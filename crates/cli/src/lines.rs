//! Files of `key=value` lines, as Foretrace writes them beside recordings and findings.

use crate::quote::unquoted;
use anyhow::Context;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

/// Such a file.
pub struct Lines {
    file: PathBuf,
    text: String,
}

impl Lines {
    /// Reads it.
    pub fn read(file: &Path) -> io::Result<Self> {
        Ok(Self { file: std::path::absolute(file)?, text: foretrace_file::text(file)? })
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> anyhow::Result<&str> {
        let value = self.text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
        value.with_context(|| format!("{}: no {key}=; check the program again", self.file.display()))
    }

    /// The words of a value, as [`crate::quote`] wrote them.
    pub fn words(&self, key: &str) -> anyhow::Result<Vec<OsString>> {
        unquoted(self.get(key)?).with_context(|| self.damaged(key))
    }

    /// The path that a value is; a relative one begins where the file lies.
    pub fn path(&self, key: &str) -> anyhow::Result<PathBuf> {
        let words = self.words(key)?;
        let [path] = words.as_slice() else { anyhow::bail!(self.damaged(key)) };
        Ok(self.beside(Path::new(path)))
    }

    /// A path that begins where the file lies.
    pub fn beside(&self, path: &Path) -> PathBuf {
        let joined = self.file.parent().unwrap_or(Path::new("/")).join(path);
        if path.is_absolute() { joined } else { joined.canonicalize().unwrap_or(joined) }
    }

    /// The error for a value that Foretrace cannot have written.
    pub fn damaged(&self, key: &str) -> String {
        let value = self.get(key).unwrap_or_default();
        format!("{}: {key}={value} is not valid; check the program again", self.file.display())
    }
}
