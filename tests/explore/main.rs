//! `foretrace explore` on programs: known numbers of classes, bugs behind branches that the plain run does not take, and their
//! correct twins, which are proved.

mod robust;
mod support;

use support::{Explored, Scratch};

/// `foretrace explore` runs one order of each class: the numbers are those of the literature.
#[test]
fn the_classes_of_known_programs_are_counted() {
    let scratch = Scratch::new();
    let known: [(&str, &[(u32, u64)]); 3] = [
        ("readers", &[(1, 2), (3, 8), (6, 64)]),
        ("lastzero", &[(2, 5), (3, 12), (5, 64)]),
        ("indexer", &[(11, 1), (12, 8), (13, 64)]),
    ];
    for (name, sizes) in known {
        let program = scratch.build(&format!("programs/{name}.c"), &["-O1"]);
        for (size, classes) in sizes {
            let explored = scratch.explore(&program, &[&size.to_string()], &[]);
            assert_eq!((explored.code, explored.orders()), (0, Some(*classes)), "{name}({size}): {}", explored.text);
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

fn bugs_are_found(compiler: &str, level: &str) {
    let scratch = Scratch::new();
    for (name, text) in support::bugs() {
        let built = |flags: &[&str]| scratch.build_with(compiler, &format!("bugs/{name}"), flags);
        let explored = scratch.explore(&built(&[level]), &[], &[]);
        assert_eq!(explored.code, 1, "{name} {compiler} {level}: {}", explored.text);
        assert!(shows(&explored, expected(&text)), "{name} {compiler} {level}: {}", explored.text);
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
    bugs_are_found("gcc", "-O0");
    bugs_are_found("gcc", "-O2");
}

#[test]
fn bugs_are_found_and_their_twins_proved_with_clang() {
    bugs_are_found("clang-19", "-O0");
    bugs_are_found("clang-19", "-O2");
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
