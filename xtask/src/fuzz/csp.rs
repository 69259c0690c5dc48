//! CSP_M scripts, valid and invalid: reading, typing, evaluating and checking them ends with an answer or an error.

use super::random::Random;
use foretrace_csp::budget::Budget;
use foretrace_csp::script::{Script, with_stack};
use std::time::Duration;

const WORDS: [&str; 126] = [
    "STOP",
    "SKIP",
    "DIV",
    "P",
    "Q",
    "a",
    "b",
    "c",
    "d",
    "x",
    "y",
    "0",
    "1",
    "2",
    "->",
    "[]",
    "|~|",
    "|||",
    ";",
    "[|",
    "|]",
    "|>",
    "[",
    "]",
    "||",
    "\\",
    "|\\",
    "/\\",
    "[>",
    "[[",
    "]]",
    "<-",
    "<->",
    "{|",
    "|}",
    "{",
    "}",
    "(",
    ")",
    "<",
    ">",
    ",",
    "..",
    ".",
    "?",
    "!",
    "$",
    ":",
    "@",
    "&",
    "=",
    "==",
    "<=",
    "+",
    "-",
    "*",
    "/",
    "%",
    "#",
    "^",
    "if",
    "then",
    "else",
    "let",
    "within",
    "and",
    "or",
    "not",
    "true",
    "channel",
    "datatype",
    "nametype",
    "subtype",
    "assert",
    "[T=",
    "[F=",
    "[FD=",
    ":[deadlock free]",
    ":[deterministic]",
    "union",
    "diff",
    "card",
    "head",
    "Events",
    "CHAOS",
    "RUN",
    "\n",
    "\n",
    "\n",
    "'c'",
    "\"s\"",
    "_",
    "::",
    "=>",
    "(| ",
    "|)",
    "[V=",
    "[VD=",
    "[R=",
    "[RD=",
    ":[divergence free]",
    ":[has trace]: <a>",
    ":[tau priority over]: {a}",
    ":[partial order reduce]",
    "prioritise",
    "prioritisepo",
    "chase",
    "deter",
    "sbisim",
    "wbisim",
    "dbisim",
    "diamond",
    "normal",
    "tau_loop_factor",
    "explicate",
    "timed_priority",
    "Timed",
    "tock",
    "WAIT",
    "transparent",
    "external",
    "module",
    "endmodule",
    "[+",
    "+]",
    "/+",
];

const SEEDS: [&str; 10] = [
    "channel a, b, c\nP = a -> P [] b -> STOP\nQ = (P ||| P) \\ {a}\nassert P [T= Q\nassert Q :[deadlock free]\n",
    "channel d : {0..2}\nP(x) = d!x -> P((x+1)%3)\nassert P(0) [FD= P(0)\nassert P(0) :[deterministic]\n",
    "datatype T = A | B.{0,1}\nchannel c : T\nf(A) = 0\nf(B.x) = x\nP = c?t -> (if f(t) == 0 then P else SKIP)\nassert P [F= P ; STOP\n",
    "sum(<>) = 0\nsum(<x>^s) = x + sum(s)\nprint sum(<1..10>)\nm = (| 1 => {2,3} |)\nprint mapLookup(m, 1)\n",
    "channel l, r : {0,1}\nB = l?x -> r!x -> B\nassert B [r <-> l] B :[deadlock free]\n",
    "external prioritise, chase, deter\nchannel a, b, c\nP = a -> P [] b -> STOP\nQ = prioritise(P ||| c -> P, <{a}, {b, c}>)\nassert P [V= chase(Q \\ {a})\nassert deter(Q) [R= P\nassert deter(P |~| Q) :[deterministic]\n",
    "transparent sbisim, wbisim, dbisim, diamond, normal, tau_loop_factor\nchannel a, b, c\nP = a -> (b -> P |~| c -> SKIP)\nR = (normal(P) [| {a} |] wbisim(P)) \\ {b}\nassert diamond(R) [VD= tau_loop_factor(R)\nassert dbisim(R) [RD= sbisim(P /\\ c -> STOP)\n",
    "channel tock, a, b\nexternal timed_priority\nTimed(\\ x @ 1) { P = a -> b -> P [] WAIT(2) ; STOP }\nassert timed_priority(P) [T= P\n",
    "channel a, b, c : {0, 1}\nmodule M(k)\nexports\nP = a!k -> P [+ {|b|} +] b?x -> STOP\nendmodule\ninstance I = M(1)\nQ = I::P /+ {|c|} +\\ c?x -> Q\nassert Q [V= I::P :[partial order reduce [precise]]\nassert Q :[divergence free] :[tau priority over]: {|a|}\n",
    "transparent sbisim, diamond\nchannel a, b\nP = let Q(n) = if n == 0 then SKIP else a -> Q(n-1) within Q(3)\nassert sbisim(P) [T= diamond(P) /\\ b -> STOP\n",
];

/// One script.
pub fn once(random: &mut Random) {
    let text = if random.below(3) == 0 { soup(random) } else { mutant(random) };
    let budget = Budget {
        counterexamples: 1,
        max_states: 2_000,
        max_memory: 2 << 30,
        timeout: Some(Duration::from_secs(2)),
        threads: 1 + random.below(2),
        ..Budget::default()
    };
    with_stack(|| {
        let Ok(script) = Script::load("fuzz.csp", &text, Vec::new()) else { return };
        drop(script.prints(&budget));
        for assertion in script.assertions() {
            drop(script.check(&assertion, &budget, &|_| {}));
        }
    });
}

fn soup(random: &mut Random) -> String {
    let count = random.below(60);
    (0..count).map(|_| format!("{} ", random.choose(&WORDS))).collect()
}

/// A valid script with a few words deleted, doubled, swapped or replaced.
fn mutant(random: &mut Random) -> String {
    let seed = *random.choose(&SEEDS);
    let mut words: Vec<String> =
        seed.split_inclusive([' ', '\n', '(', ')', '{', '}', '.']).map(str::to_owned).collect();
    for _ in 0..=random.below(4) {
        let at = random.below(words.len());
        match random.below(4) {
            0 => drop(words.remove(at)),
            1 => words.insert(at, format!("{} ", random.choose(&WORDS))),
            2 => words[at] = format!("{} ", random.choose(&WORDS)),
            _ => {
                let other = random.below(words.len());
                words.swap(at, other);
            }
        }
        if words.is_empty() {
            break;
        }
    }
    words.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_seed_is_a_good_script() {
        for seed in SEEDS {
            let complaint = with_stack(|| Script::load("seed.csp", seed, Vec::new()).err().map(|e| e.render()));
            assert_eq!(complaint, None, "{seed}");
        }
    }
}
