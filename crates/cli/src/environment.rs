//! The variables of a recorded run, kept for its replays.
//!
//! The file is for its owner's eyes only. Variables that are meant for Foretrace, and those whose names say that they are
//! secret, are not written down: a replay takes them from its own environment.

use crate::quote::{quoted, unquoted};
use anyhow::Context;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// What a program finds in its environment.
pub struct Environment(Vec<(OsString, OsString)>);

/// Parts of names that suggest a secret.
const SECRET: [&str; 7] = ["TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "PRIVATE_KEY", "API_KEY"];

/// Is it a variable that each run takes from its own environment?
fn is_left_out(name: &OsStr) -> bool {
    let name = name.to_string_lossy().to_ascii_uppercase();
    name.starts_with("FORETRACE_") || SECRET.iter().any(|part| name.contains(part))
}

impl Environment {
    /// Our own.
    pub fn own() -> Self {
        Self(std::env::vars_os().collect())
    }

    /// Writes it to a file, a line a variable, by name.
    pub fn write(&self, file: &Path) -> io::Result<()> {
        let mut lines: Vec<String> = self.kept().map(|(name, value)| quoted(pair(name, value)) + "\n").collect();
        lines.sort();
        let mut file = fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(file)?;
        file.write_all(lines.concat().as_bytes())
    }

    /// The variables that are written down.
    fn kept(&self) -> impl Iterator<Item = &(OsString, OsString)> {
        self.0.iter().filter(|(name, _)| !is_left_out(name))
    }

    /// Reads such a file, and adds what is not written down from our own environment.
    pub fn read(file: &Path) -> anyhow::Result<Self> {
        let text = foretrace_file::text(file).with_context(|| format!("cannot read {}", file.display()))?;
        let kept = text.lines().map(|line| {
            let words = unquoted(line).unwrap_or_default();
            let [pair] = words.as_slice() else { return None };
            split(pair)
        });
        let kept = kept.collect::<Option<Vec<_>>>();
        let mut all = kept.with_context(|| format!("{} is damaged; check the program again", file.display()))?;
        all.extend(Self::own().0.into_iter().filter(|(name, _)| is_left_out(name)));
        Ok(Self(all))
    }

    /// The value of a variable.
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        self.0.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_os_str())
    }

    /// The variables that the loader obeys, as `NAME=VALUE`.
    pub fn of_loader(&self) -> impl Iterator<Item = OsString> {
        let loader = self.0.iter().filter(|(name, _)| name.as_bytes().starts_with(b"LD_"));
        loader.map(|(name, value)| pair(name, value))
    }

    /// With these variables, which come instead of others of their names.
    pub fn with(mut self, variables: Vec<(&'static str, OsString)>) -> Vec<(OsString, OsString)> {
        self.0.retain(|(name, _)| variables.iter().all(|(other, _)| name != other));
        self.0.extend(variables.into_iter().map(|(name, value)| (name.into(), value)));
        self.0
    }
}

/// `NAME=VALUE`.
pub fn pair(name: &OsStr, value: &OsStr) -> OsString {
    let mut pair = name.to_owned();
    pair.push("=");
    pair.push(value);
    pair
}

fn split(pair: &OsStr) -> Option<(OsString, OsString)> {
    let bytes = pair.as_bytes();
    let end = bytes.iter().position(|byte| *byte == b'=')?;
    Some((OsString::from_vec(bytes[..end].to_vec()), OsString::from_vec(bytes[end + 1..].to_vec())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_run_finds_its_variables_again() {
        let scratch = tempfile::tempdir().expect("a scratch directory");
        let file = scratch.path().join("environment");
        let odd = OsString::from_vec(b"two\nlines \xff=".to_vec());
        let variable = |name: &str, value: &OsStr| (OsString::from(name), value.to_owned());
        let all = vec![
            variable("ODD", &odd),
            variable("GITHUB_TOKEN", OsStr::new("hidden")),
            variable("FORETRACE_CC", OsStr::new("hidden")),
            variable("X", OsStr::new("")),
        ];
        Environment(all).write(&file).expect("it can be written");
        let text = fs::read_to_string(&file).expect("text");
        assert!(!text.contains("hidden") && text.lines().count() == 2, "{text}");
        assert_eq!(file.metadata().expect("it is there").permissions().mode() & 0o777, 0o600);
        let read = Environment::read(&file).expect("it can be read");
        assert_eq!((read.get("ODD"), read.get("X")), (Some(odd.as_os_str()), Some(OsStr::new(""))));
        let with = read.with(vec![("X", "1".into())]);
        assert_eq!(with.iter().filter(|(name, _)| name == "X").collect::<Vec<_>>(), [&variable("X", OsStr::new("1"))]);
        fs::write(&file, "X=1 Y=2\n").expect("it can be written");
        assert!(Environment::read(&file).is_err());
    }
}
