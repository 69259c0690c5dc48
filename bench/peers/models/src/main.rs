//! `models-peer loom|shuttle PROGRAM N`: executions a second of one of the programs of `tests/explore/programs`, written for the
//! peer. loom runs one order after the other until the time is spent, shuttle random ones.

#![forbid(unsafe_code)]

use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

const TIME: Duration = Duration::from_secs(3);
static EXECUTIONS: AtomicU64 = AtomicU64::new(0);

macro_rules! programs {
    ($peer:ident) => {
        pub mod $peer {
            use $peer::sync::Arc;
            use $peer::sync::atomic::{AtomicUsize, Ordering::SeqCst};
            use $peer::thread;

            fn cells(count: usize) -> Arc<Vec<AtomicUsize>> {
                Arc::new((0..count).map(|_| AtomicUsize::new(0)).collect())
            }

            fn all(count: usize, work: impl Fn(usize) + Send + Sync + 'static) {
                let work = std::sync::Arc::new(work);
                let threads: Vec<_> = (0..count)
                    .map(|number| {
                        let work = work.clone();
                        thread::spawn(move || work(number))
                    })
                    .collect();
                threads.into_iter().for_each(|thread| drop(thread.join()));
            }

            pub fn readers(n: usize) {
                let shared = cells(1);
                all(n + 1, move |number| match number {
                    0 => shared[0].store(1, SeqCst),
                    _ => drop(shared[0].load(SeqCst)),
                });
            }

            pub fn lastzero(n: usize) {
                let array = cells(n + 1);
                all(n + 1, move |number| match number {
                    0 => {
                        let mut at = n;
                        while array[at].load(SeqCst) != 0 {
                            at -= 1;
                        }
                    }
                    j => array[j].store(array[j - 1].load(SeqCst) + 1, SeqCst),
                });
            }

            pub fn indexer(n: usize) {
                let table = cells(128);
                all(n, move |own| {
                    for m in 1..=4 {
                        let message = m * 11 + own;
                        let mut hash = message * 7 % 128;
                        while table[hash].compare_exchange(0, message, SeqCst, SeqCst).is_err() {
                            hash = (hash + 1) % 128;
                        }
                    }
                });
            }

            pub fn program(name: &str) -> Option<fn(usize)> {
                match name {
                    "readers" => Some(readers),
                    "lastzero" => Some(lastzero),
                    "indexer" => Some(indexer),
                    _ => None,
                }
            }
        }
    };
}

mod peers {
    programs!(loom);
    programs!(shuttle);
}

fn under_loom(program: fn(usize), n: usize) {
    let mut model = loom::model::Builder::new();
    model.max_duration = Some(TIME);
    model.check(move || {
        EXECUTIONS.fetch_add(1, Ordering::Relaxed);
        program(n);
    });
}

fn under_shuttle(program: fn(usize), n: usize) {
    let mut config = shuttle::Config::new();
    config.max_time = Some(TIME);
    let scheduler = shuttle::scheduler::RandomScheduler::new(usize::MAX);
    shuttle::Runner::new(scheduler, config).run(move || {
        EXECUTIONS.fetch_add(1, Ordering::Relaxed);
        program(n);
    });
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [peer, name, n] = &arguments[..] else { return ExitCode::from(2) };
    let Ok(n) = n.parse() else { return ExitCode::from(2) };
    let begin = Instant::now();
    match (&peer[..], peers::loom::program(name), peers::shuttle::program(name)) {
        ("loom", Some(program), _) => under_loom(program, n),
        ("shuttle", _, Some(program)) => under_shuttle(program, n),
        _ => return ExitCode::from(2),
    }
    let executions = EXECUTIONS.load(Ordering::Relaxed);
    println!("{executions} {:.0}", executions as f64 / begin.elapsed().as_secs_f64());
    ExitCode::SUCCESS
}
