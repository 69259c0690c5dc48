//! `foretrace predict` as a user meets it: what it prints, its exit codes, progress, Ctrl-C, and the CSP_M it writes.

#![forbid(unsafe_code)]

use serde_json::Value;
use std::fmt::Write as _;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

/// Seconds after which a command is taken to hang.
const LIMIT: &str = "120";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace has a root")
}

fn foretrace(arguments: &[&str]) -> Output {
    let mut command = Command::new("timeout");
    command.arg(LIMIT).arg(env!("CARGO_BIN_EXE_foretrace")).args(arguments).current_dir(root());
    command.output().expect("the tool runs")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// The traces with known answers.
fn traces() -> Vec<PathBuf> {
    let folders = ["tests/traces/figures", "tests/traces/predict"].map(|folder| root().join(folder));
    let files = folders.iter().flat_map(|folder| std::fs::read_dir(folder).expect("the traces are there"));
    let mut paths: Vec<PathBuf> = files.map(|entry| entry.expect("a file").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "trace"));
    paths.sort();
    paths
}

#[test]
fn reports_are_those_beside_the_test() {
    for (name, code) in [("5.3-race", 1), ("4.21-semaphore", 1), ("4.18-barrier-between-orders", 0)] {
        let trace = format!("tests/traces/figures/{name}.trace");
        for (flags, ending) in [(&["--stats"][..], "txt"), (&["--format", "json"], "json")] {
            let output = foretrace(&[&["predict", &trace][..], flags].concat());
            assert_eq!(output.status.code(), Some(code), "{name}: {}", said(&output));
            assert!(output.stderr.is_empty(), "{name}: {}", said(&output));
            let golden = root().join(format!("tests/predict/{name}.{ending}"));
            expect_test::expect_file![golden].assert_eq(&String::from_utf8_lossy(&output.stdout));
        }
    }
}

#[test]
fn what_cannot_be_read_is_one_line_and_exit_code_2() {
    let output = foretrace(&["predict", "no/such/recording"]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
    assert_eq!(String::from_utf8_lossy(&output.stderr).lines().count(), 1, "{}", said(&output));
}

/// The model as text, checked by our own refinement checker, gives the verdicts of the prediction.
#[test]
fn the_csp_model_has_the_same_verdicts() {
    let scratch = tempfile::tempdir().expect("a scratch directory can be made");
    let mut compared = 0;
    for trace in traces() {
        let text = std::fs::read_to_string(&trace).expect("a trace");
        // In the text a try or timed operation blocks, and atomics race with each other: it says so.
        if ["try", "timed"].iter().any(|word| text.contains(word)) {
            continue;
        }
        let script = scratch.path().join("model.csp");
        let (trace, script) = (trace.display().to_string(), script.display().to_string());
        let output = foretrace(&["predict", &trace, "--format", "json", "--emit-csp", &script]);
        let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", said(&output)));
        assert_eq!(report["complete"], true, "{trace}");
        let candidates = report["candidates"].as_array().expect("a list");
        let claims = |kind: &'static str| candidates.iter().map(|one| &one["claim"]).filter(move |c| c["kind"] == kind);
        let racy: usize = claims("race").map(|claim| 1 + claim["also"].as_array().map_or(0, Vec::len)).sum();
        let stuck = claims("deadlock").count() > 0;

        let checked = foretrace(&["csp", &script]);
        let verdicts = said(&checked);
        let count = |what: &str, check: &str| {
            verdicts.lines().filter(|line| line.contains(what) && line.contains(check)).count()
        };
        assert_eq!(count(": FAILS: ", "LIVE [F=") == 1, stuck, "{trace}: {verdicts}");
        assert_eq!(count(": holds: ", "LIVE [F=") == 1, !stuck, "{trace}: {verdicts}");
        assert_eq!(count(": FAILS: ", "STOP [T="), racy, "{trace}: {verdicts}");
        assert_eq!(checked.status.code(), Some(i32::from(stuck || racy > 0)), "{trace}: {verdicts}");
        compared += 1;
    }
    assert!(compared >= 25, "only {compared} traces were compared");
}

/// A trace with a race, and with more ways to wait for each other than can be searched in any time.
fn endless() -> (tempfile::TempDir, String) {
    const THREADS: usize = 8;
    let mut text = "sem a = 0\nsem b = 0\n".to_owned();
    (1..THREADS).for_each(|n| writeln!(text, "t0 fork t{n}").expect("a string takes any text"));
    text.push_str("t0 write x\nt1 write x\n");
    // Whoever waits may take what another has posted, so no two of these operations can be exchanged.
    for n in (0..40).flat_map(|_| 0..THREADS) {
        let round = format!("t{n} sem_post a\nt{n} sem_wait a\nt{n} sem_post b\nt{n} sem_wait b\n");
        text.push_str(&round);
    }
    let scratch = tempfile::tempdir().expect("a scratch directory can be made");
    let path = scratch.path().join("endless.trace");
    std::fs::write(&path, text).expect("a file can be written");
    let path = path.display().to_string();
    (scratch, path)
}

/// Processor time that a process has used, in hundredths of a second.
fn ticks(child: &Child) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum()
}

/// Looks every tenth of a second, for two minutes at most.
fn eventually<T>(child: &mut Child, what: &str, mut look: impl FnMut(&mut Child) -> Option<T>) -> T {
    for _ in 0..1200 {
        if let Some(seen) = look(child) {
            return seen;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    let _ = child.kill();
    panic!("{what}");
}

#[test]
fn an_interrupt_prints_what_is_known() {
    let (_scratch, trace) = endless();
    let mut command = Command::new(env!("CARGO_BIN_EXE_foretrace"));
    command.args(["predict", &trace, "--max-states", "1000000000000"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the tool runs");
    // Reading and the race take a few hundredths; what follows takes for ever.
    eventually(&mut child, "it does nothing", |child| (ticks(child) > 100).then_some(()));
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("`kill` runs");
    assert!(sent.success());
    let status = eventually(&mut child, "it goes on", |child| child.try_wait().expect("it can be waited for"));
    let mut out = String::new();
    child.stdout.take().expect("it is a pipe").read_to_string(&mut out).expect("text");
    let mut errors = String::new();
    child.stderr.take().expect("it is a pipe").read_to_string(&mut errors).expect("text");
    assert_eq!(status.code(), Some(1), "{out}{errors}");
    assert!(out.contains("1 data race") && out.contains("stopped before the end"), "{out}");
    assert_eq!(errors, "", "there is no progress where nobody looks");
}

/// On a terminal, progress is shown when the work has taken a second, even if it is all one long step.
#[test]
fn progress_is_for_terminals() {
    let (_scratch, trace) = endless();
    let line =
        format!("timeout -s INT 10 {} predict {trace} --max-states 1000000000000", env!("CARGO_BIN_EXE_foretrace"));
    let shown = Command::new("script").args(["-qec", &line, "/dev/null"]).stdin(Stdio::null()).output();
    let shown = shown.expect("`script` runs a command on a terminal");
    let text = said(&shown);
    assert!(text.contains("searching for dead ends"), "{text}");
    // A short run shows nothing, terminal or not.
    let line = format!("{} predict tests/traces/figures/5.3-race.trace", env!("CARGO_BIN_EXE_foretrace"));
    let mut command = Command::new("script");
    command.args(["-qec", &line, "/dev/null"]).current_dir(root()).stdin(Stdio::null());
    let text = said(&command.output().expect("`script` runs a command on a terminal"));
    assert!(text.contains("1 data race") && !text.contains("checking races"), "{text}");
}
