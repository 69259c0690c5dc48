//! Concurrent trace programs: a program that is accepted is written and read again, and can be analysed.

use super::random::Random;
use foretrace_cssa::{Analysis, Options, goals};
use foretrace_ctp::text;
use foretrace_order::Budget;
use foretrace_testkit::{Random as Bytes, fuzz, symbolic};

const SEED: &str = "var x 4\nlock m\nsem s = 1\ncond c\nbarrier b = 2\nt1 fork t2\nt1 lock m\nt1 read a x\nt1 if (eq a 0)\nt1 \
    write x+1:2 (trunc 16 (add a 1))\nt1 else\nt1 endif\nt1 unlock m\nt2 sem_wait s\nt2 update o x if (ne o 3) (select (eq o 0) \
    1 o)\nt2 assert (ult o 5) \"a\" @ 1:2\nt2 barrier_enter b\nt2 barrier_exit b\nt1 join t2\n";

pub fn once(random: &mut Random) {
    let mut bytes = Bytes::new(random.next());
    let seeds = [SEED.to_owned(), symbolic::banking(3, true), symbolic::atom(3, 2, true)];
    let seed = bytes.choose(&seeds).clone();
    let broken = fuzz::mutate(&mut bytes, seed.as_bytes());
    let Ok(ctp) = text::parse(&String::from_utf8_lossy(&broken)) else { return };
    let printed = text::print(&ctp);
    text::parse(&printed).unwrap_or_else(|error| panic!("what was printed is refused: {error}\n{printed}"));
    let Ok(mut analysis) = Analysis::new(&ctp, Options { switches: 1, ..Options::default() }) else { return };
    let budget = Budget { conflicts: Some(200), ..Budget::default() };
    goals::assertions(&ctp).iter().take(3).for_each(|goal| drop(analysis.deepen(goal, &budget)));
}
