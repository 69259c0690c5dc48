//! Broken files of a recording and of a finding, each changed from a good one: side files, schedules, what a replay says,
//! modules with debug information.

use super::random::Random;
use foretrace_finding::ScheduleText;
use foretrace_replay::Input;
use foretrace_run::Outcome;
use foretrace_testkit::fuzz::{as_module, beside_events, mutate};
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

/// Bytes changed from those of a good file.
fn broken(random: &mut Random, good: &[u8]) -> Vec<u8> {
    mutate(&mut foretrace_testkit::Random::new(random.next()), good)
}

fn broken_text(random: &mut Random, good: &str) -> String {
    String::from_utf8_lossy(&broken(random, good.as_bytes())).into_owned()
}

/// A schedule: what is read is written as it was read.
pub fn schedule(random: &mut Random) {
    let text = broken_text(random, "t0:3 t2:1! t2:4 t1:9 t0:9 delay:a+b+0x1f delay:prog+0x0/3");
    let Ok(read) = text.parse::<ScheduleText>() else { return };
    if let Ok(schedule) = read.of(|_| 12) {
        let again = schedule.to_string().parse::<ScheduleText>().expect("what was written reads");
        assert_eq!(again.of(|_| 12).expect("the same steps"), schedule);
    }
}

const OUTCOME: &str = "created thread=1 stack=4010\nthread index=1 parent=0\nrace address=7f10 size=4 step=9\n\
    access thread=1 kind=write atomic=0 size=4 step=3 pc=401a stack=401a,4020\n\
    access thread=0 kind=read atomic=1 size=8 step=-1 pc=402a stack=402a\n\
    lock address=7f20 shared=0 stack=4040\nblock address=7f00 size=64 mapped=0 thread=0 stack=4030\n\
    stuck thread=1 op=lock object=10 owner=2 pc=1 stack=1\nlock address=20 shared=0 stack=5\n\
    unsignalled thread=1 pc=10 stack=10,20\nagain thread=1\npassed place=1 count=4\nend\n";

/// What the runtime says of a replay.
pub fn outcome(random: &mut Random) {
    let _ = Outcome::parse(&broken_text(random, OUTCOME));
}

/// The standard input that a finding names.
pub fn input(random: &mut Random) {
    let good = *random.choose(&["nothing", "file 17 /a/b", "pipe /a/b"]);
    let words = broken(random, good.as_bytes());
    let words: Vec<OsString> =
        words.split(|byte| *byte == b' ').map(|word| OsString::from_vec(word.to_vec())).collect();
    if let Ok(input) = Input::from_words(&words) {
        assert_eq!(Input::from_words(&input.words()), Ok(input), "it is written as it is read");
    }
}

const SIDE_FILES: [(&str, &str); 5] = [
    ("modules", "400000 401000 0 abcd /bin/prog\n7f0000 7f1000 7f0000 - /lib/a b.so\n"),
    ("threads", "0 main\n1 worker one\n"),
    ("run", "command=./prog a\ndirectory=/tmp\nmilliseconds=12\nexit=0\n"),
    ("customs", "4010 begin\n4020 end\n"),
    ("benign", "4010 4020\n5000 5004\n"),
];

/// The files beside the events of a recording. They are read, or named as wrong; no address in them is taken on trust.
pub fn side_files(random: &mut Random) {
    let spoilt = random.below(SIDE_FILES.len());
    let mut files = SIDE_FILES.map(|(name, text)| (name, text.as_bytes().to_vec()));
    files[spoilt].1 = broken(random, &files[spoilt].1);
    beside_events(&files.each_ref().map(|(name, bytes)| (*name, bytes.as_slice())));
}

/// A module with debug information, which a recording may name as it likes.
pub fn module(random: &mut Random) {
    static GOOD: OnceLock<Vec<u8>> = OnceLock::new();
    let good = GOOD.get_or_init(|| build().expect("gcc builds a small program"));
    as_module(&broken(random, good));
}

const PROGRAM: &str = "struct { int a; struct { char b[3]; long c; } d[4]; } table;\nstatic __thread int local;\n\
    static inline int in(int x) { return x * table.a; }\nint main(int n, char **v) { int kept = in(n); local = kept; \
    table.d[n].c = kept; return v[0][0] + local; }\n";

fn build() -> std::io::Result<Vec<u8>> {
    let scratch = tempfile::tempdir()?;
    fs::write(scratch.path().join("p.c"), PROGRAM)?;
    let mut gcc = Command::new("gcc");
    gcc.args(["-g", "-O1", "-no-pie", "-Wl,-Ttext-segment=0", "-o", "p", "p.c"]).current_dir(scratch.path());
    gcc.status()?;
    fs::read(Path::join(scratch.path(), "p"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_good_files_are_good() {
        assert_eq!("t0:3 t2:1! t2:4 t1:9 t0:9 delay:a+b+0x1f delay:prog+0x0/3".parse::<ScheduleText>().err(), None);
        Outcome::parse(OUTCOME).expect("it reads");
        assert!(build().expect("it is built").len() > 1000);
    }
}
