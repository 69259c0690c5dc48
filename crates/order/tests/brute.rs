//! The solver beside trying everything: thousands of small formulas over orders and Boolean variables; every "no" has a
//! proof that the checker follows.

use foretrace_order::bits::Circuits;
use foretrace_order::{Answer, Budget, Lit, Nothing, Solver, Truth, check_proof};

/// Small and the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    }
}

/// All orders of the nodes, as the place of each.
fn permutations(nodes: usize) -> Vec<Vec<usize>> {
    if nodes == 0 {
        return vec![Vec::new()];
    }
    let smaller = permutations(nodes - 1);
    let put = |place: usize, order: &Vec<usize>| {
        let mut order: Vec<usize> = order.iter().map(|p| if *p >= place { p + 1 } else { *p }).collect();
        order.push(place);
        order
    };
    smaller.iter().flat_map(|order| (0..nodes).map(move |place| put(place, order))).collect()
}

/// A literal of the formula: the order of two nodes, or a Boolean variable.
#[derive(Clone, Copy)]
enum Atom {
    Before(u32, u32),
    Bool(usize, bool),
}

struct Formula {
    chains: [u32; 2],
    bools: usize,
    clauses: Vec<Vec<Atom>>,
    assumed: Vec<Atom>,
}

fn formula(random: &mut Random) -> Formula {
    let chains = [1 + random.below(3) as u32, 1 + random.below(3) as u32];
    let (nodes, bools) = (u64::from(chains[0] + chains[1]), 3);
    let atom = |random: &mut Random| {
        if random.below(3) == 0 {
            return Atom::Bool(random.below(bools) as usize, random.below(2) == 0);
        }
        let a = random.below(nodes);
        let b = (a + 1 + random.below(nodes - 1)) % nodes;
        Atom::Before(a as u32, b as u32)
    };
    let length = 2 + random.below(18);
    let clauses = (0..length).map(|_| (0..1 + random.below(3)).map(|_| atom(random)).collect()).collect();
    let assumed = (0..random.below(3)).map(|_| atom(random)).collect();
    Formula { chains, bools: bools as usize, clauses, assumed }
}

fn brute(formula: &Formula) -> bool {
    let [first, second] = formula.chains;
    let nodes = (first + second) as usize;
    let legal = |order: &Vec<usize>| {
        let rises = |from: u32, to: u32| (from + 1..to).all(|n| order[n as usize - 1] < order[n as usize]);
        rises(0, first) && rises(first, first + second)
    };
    permutations(nodes).iter().filter(|order| legal(order)).any(|order| {
        (0..1_usize << formula.bools).any(|values| {
            let holds = |atom: &Atom| match *atom {
                Atom::Before(a, b) => order[a as usize] < order[b as usize],
                Atom::Bool(var, sign) => (values >> var & 1 == 1) == sign,
            };
            formula.clauses.iter().all(|clause| clause.iter().any(holds)) && formula.assumed.iter().all(holds)
        })
    })
}

#[test]
fn small_formulas_have_the_answer_of_trying_everything() {
    let mut random = Random(18);
    let mut yes = 0;
    for round in 0..4000 {
        let formula = formula(&mut random);
        let mut solver = Solver::default().with_proof();
        solver.chain(formula.chains[0]);
        solver.chain(formula.chains[1]);
        let bools: Vec<Lit> =
            (0..formula.bools).map(|bool| if bool == 0 { solver.var() } else { solver.dormant() }).collect();
        let lit = |solver: &mut Solver, atom: &Atom| match *atom {
            Atom::Before(a, b) => solver.before(a, b),
            Atom::Bool(var, sign) => {
                if sign {
                    bools[var]
                } else {
                    !bools[var]
                }
            }
        };
        let mut clauses = Vec::new();
        for clause in &formula.clauses {
            let clause: Vec<Lit> = clause.iter().map(|atom| lit(&mut solver, atom)).collect();
            solver.clause(&clause);
            clauses.push(clause);
        }
        let assumed: Vec<Lit> = formula.assumed.iter().map(|atom| lit(&mut solver, atom)).collect();
        let answer = solver.solve(&assumed, &mut Nothing, &Budget::default());
        let expected = brute(&formula);
        assert_eq!(answer == Answer::Yes, expected, "round {round}");
        if expected {
            let holds = |lit: &Lit| solver.value(*lit) == Truth::True;
            assert!(clauses.iter().all(|clause| clause.iter().any(holds)), "round {round}: a clause does not hold");
            assert!(assumed.iter().all(holds), "round {round}: an assumption does not hold");
        }
        yes += u32::from(expected);
        if let Answer::No(core) = answer {
            assert!(core.iter().all(|lit| assumed.contains(lit)), "round {round}");
            assert_eq!(check_proof(solver.proof(), &|lit| solver.edge(lit), &core), Ok(()), "round {round}");
            assert!(expected || core.len() <= assumed.len());
        } else {
            let after = solver.solve(&[], &mut Nothing, &Budget::default());
            assert_eq!(after, Answer::Yes, "round {round}: without assumptions");
        }
    }
    assert!((400..3600).contains(&yes), "{yes} of 4000 have a solution: the formulas decide nothing");
}

/// The value of a circuit's result, given the inputs as assumptions.
fn run(solver: &mut Solver, inputs: &[(&[Lit], u64)], output: &[Lit]) -> u64 {
    let assume = |(bits, value): &(&[Lit], u64)| {
        let value = *value;
        bits.iter().enumerate().map(move |(i, bit)| if value >> i & 1 == 1 { *bit } else { !*bit }).collect::<Vec<_>>()
    };
    let assumed: Vec<Lit> = inputs.iter().flat_map(assume).collect();
    assert_eq!(solver.solve(&assumed, &mut Nothing, &Budget::default()), Answer::Yes);
    let bit = |(i, lit): (usize, &Lit)| u64::from(solver.value(*lit) == Truth::True) << i;
    output.iter().enumerate().map(bit).sum()
}

#[test]
fn circuits_compute() {
    for width in [1_u8, 2, 3, 5] {
        let mut s = Solver::default();
        let mut c = Circuits::new(&mut s);
        let a: Vec<Lit> = (0..width).map(|_| s.var()).collect();
        let b: Vec<Lit> = (0..width).map(|_| s.var()).collect();
        let sum = c.add(&mut s, &a, &b, !c.yes).0;
        let product = c.mul(&mut s, &a, &b);
        let (quotient, rest) = c.divide(&mut s, &a, &b);
        let left = c.shift(&mut s, &a, &b, true, !c.yes);
        let right = c.shift(&mut s, &a, &b, false, !c.yes);
        let compared = vec![c.below(&mut s, &a, &b, false), c.below(&mut s, &a, &b, true), c.equal(&mut s, &a, &b)];
        let mask = (1_u64 << width) - 1;
        let signed = |x: u64| ((x << (64 - width)) as i64) >> (64 - width);
        for x in 0..=mask {
            for y in 0..=mask {
                let mut of = |output: &[Lit]| run(&mut s, &[(&a, x), (&b, y)], output);
                assert_eq!(of(&sum), (x + y) & mask);
                assert_eq!(of(&product), (x * y) & mask);
                assert_eq!(of(&quotient), x.checked_div(y).unwrap_or(mask));
                assert_eq!(of(&rest), x.checked_rem(y).unwrap_or(x));
                assert_eq!(of(&left), if y >= u64::from(width) { 0 } else { (x << y) & mask });
                assert_eq!(of(&right), if y >= u64::from(width) { 0 } else { x >> y });
                let expected = u64::from(x < y) | u64::from(signed(x) < signed(y)) << 1 | u64::from(x == y) << 2;
                assert_eq!(of(&compared), expected);
            }
        }
    }
}
