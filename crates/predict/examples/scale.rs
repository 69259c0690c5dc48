//! How prediction grows: `cargo xtask bench predict` runs this and prints its tables.
//!
//! Times are processor time of the one thread that does the work, so that other load on the machine does not show.

use std::fs::File;
use std::io::BufWriter;
use std::time::Duration;

use foretrace_predict::model::{Program, Rules};
use foretrace_predict::search::{Query, Uses, Wish, search};
use foretrace_predict::{Budget, Options, Prediction, predict, stream};
use foretrace_testkit::programs;
use foretrace_testkit::recordings::{self, Workload};
use foretrace_trace::{Recording, Trace};

/// Processor time of this thread so far.
fn processor() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(text.split_whitespace().next().and_then(|word| word.parse().ok()).unwrap_or(0))
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = processor();
    let result = work();
    (result, (processor() - start).as_secs_f64())
}

fn options() -> Options {
    Options { jobs: 1, ..Options::default() }
}

/// The clock of processor time ticks every few milliseconds: short work is repeated until it has taken this long.
const LONG: f64 = 0.2;

/// The median of several runs.
fn measure(trace: &Trace, rounds: usize) -> (Prediction, f64) {
    let (prediction, first) = timed(|| predict(trace, &options(), &()));
    let repeat = (LONG / first.max(LONG / 1000.0)).ceil() as u32;
    let mut seconds: Vec<f64> = (0..rounds)
        .map(|_| timed(|| (0..repeat).for_each(|_| drop(predict(trace, &options(), &())))).1 / f64::from(repeat))
        .collect();
    seconds.sort_by(f64::total_cmp);
    (prediction, seconds[rounds / 2])
}

/// The program of the thesis's Figure 5.17.
fn hidden_race() {
    println!(
        "\n| Figure 5.17, N | events | ms | growth against linear | races |\n| ---: | ---: | ---: | ---: | ---: |"
    );
    let mut last: Option<(u32, f64)> = None;
    for n in [10, 200, 1_000, 10_000, 100_000, 1_000_000] {
        let trace = programs::hidden_race(n);
        let (prediction, seconds) = measure(&trace, 3);
        let growth = last
            .map_or(String::new(), |(m, before)| format!("{:.2}", seconds / before / (f64::from(n) / f64::from(m))));
        assert_eq!((prediction.races.len(), prediction.undecided.len()), (1, 0));
        println!("| {n} | {} | {:.3} | {growth} | 1 |", prediction.stats.events, seconds * 1e3);
        last = Some((n, seconds));
    }
}

/// Dining philosophers, in any order and in one that cannot deadlock.
fn philosophers() {
    println!("\n| philosophers, 10 rounds | any order, ms | deadlocks | ordered, ms | deadlocks |");
    println!("| ---: | ---: | ---: | ---: | ---: |");
    for count in [5, 10, 20, 50, 100, 200] {
        let (any, any_seconds) = measure(&programs::philosophers(count, 10, false), 3);
        let (ordered, seconds) = measure(&programs::philosophers(count, 10, true), 3);
        assert_eq!((any.deadlocks.len(), ordered.deadlocks.len()), (1, 0));
        assert!(any.undecided.is_empty() && ordered.undecided.is_empty());
        println!("| {count} | {:.2} | 1 | {:.2} | none, in any reordering |", any_seconds * 1e3, seconds * 1e3);
    }
}

/// Cuts a second, without reduction.
fn cuts() {
    println!(
        "\n| two threads, sections each | cuts | seconds | million cuts a second |\n| ---: | ---: | ---: | ---: |"
    );
    for sections in [100, 500, 1_000, 2_000, 5_000] {
        let program = Program::new(&programs::two_threads(sections), &Rules::default());
        let uses = Uses::new(&program);
        let budget = Budget::of_states(u64::MAX);
        let (searched, seconds) =
            timed(|| search(&program, &uses, &Query::all(&program), &budget, &mut |_| Wish::More));
        println!("| {sections} | {} | {seconds:.3} | {:.1} |", searched.states, searched.states as f64 / seconds / 1e6);
    }
}

/// Memory of this process that is not a mapped file.
fn own_megabytes() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    line.and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok()).unwrap_or(0.0) / 1024.0
}

/// From file to candidates: this many million sync events, ten times as many accesses, in 16 threads.
fn streaming(millions: u64) {
    println!(
        "\n| sync events | accesses | seconds | million events a second | MB of own memory | entries | candidate lines |"
    );
    println!("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    let directory = std::env::temp_dir().join(format!("foretrace-scale-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a scratch directory");
    for part in [16, 8, 4, 2, 1] {
        let sections = millions * 500_000 / part;
        let workload = Workload { threads: 16, sections, accesses: 20, locks: 256 };
        let path = directory.join("events");
        let file = BufWriter::new(File::create(&path).expect("a scratch file"));
        let (sync, accesses) = recordings::write(file, &workload).expect("room for a recording");
        let recording = Recording::open(&path).expect("a recording");
        let (streamed, seconds) = timed(|| stream::candidates(&recording).expect("a recording"));
        let rate = (sync + accesses) as f64 / seconds / 1e6;
        let (memory, entries, lines) = (own_megabytes(), streamed.entries, streamed.lines.len());
        println!("| {sync} | {accesses} | {seconds:.2} | {rate:.1} | {memory:.0} | {entries} | {lines} |");
    }
    std::fs::remove_dir_all(&directory).expect("the scratch directory goes");
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let wants = |name: &str| words.is_empty() || words.iter().any(|word| word == name);
    if wants("race") {
        hidden_race();
    }
    if wants("philosophers") {
        philosophers();
    }
    if wants("cuts") {
        cuts();
    }
    if wants("stream") {
        streaming(words.iter().find_map(|word| word.parse().ok()).unwrap_or(20));
    }
}
