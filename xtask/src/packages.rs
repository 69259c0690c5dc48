//! Real programs: packages from Debian's sources, built unmodified with `CC=foretrace-cc`, run under `record`, and held
//! against a native build. It downloads their sources, so it is not part of `cargo xtask test`.

use crate::run::{cargo, check, exists, root, target};
use anyhow::{Context, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A package, how it is built, and what is run.
struct Package {
    name: &'static str,
    /// In Debian's pool.
    source: &'static str,
    sha256: &'static str,
    /// The real compiler; pbzip2's source is older than clang accepts.
    compiler: &'static str,
    /// Command lines in the source's directory; `@CC@` and `@CXX@` are replaced.
    build: &'static [&'static str],
    /// The program, from the source's directory, and its arguments; `DATA` is a file to work on.
    run: &'static [&'static str],
}

const PACKAGES: [Package; 3] = [
    Package {
        name: "zstd",
        source: "libz/libzstd/libzstd_1.5.4+dfsg2.orig.tar.xz",
        sha256: "8cf4bbb65e77ec348d052c8d6230eba66d435bddf64c8b5be2fcb16880c19953",
        compiler: "clang-19",
        build: &["make -s -C programs CC=@CC@ zstd"],
        run: &["programs/zstd", "-T4", "-q", "-c", "DATA"],
    },
    Package {
        name: "xz",
        source: "x/xz-utils/xz-utils_5.4.1.orig.tar.xz",
        sha256: "5d9827aa1875b21c288f78864bb26d2650b436ea8d2cad364e4921eb6266a5a5",
        compiler: "gcc",
        build: &["./configure -q CC=@CC@ --disable-nls --disable-doc", "make -s"],
        run: &["src/xz/xz", "-T4", "-1", "--block-size=1MiB", "-c", "DATA"],
    },
    Package {
        name: "pbzip2",
        source: "p/pbzip2/pbzip2_1.1.13.orig.tar.gz",
        sha256: "bca3d7b50e4e5f963c82cb9626bb72e4062d83bc2b8b028eee22efdcda972b9b",
        compiler: "gcc",
        build: &["make -s CXX=@CXX@"],
        run: &["./pbzip2", "-p4", "-c", "DATA"],
    },
];

/// Where the system's own package manager gets Debian's packages from, up to the archive's directory of them.
fn pool() -> anyhow::Result<String> {
    let asked =
        Command::new("apt-get").args(["download", "--print-uris", "zstd"]).output().context("cannot run apt-get")?;
    let answer = String::from_utf8_lossy(&asked.stdout);
    let (before, _) = answer.split_once("/pool/main/").context("apt-get does not say where packages are")?;
    Ok(format!("{}/pool/main", before.trim_start_matches('\'')))
}

/// Builds and runs them all; fails if one prints anything else than its native build.
pub fn run() -> anyhow::Result<()> {
    ensure!(exists("curl") && exists("make"), "missing: curl make; on Debian: sudo apt-get install curl make");
    check(&mut cargo(&["build", "--quiet", "--release", "--package", "foretrace"]))?;
    let place = root().join(target()).join("packages");
    std::fs::create_dir_all(&place)?;
    let data = write_data(&place)?;
    for package in &PACKAGES {
        let archive = download(package, &place)?;
        let native = build(package, &archive, &place.join("native"), native_compilers(package))?;
        let recorded = build(package, &archive, &place.join("recorded"), our_compilers())?;
        compare(package, &native, &recorded, &data)?;
    }
    Ok(())
}

/// Some megabytes that compress, but not too well; the same each time.
fn write_data(place: &Path) -> anyhow::Result<PathBuf> {
    let mut state = 1u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        b'a' + (state >> 24) as u8 % 16
    };
    let data: Vec<u8> = (0..6 << 20).map(|_| next()).collect();
    let path = place.join("data");
    std::fs::write(&path, data)?;
    Ok(path)
}

fn download(package: &Package, place: &Path) -> anyhow::Result<PathBuf> {
    let file = package.source.rsplit('/').next().unwrap_or(package.source);
    let archive = place.join(file);
    if !archive.exists() {
        let url = format!("{}/{}", pool()?, package.source);
        check(
            Command::new("curl")
                .args(["--silent", "--show-error", "--fail", "--location", "--output"])
                .arg(&archive)
                .arg(url),
        )?;
    }
    let sum = Command::new("sha256sum").arg(&archive).output().context("cannot run sha256sum")?;
    ensure!(sum.stdout.starts_with(package.sha256.as_bytes()), "{file} is not the file it was; delete it to try again");
    Ok(archive)
}

fn native_compilers(package: &Package) -> [String; 2] {
    let cxx = if package.compiler == "gcc" { "g++".to_owned() } else { package.compiler.replace("clang", "clang++") };
    [package.compiler.to_owned(), cxx]
}

fn our_compilers() -> [String; 2] {
    ["foretrace-cc", "foretrace-cxx"].map(|name| tool(name).display().to_string())
}

fn tool(name: &str) -> PathBuf {
    root().join(target()).join("release").join(name)
}

/// Unpacks and builds; the directory of the source.
fn build(package: &Package, archive: &Path, place: &Path, [cc, cxx]: [String; 2]) -> anyhow::Result<PathBuf> {
    let source = place.join(package.name);
    let _ = std::fs::remove_dir_all(&source);
    std::fs::create_dir_all(&source)?;
    check(
        Command::new("tar")
            .arg("--extract")
            .arg("--strip-components=1")
            .arg("--file")
            .arg(archive)
            .arg("--directory")
            .arg(&source),
    )?;
    for line in package.build {
        let line = line.replace("@CC@", &cc).replace("@CXX@", &cxx);
        let mut words = line.split(' ');
        let mut command = Command::new(words.next().unwrap_or_default());
        check(command.args(words).current_dir(&source).env("FORETRACE_CC", package.compiler))?;
    }
    Ok(source)
}

fn compare(package: &Package, native: &Path, recorded: &Path, data: &Path) -> anyhow::Result<()> {
    let words: Vec<_> =
        package.run.iter().map(|word| if *word == "DATA" { data.as_os_str() } else { word.as_ref() }).collect();
    let expected = output(Command::new(words[0]).args(&words[1..]).current_dir(native))?;
    let recording = recorded.join("foretrace.ft");
    let mut record = Command::new(tool("foretrace"));
    let output = output(record.args(["record", "-o"]).arg(&recording).arg("--").args(&words).current_dir(recorded))?;
    ensure!(output == expected, "{}: the recorded program wrote something else than the native one", package.name);
    println!("{}: same output as native ({} bytes), recording:", package.name, output.len());
    check(Command::new(tool("foretrace")).args(["trace", "info"]).arg(recording))
}

fn output(command: &mut Command) -> anyhow::Result<Vec<u8>> {
    let output = command.output().with_context(|| format!("cannot run {command:?}"))?;
    ensure!(output.status.success(), "{command:?}: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
    Ok(output.stdout)
}
