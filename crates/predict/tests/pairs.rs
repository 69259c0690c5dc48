//! Other pairs of accesses to the memory of a race.

use foretrace_finding::Candidate;
use foretrace_predict::{Options, Predictor};

/// Thread `b` initialises `x` and both use it after an atomic flag. The initialisation is the nearest partner of the
/// write by `a`, but the program never runs that way; the read by `b` is the partner with which it races. To put these two side by side, the
/// sections of `m` must change places and each load of the flag must read what it read.
const BEHIND_A_FLAG: &str = "main fork a
main fork b
b aload g acquire 0
b once_run o
b write x
b once_done o
b astore g release 1
b lock m
b write s
b unlock m
b lock m
b aload g acquire 1
b read x
b unlock m
a aload g acquire 1
a lock m
a write s
a unlock m
a aload g acquire 1
a write x
";

#[test]
fn a_pair_that_only_a_search_reaches_is_found() {
    let trace = foretrace_trace::text::parse(BEHIND_A_FLAG).unwrap();
    let options = Options::default();
    let predictor = Predictor::new(&trace, &options);
    let prediction = predictor.predict(&());
    let Candidate::Race(race) = prediction.races[0].witness.candidate else { panic!("{:?}", prediction.races) };
    let others = predictor.other_pairs(&race, 64);
    let [other] = &others[..] else { panic!("{others:?}") };
    foretrace_judge::judge(&trace, other).unwrap();
    let Candidate::Race(other) = other.candidate else { panic!("{other:?}") };
    let (read, write) = (other.first.min(other.second), other.first.max(other.second));
    assert_ne!(other, race);
    assert_eq!((read.index, write.index), (6, 11), "the write of a and the read of b");
}
