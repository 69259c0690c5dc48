//! Tables 1 and 2 of the paper, rebuilt: the number of candidates and of answers.

use foretrace_cssa::{Analysis, Goal, Options, Verdict, goals};
use foretrace_ctp::must::Must;
use foretrace_ctp::{Ctp, text};
use foretrace_order::Budget;
use foretrace_testkit::symbolic;

fn parse(source: &str) -> Ctp {
    text::parse(source).unwrap_or_else(|error| panic!("{error}\n{source}"))
}

/// How many of the goals can happen; none may be left open.
fn count(ctp: &Ctp, goals: &[Goal]) -> usize {
    let mut analysis = Analysis::new(ctp, Options::default()).unwrap();
    let verdicts: Vec<Verdict> = goals.iter().map(|goal| analysis.ask(goal, &Budget::default())).collect();
    assert!(!verdicts.contains(&Verdict::Unknown));
    verdicts.iter().filter(|verdict| matches!(verdict, Verdict::Yes(_))).count()
}

/// Candidates; those that the order of forks and joins leaves; those that locks leave, too; those that can happen.
fn row(source: &str) -> [usize; 4] {
    let ctp = parse(source);
    let (all, left) = goals::triples(&ctp, &goals::marked_regions(&ctp));
    let must = Must::new(&ctp).unwrap();
    let ordered = all.iter().filter(|t| !must.before(t.remote, t.first) && !must.before(t.second, t.remote)).count();
    let goals: Vec<Goal> = left.iter().map(|triple| triple.goal()).collect();
    [all.len(), ordered, left.len(), count(&ctp, &goals)]
}

fn fails(source: &str) -> bool {
    let ctp = parse(source);
    count(&ctp, &goals::assertions(&ctp)) > 0
}

#[test]
fn table_1_banking() {
    for threads in [2, 5, 10] {
        assert!(fails(&symbolic::banking(threads, true)), "{threads}");
    }
    for threads in [2, 5, 10] {
        assert!(!fails(&symbolic::banking(threads, false)), "{threads}");
    }
}

#[test]
fn table_1_indexer() {
    for threads in [10, 15, 20, 25] {
        assert!(!fails(&symbolic::indexer(threads, false)), "{threads}");
    }
    for threads in [15, 20, 25] {
        assert!(fails(&symbolic::indexer(threads, true)), "{threads}");
    }
}

#[test]
fn table_2_patterns() {
    assert_eq!(row(&symbolic::atom(2, 6, false)), [8, 2, 1, 1]);
    assert_eq!(row(&symbolic::atom(2, 6, true)), [8, 2, 1, 0]);
    assert_eq!(row(&symbolic::atom(34, 178, false)), [212, 34, 33, 33]);
    assert_eq!(row(&symbolic::atom(34, 178, true)), [212, 34, 33, 0]);
}

#[test]
fn table_2_bank() {
    for threads in [2, 4, 6, 8] {
        let candidates = |found| [12 * threads, 4 * threads, 4 * threads, found];
        assert_eq!(row(&symbolic::bank(threads, 0)), candidates(4 * threads), "bank-av-{threads}");
        assert_eq!(row(&symbolic::bank(threads, 2)), candidates(2 * threads), "bank-sav-{threads}");
        assert_eq!(row(&symbolic::bank(threads, 4)), candidates(0), "bank-nav-{threads}");
    }
}
