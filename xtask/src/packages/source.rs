//! Sources and libraries from the system's own package manager.

use crate::run::check;
use anyhow::{Context, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where the system gets Debian's packages from, up to the archive's directory of them.
fn archive() -> anyhow::Result<String> {
    let asked = Command::new("apt-get").args(["download", "--print-uris", "zstd"]).output();
    let answer = asked.context("cannot run apt-get")?.stdout;
    let answer = String::from_utf8_lossy(&answer);
    let (before, _) = answer.split_once("/pool/main/").context("apt-get does not say where packages are")?;
    Ok(before.trim_start_matches('\'').to_owned())
}

/// The name of the system's release.
fn release() -> anyhow::Result<String> {
    let text = std::fs::read_to_string("/etc/os-release").context("cannot read /etc/os-release")?;
    let name = text.lines().find_map(|line| line.strip_prefix("VERSION_CODENAME="));
    Ok(name.context("the system's release has no name")?.trim_matches('"').to_owned())
}

/// The release whose sources are taken where the archive has lost those of the system's own.
const LATER: &str = "stable";

/// A package manager that knows the sources of this release and a later one. The system's own settings stay as they are.
fn apt(place: &Path) -> anyhow::Result<Command> {
    let own = place.join("apt");
    let (list, state) = (own.join("list.sources"), own.join("lists"));
    let mut apt = Command::new("apt-get");
    apt.arg("-q").arg("-o").arg(format!("Dir::Etc::sourcelist={}", list.display()));
    apt.args(["-o", "Dir::Etc::sourceparts=-"]).arg("-o").arg(format!("Dir::State::lists={}", state.display()));
    if !list.exists() {
        std::fs::create_dir_all(state.join("partial"))?;
        let keys = "/usr/share/keyrings/debian-archive-keyring.gpg";
        let (archive, release) = (archive()?, release()?);
        let text = format!(
            "Types: deb-src\nURIs: {archive}\nSuites: {release} {LATER}\nComponents: main\nSigned-By: {keys}\n"
        );
        std::fs::write(&list, text)?;
        let mut update = Command::new("apt-get");
        check(update.args(apt.get_args()).arg("update"))?;
    }
    Ok(apt)
}

/// Unpacks the source package of that name into the directory. An empty name: there is nothing to unpack.
pub fn unpack(name: &str, place: &Path, directory: &Path) -> anyhow::Result<()> {
    if name.is_empty() {
        return Ok(());
    }
    let downloads = place.join("sources").join(name);
    if original(&downloads).is_err() {
        std::fs::create_dir_all(&downloads)?;
        let get = |suite: &str| {
            let wanted = format!("{name}/{suite}");
            check(apt(place)?.args(["source", "--download-only", "--tar-only", &wanted]).current_dir(&downloads))
        };
        get(&release()?).or_else(|_| get(LATER))?;
    }
    let archive = original(&downloads)?;
    let mut tar = Command::new("tar");
    tar.args(["--extract", "--strip-components=1", "--file"]).arg(archive).arg("--directory").arg(directory);
    let status = tar.status().context("cannot run tar")?;
    ensure!(status.success(), "{name} cannot be unpacked: {status}");
    Ok(())
}

/// The archive of what the authors released.
fn original(downloads: &Path) -> anyhow::Result<PathBuf> {
    let entries = std::fs::read_dir(downloads).context("there is no source yet")?;
    let mut paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let is_it = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.to_string_lossy().contains(".orig.tar."))
            && path.extension().is_some_and(|ending| ending != "asc")
    };
    paths.find(is_it).context("there is no source")
}

/// Installs the libraries that a package is built with, if they are missing.
pub fn install(needs: &[&str]) -> anyhow::Result<()> {
    let is_there = |name: &&str| Command::new("dpkg").args(["-s", name]).output().is_ok_and(|it| it.status.success());
    let missing: Vec<&str> = needs.iter().copied().filter(|name| !is_there(name)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let mut install = Command::new("apt-get");
    install.args(["install", "-y", "-q", "--no-install-recommends"]).args(missing);
    check(install.env("DEBIAN_FRONTEND", "noninteractive"))
}
