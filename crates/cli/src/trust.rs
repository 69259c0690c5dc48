//! Whether a recording was made here, and so may be run again without asking.
//!
//! A recording names a program, its arguments, its directory and its environment, and replaying it runs them. One that a
//! colleague sent, or that a build server left, could name anything. A recording therefore carries a seal: a keyed digest of
//! everything that decides what is run. The key is made at first use, lies beside the unpacked runtime, and only its owner
//! can read it. Whoever cannot read the key cannot make a seal, so a recording from elsewhere, or one that was changed, is
//! recognised wherever it lies; one that is only moved keeps its seal.

use crate::assets;
use crate::lines::Lines;
use anyhow::{Context, bail};
use hmac::{Hmac, Mac};
use sha2::Sha256;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// The file of the seal, in a recording.
pub const SEAL: &str = "seal";

const KEY_SIZE: usize = 32;

/// What the user says of a recording that was not made here.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::Args)]
pub struct Trust {
    /// Run the recorded command even if the recording was not made on this machine
    #[arg(long)]
    trust: bool,
}

impl Trust {
    /// Refuses a recording that was not made here, unless the user trusts it; `what` tells what it would run.
    pub fn check(self, recording: &Path, what: &str) -> anyhow::Result<()> {
        if !self.trust && !is_sealed(recording) {
            bail!(
                "{} was not made here, or was changed: it would run {what}; add --trust if you know where it comes from",
                recording.display()
            );
        }
        Ok(())
    }
}

/// Seals a recording. Without a key it stays without a seal, and replaying it needs `--trust`.
pub fn seal(recording: &Path) -> io::Result<()> {
    let Ok(mut digest) = key().map(|key| Digest::new(&key)) else { return Ok(()) };
    digest.add_all(recording)?;
    fs::write(recording.join(SEAL), digest.0.finalize().into_bytes())
}

/// Is the recording as it was when it was sealed here?
fn is_sealed(recording: &Path) -> bool {
    let check = || {
        let mut digest = Digest::new(&key()?);
        digest.add_all(recording)?;
        let seal = foretrace_file::read(&recording.join(SEAL), KEY_SIZE as u64)?;
        Ok::<_, anyhow::Error>(digest.0.verify_slice(&seal).is_ok())
    };
    check().unwrap_or(false)
}

struct Digest(Hmac<Sha256>);

impl Digest {
    fn new(key: &[u8]) -> Self {
        Self(Hmac::new_from_slice(key).expect("a key may have any length"))
    }

    /// Everything that decides what is run: the command, the variables, and the program if it lies with the recording.
    fn add_all(&mut self, recording: &Path) -> io::Result<()> {
        let own = program_inside(recording);
        let files = [Some(recording.join("run")), Some(recording.join("environment")), own];
        files.into_iter().flatten().try_for_each(|file| self.add(&file))
    }

    fn add(&mut self, file: &Path) -> io::Result<()> {
        let mut file = foretrace_file::open(file)?;
        let length = file.metadata()?.len();
        self.0.update(&length.to_le_bytes());
        io::copy(&mut file, self).map(drop)
    }
}

impl Write for Digest {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The program, if the recording names it by a relative path. Others are known by their build id.
fn program_inside(recording: &Path) -> Option<PathBuf> {
    let lines = Lines::read(&recording.join("run")).ok()?;
    let relative = lines.words("program").ok()?.iter().all(|word| Path::new(word).is_relative());
    relative.then(|| lines.path("program").ok())?
}

/// The key, made if there is none.
fn key() -> anyhow::Result<Vec<u8>> {
    let file = assets::cache()?.join("key");
    if let Ok(key) = foretrace_file::read(&file, KEY_SIZE as u64)
        && key.len() == KEY_SIZE
    {
        return Ok(key);
    }
    make_key(&file).with_context(|| format!("cannot write {}", file.display()))?;
    // Another process may have been faster; whichever was linked first counts for both.
    Ok(foretrace_file::read(&file, KEY_SIZE as u64)?)
}

/// Writes a new key beside its place and links it there, whole, unless there is one already.
fn make_key(file: &Path) -> io::Result<()> {
    let mut key = [0; KEY_SIZE];
    rustix::rand::getrandom(&mut key, rustix::rand::GetRandomFlags::empty())?;
    let draft = file.with_extension(std::process::id().to_string());
    let _ = fs::remove_file(&draft);
    fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?.write_all(&key)?;
    let linked = fs::hard_link(&draft, file);
    fs::remove_file(&draft)?;
    match linked {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}
