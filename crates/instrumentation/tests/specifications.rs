//! What a specification may say, and what is said of one that is wrong.

use foretrace_instrumentation::{Base, Field, Instrumentation, Moment, Relation, Type, What};

fn parse(text: &str) -> Instrumentation {
    Instrumentation::parse(text).unwrap_or_else(|error| panic!("{}", error.show("spec", text)))
}

#[test]
fn the_specifications_of_the_thesis() {
    let figures = [
        "open(#return) after call open_file\nclose(#0) before call close_file\naccess(#0) before call write_file\n\
         access(#0) before call read_file\n",
        "x(load) before read-global x\nx(store) before write-global x\ny(load) before read-global y\n",
        "open before call open_connection\nupdate before write-global header\nack before call acknowledge\n",
        "prepare(#0, *#3) after call sqlite3_prepare\nopen(*#1) after call sqlite3_open\n",
        "enter before body increment\nexit after body increment\n",
        "request(#0, #return) after call request\nconflict(#0,#1) after call conflict\n",
    ];
    let counts: Vec<usize> = figures.iter().map(|text| parse(text).orders.len()).collect();
    assert_eq!(counts, [4, 3, 3, 2, 2, 2]);
    let sql = parse(figures[3]);
    let Field::Value(statement) = &sql.orders[0].fields[1] else { panic!("#3 is a value") };
    assert_eq!((statement.dereferences, statement.base), (1, Base::Argument(3)));
}

#[test]
fn what_goes_beyond_the_thesis() {
    let text = "  # files\nused(\"a b\", -1, 0xff, #0->inner.fd as int, **#return)  after call net::Conn::open(char const*, int) \
                when #1 == 0 and #return != -1 // done\nhit before line src/a.c:12\n";
    let orders = parse(text).orders;
    let order = &orders[0];
    assert_eq!((order.moment, order.what, order.line), (Moment::After, What::Call, 2));
    assert_eq!(order.target.text(), "net::Conn::open(char const*, int)");
    assert_eq!(order.fields[..3], [Field::Text("a b".into()), Field::Number(-1), Field::Number(255)]);
    let Field::Value(fd) = &order.fields[3] else { panic!("a value") };
    let members: Vec<_> = fd.members.iter().map(|member| (member.name.as_str(), member.through_pointer)).collect();
    assert_eq!(members, [("inner", true), ("fd", false)].map(|(name, through)| (name, name != "fd" && through)));
    assert_eq!(fd.kind, Some(Type::Integer { bytes: 4, signed: true }));
    let relations: Vec<_> = order.conditions.iter().map(|one| (one.relation, one.constant)).collect();
    assert_eq!(relations, [(Relation::Equal, 0), (Relation::NotEqual, -1)]);
    assert_eq!(orders[1].target.line().map(|line| (line.file.as_str(), line.line)), Some(("src/a.c", 12)));
}

#[test]
fn errors_point_at_what_is_wrong() {
    let cases = [
        ("open(#return) before call f", "1:6: #return is known only `after`; this order is `before call`"),
        ("\n\n  9a before call f", "3:3: expected the name of an event: a letter, then letters, digits and `_`"),
        (
            "open(#retrun) after call f",
            "1:6: `#retrun` is not a field: use #0, #1, …, #return, #size, #address or #value",
        ),
        ("open(#0 after call f", "1:9: expected `,` or `)` after a field"),
        ("open(", "1:6: expected a field: a name, a number, \"text\", or #0, #return, #size, #address, #value"),
        ("open(#0) call f", "1:10: expected `before` or `after`, as in `open(#return) after call open_file`"),
        ("open before cal f", "1:13: expected `call`, `body`, `read-global`, `write-global` or `line`, not `cal`"),
        ("open before call", "1:17: expected a target after `call`"),
        ("open before call when #0 == 1", "1:18: expected a target after `call`"),
        ("x before line a.c", "1:15: the target of `line` is `file.c:12`"),
        (
            "x(#0) before read-global x",
            "1:3: arguments belong to `call` and `body`; this order is `before read-global`",
        ),
        (
            "x(#size) before call f",
            "1:3: #size, #address and #value belong to `read-global` and `write-global`; this order is `before call`",
        ),
        (
            "x(#value) before read-global x",
            "1:3: the #value of a read is known only `after`; this order is `before read-global`",
        ),
        ("x before call f when #0 = 1", "1:25: expected ==, !=, <, <=, > or >="),
        ("x before call f when #0 == 1 or", "1:30: expected `and` or the end of the line after a condition"),
        (
            "x before call f when #0 == 99999999999999999999",
            "1:28: expected a number of at most 64 bits, such as 12, -1 or 0x1f",
        ),
        ("x(\"a) before call f", "1:3: the text has no closing `\"`"),
        (
            "x(#0 as float) before call f",
            "1:9: `float` is not a type: use bool, char, short, int, long, pointer, double, string, i8, i16, i32, i64, u8, u16, u32",
        ),
        ("x(1,2,3,4,5,6,7,8,9) before call f", "1:2: an event has at most 8 fields; this one has 9"),
        ("x(#0->) before call f", "1:7: expected the name of a member"),
    ];
    for (text, expected) in cases {
        assert_eq!(Instrumentation::parse(text).unwrap_err().to_string(), expected, "{text}");
    }
}

#[test]
fn an_error_shows_the_line() {
    let text = "ok before call f\nopen(#return) before call f\n";
    let shown = Instrumentation::parse(text).unwrap_err().show("a.events", text);
    let expected = "a.events:2:6: #return is known only `after`; this order is `before call`\n  open(#return) before call f\n       ^^^^^^^";
    assert_eq!(shown, expected);
}
