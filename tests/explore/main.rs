//! `foretrace explore` on programs: known numbers of classes, bugs behind branches that the plain run does not take, and their
//! correct twins, which are proved.

mod cancel;
mod fast;
mod going_on;
mod pruning;
mod robust;
mod support;
mod waits;

use support::{Explored, Scratch};

/// `foretrace explore` runs one order of each class: the numbers are those of the literature.
#[test]
fn the_classes_of_known_programs_are_counted() {
    let scratch = Scratch::new();
    let known: [(&str, &[(u32, u64)]); 3] = [
        ("readers", &[(1, 2), (3, 8), (6, 64), (13, 8_192)]),
        ("lastzero", &[(2, 5), (3, 12), (5, 64), (12, 15_360)]),
        ("indexer", &[(11, 1), (12, 8), (13, 64), (14, 512), (15, 4_096)]),
    ];
    for (name, sizes) in known {
        let program = scratch.build(&format!("programs/{name}.c"), &["-O1"]);
        for (size, classes) in sizes {
            let explored = scratch.explore(&program, &[&size.to_string()], &["--strategy", "complete"]);
            assert_eq!((explored.code, explored.orders()), (0, Some(*classes)), "{name}({size}): {}", explored.text);
            assert!(!explored.text.contains("fork of the program"), "{name}({size}): {}", explored.text);
        }
    }
}

/// The first line of a program: `// fails: crash`.
fn expected(text: &str) -> &str {
    text.lines().next().and_then(|line| line.strip_prefix("// fails: ")).expect("the first line says how it fails")
}

fn shows(explored: &Explored, what: &str) -> bool {
    let titles: &[&str] = match what {
        "race" => &["data race", "use after free"],
        "deadlock" => &["deadlock"],
        _ => &["failed assertion"],
    };
    explored.text.lines().any(|line| titles.iter().any(|title| line.starts_with(&format!("error: {title}"))))
}

/// Half of the programs, to save time: the even ones or the odd ones. With `CORPUS=/` all of them are built in every way.
fn bugs_are_found(compiler: &str, level: &str, half: usize) {
    let scratch = Scratch::new();
    let all = std::env::var_os("CORPUS").is_some();
    for (_, (name, text)) in support::bugs().into_iter().enumerate().filter(|(index, _)| all || index % 2 == half) {
        let built = |flags: &[&str]| scratch.build_with(compiler, &format!("bugs/{name}"), flags);
        let explored = scratch.explore(&built(&[level]), &[], &[]);
        assert_eq!(explored.code, 1, "{name} {compiler} {level}: {}", explored.text);
        assert!(shows(&explored, expected(&text)), "{name} {compiler} {level}: {}", explored.text);
        assert!(explored.is_quick(), "{name} {compiler} {level} took {:?}", explored.time);
        for finding in explored.findings() {
            assert_eq!(scratch.replay(&finding), 1, "{name} {compiler} {level}: {finding} does not fail again");
        }
        let twin = scratch.explore(&built(&[level, "-DFIXED"]), &[], &[]);
        assert_eq!(twin.code, 0, "{name} {compiler} {level}, correct: {}", twin.text);
        assert!(twin.text.contains("no race, no deadlock, no failure"), "{name}: {}", twin.text);
    }
}

#[test]
fn bugs_are_found_and_their_twins_proved_with_gcc() {
    bugs_are_found("gcc", "-O0", 0);
    bugs_are_found("gcc", "-O2", 1);
}

#[test]
fn bugs_are_found_and_their_twins_proved_with_clang() {
    bugs_are_found("clang-19", "-O0", 1);
    bugs_are_found("clang-19", "-O2", 0);
}

/// Random strategies find the same bugs, and never claim to be complete.
#[test]
fn random_strategies_find_bugs_and_claim_nothing() {
    let scratch = Scratch::new();
    let program = scratch.build("bugs/lost_update.c", &["-O1"]);
    let fixed = scratch.build("bugs/lost_update.c", &["-O1", "-DFIXED"]);
    for strategy in ["random", "pct", "pos", "surw"] {
        let flags = ["--strategy", strategy, "--budget", "1s"];
        let explored = scratch.explore(&program, &[], &flags);
        assert_eq!(explored.code, 1, "{strategy}: {}", explored.text);
        let explored = scratch.explore(&fixed, &[], &flags);
        assert_eq!(explored.code, 2, "{strategy}: {}", explored.text);
        assert!(explored.text.contains("and there are more"), "{strategy}: {}", explored.text);
    }
}

/// `foretrace check` finds what lies behind branches that the recorded run did not take, unless exploration is turned off. It
/// says how far that came if it was asked to explore.
#[test]
fn a_check_explores_besides() {
    let scratch = Scratch::new();
    for bug in ["account", "philosophers", "nested_monitor"] {
        let [program, twin] =
            [&["-O1"][..], &["-O1", "-DFIXED"]].map(|flags| scratch.build(&format!("bugs/{bug}.c"), flags));
        let explored = scratch.check(&program, &["--explore", "5s"]);
        assert_eq!(explored.code, 1, "{bug}: {}", explored.text);
        assert!(explored.text.contains("explored besides: all "), "{bug}: {}", explored.text);
        for finding in explored.findings() {
            assert_eq!(scratch.replay(&finding), 1, "{bug}: {finding} does not fail again");
        }
        let explored = scratch.check(&twin, &["--explore", "5s"]);
        assert_eq!(explored.code, 0, "{bug}, correct: {}", explored.text);
        let explored = scratch.check(&program, &[]);
        assert_eq!(explored.code, 1, "{bug}: {}", explored.text);
        let explored = scratch.check(&twin, &[]);
        assert_eq!(explored.code, 0, "{bug}, correct: {}", explored.text);
        assert!(!explored.text.contains("explored besides"), "{bug}: {}", explored.text);
    }
    let program = scratch.build("bugs/account.c", &["-O1"]);
    let explored = scratch.check(&program, &["--explore", "0"]);
    assert_eq!(explored.code, 0, "account: {}", explored.text);
}

/// A finding says which orders make it fail, and after what it is certain.
#[test]
fn a_failing_order_is_explained() {
    let scratch = Scratch::new();
    let explained = |bug: &str| {
        let program = scratch.build(&format!("bugs/{bug}.c"), &["-O0"]);
        let text = scratch.explore(&program, &[], &[]).text;
        text.lines().map(str::trim).collect::<Vec<_>>().join(" ")
    };
    let torn = explained("torn_pair");
    let orders = "it fails whenever the read in `int one = low, two = high` :25 of main comes before the write in `low = 1` \
                  :13 of t1, and the write in `high = 1` :14 of t1 comes before the read in `int one = low, two = high` :25 of \
                  main";
    assert!(torn.contains(orders), "{torn}");
    assert!(torn.contains("after the write in `high = 1` :14 of t1 no order of the rest prevents it"), "{torn}");
    let missed = explained("missed_signal");
    assert!(missed.contains("`pthread_cond_signal(&ready)` :18 of t1 comes before `pthread_cond_wait("), "{missed}");
    assert!(missed.contains("a thread that could go on has to be left once"), "{missed}");
}

/// With `--certain`, a debugger stops before the operation that nothing can make good any more.
#[test]
fn a_debugger_stops_where_the_failure_becomes_certain() {
    let scratch = Scratch::new();
    let program = scratch.build("bugs/account.c", &["-O0"]);
    let findings = scratch.explore(&program, &[], &[]).findings();
    let said: Vec<String> = findings.iter().map(|finding| scratch.debugged(finding)).collect();
    assert!(said.iter().any(|said| said.contains("__foretrace_certain") && said.contains("account.c:11")), "{said:#?}");
}
