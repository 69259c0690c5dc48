//! What is printed is read back as the same program; what is wrong has a position.

use super::{parse, print};

const ALL: &str = r#"
var x 4 = 7
var y 8 = -1 @ 0x100
lock m
lock r recursive
sem s = 1
cond c
barrier b = 2
t1 fork t2 "main.c:3" @ 0:4
t1 read a x
t1 let v (add a 1)
t1 write x (mul v v)
t1 write y+2:2 (trunc 16 (sub v 3))
t2 read q y+1:4
t2 update o x if (ugt o 0) (select (slt o 5) 1 (xor o q))
t2 lock m
t2 wait c m
t2 fwait c m
t2 unlock m
t1 if (eq v 3)
t1 let v (sext 32 (extract 7 0 v))
t1 else
t1 let v (zext 32 (extract 15 8 v))
t1 sem_wait s
t1 sem_post s
t1 endif
t1 barrier_enter b
t2 barrier_enter b
t2 barrier_exit b
t1 barrier_exit b
t1 begin
t1 assume (not (ule v (lshr q2.z 1)))
t1 end
t1 broadcast c
t1 join t2
t1 assert (eq v 0) "the end"
"#;

#[test]
fn print_and_parse_are_inverse() {
    let text = ALL.replace("q2.z", "v");
    let ctp = parse(&text).unwrap();
    let printed = print(&ctp);
    let again = parse(&printed).unwrap_or_else(|error| panic!("{error}\n{printed}"));
    assert_eq!(printed, print(&again));
    assert_eq!(ctp.order, again.order);
    assert_eq!(ctp.vars, again.vars);
    let actions = |c: &crate::Ctp| c.events().map(|(_, e)| std::mem::discriminant(&e.action)).collect::<Vec<_>>();
    assert_eq!(actions(&ctp), actions(&again));
}

#[test]
fn faults_have_positions() {
    let cases = [
        ("t1 read a x", "line 1, column 11: `x` is not declared: write `var x 4 = 0` above"),
        ("var x 9", "line 1, column 7: a variable has 1 to 8 bytes"),
        ("var x 4\nt1 write x (add 1 2", "line 2, column 12: this parenthesis is not closed"),
        ("t1 assert 2:32", "line 1: t1:1: this must be 1 bits wide, but is 32 bits wide"),
        ("t1 unlock m", "line 1, column 11: `m` is not declared: write `lock m` (or sem, cond, barrier) above"),
        ("t1 endif", "line 1, column 4: `endif` without `if`"),
        ("t1 join t1", "line 1: t1:1: a thread cannot wait for its own end"),
        ("t1 fork t2\nt2 fork t1", "threads wait for each other's end in a circle"),
        ("t1 assert \"", "line 1, column 11: this quote is not closed"),
        ("t1 hop", "line 1, column 4: no event is named `hop`"),
    ];
    for (text, message) in cases {
        assert_eq!(parse(text).map(|_| ()).map_err(|error| error.to_string()), Err(message.to_owned()), "{text}");
    }
}

#[test]
fn a_value_of_another_thread_needs_an_order() {
    let text = "var x 4\nt2 read z x\nt1 assume (eq t2.z 0)";
    assert!(parse(text).unwrap_err().to_string().contains("by another thread"));
    assert!(parse("var x 4\nt2 read z x\nt1 join t2\nt1 assume (eq t2.z 0)").is_ok());
}

#[test]
fn deep_expressions_are_refused_or_named() {
    let deep = format!("var x 4\nt1 read a x\nt1 write x {}a{}", "(add 1 ".repeat(5000), ")".repeat(5000));
    assert!(parse(&deep).is_err());
    let mut long = "var x 4\nt1 read a x\n".to_owned();
    (0..5000).for_each(|_| long.push_str("t1 let a (add 1 a)\n"));
    long.push_str("t1 write x a\n");
    let printed = print(&parse(&long).unwrap());
    assert_eq!(print(&parse(&printed).unwrap()), printed);
}
