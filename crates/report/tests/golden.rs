//! Each form of one report against the file that says what it should be. `cargo xtask bless` writes the files.

use foretrace_report::{
    Access, Act, Automaton, Bar, Block, Drawn, Edge, ErrorKind, Excerpt, Exploration, Finding, Format, Frame, Holder,
    How, Kind, Link, Lock, Memory, Moment, Needs, Operation, Order, Origin, Pair, Picture, Report, Site, Sort, Status,
    Step, Style, Thing, Thread, Touch, Undecided, Verb, Wait, What,
};

fn frame(function: &str, line: u32, column: u32, source: &str) -> Frame {
    Frame {
        function: Some(function.to_owned()),
        file: Some("bank & co.c".to_owned()),
        line,
        column,
        source: Some(source.to_owned()),
        module: "bank".to_owned(),
        offset: 0x1000 + u64::from(line),
    }
}

fn threads() -> Vec<Thread> {
    let thread = |number, name: &str, parent: Option<&str>| Thread {
        number,
        name: name.to_owned(),
        parent: parent.map(str::to_owned),
        created: if number == 0 { vec![] } else { vec![frame("main", 30 + number, 5, "pthread_create(")] },
    };
    vec![thread(0, "main", None), thread(1, "t1", Some("main"))]
}

fn step(thread: usize, does: Act, line: u32, fails: bool) -> Step {
    Step { thread, does, place: Some(frame("step", line, 0, "")), fails }
}

fn lock(name: &str, shared: bool) -> Lock {
    Lock {
        lock: Thing::new(Sort::Lock, Some(name)),
        shared,
        taken: vec![frame("deposit", 11, 0, "    pthread_rwlock_rdlock(&m0);")],
    }
}

/// The same race with other memory.
fn race_in(origin: Origin) -> Finding {
    let memory =
        Memory { name: None, function: None, origin, address: 0x4010, size: 4, freed: false, freed_twice: false };
    let nameless = |does: &mut Act| {
        if let Act::Touch(touch) = does {
            touch.name = None;
        }
    };
    let mut finding = Finding { memory: Some(memory), folder: Some("my findings/it's".to_owned()), ..race() };
    finding.sites.iter_mut().for_each(|site| nameless(&mut site.does));
    finding.steps.iter_mut().for_each(|step| nameless(&mut step.does));
    finding
}

fn block() -> Block {
    Block {
        address: 0x4008,
        size: 24,
        thread: "t1".to_owned(),
        allocated: vec![frame("open_account", 3, 0, "    return malloc(24);")],
    }
}

fn pair(write: u32, read: u32) -> Pair {
    let access = |verb, function, line| {
        let stack = vec![frame(function, line, 5, "    balance -= n;")];
        Access { does: touches(verb), stack }
    };
    Pair { accesses: vec![access(Verb::Write, "deposit", write), access(Verb::Read, "audit", read)] }
}

fn touches(verb: Verb) -> Act {
    let (name, address) = (Some("balance".to_owned()), Some(0x4010));
    Act::Touch(Touch { verb, atomic: false, size: 4, address, name, is_part: false })
}

fn takes(lock: &str) -> Act {
    Act::Operation(Operation::on(What::Lock, Thing::new(Sort::Lock, Some(lock))))
}

fn waits(lock: &str, holder: &str) -> Act {
    let holder = Some(Holder::Thread(holder.to_owned()));
    Act::Wait(Wait::Lock { lock: Thing::new(Sort::Lock, Some(lock)), shared: false, holder })
}

fn race() -> Finding {
    let site = |thread, verb, locks: &[&str], stack| Site {
        thread,
        does: touches(verb),
        stack,
        locks: locks.iter().map(|name| lock(name, true)).collect(),
    };
    let main = frame("main", 34, 1, "    deposit(1);");
    let creates = Act::Operation(Operation { thread: Some("t1".to_owned()), ..Operation::new(What::Create) });
    Finding {
        id: "race-0011".to_owned(),
        kind: Kind::DATA_RACE,
        status: Status::Confirmed,
        broken: None,
        memory: Some(Memory {
            name: Some("balance".to_owned()),
            function: None,
            origin: Origin::Global,
            address: 0x4010,
            size: 4,
            freed: false,
            freed_twice: false,
        }),
        sites: vec![
            site(1, Verb::Write, &["m0"], vec![frame("deposit", 12, 5, "    balance += n;")]),
            site(0, Verb::Read, &[], vec![frame("audit", 20, 12, "\treturn balance;"), main]),
        ],
        also: vec![pair(13, 20), pair(13, 21)],
        threads: threads(),
        steps: vec![
            step(0, creates, 31, false),
            step(1, takes("m0"), 11, false),
            step(0, touches(Verb::Read), 20, true),
            step(1, touches(Verb::Write), 12, true),
        ],
        repeats: Some((7, 8)),
        schedule: "t0:1 t1:2".to_owned(),
        folder: Some("foretrace-findings/race-0011".to_owned()),
        death: None,
        needs: None,
        seen: Vec::new(),
        fixes: Vec::new(),
        picture: None,
    }
}

fn deadlock() -> Finding {
    let site = |thread, line, does, lock: &str| Site {
        thread,
        does,
        stack: vec![Frame { source: None, ..frame("transfer<int>", line, 0, "") }],
        locks: vec![self::lock(lock, false)],
    };
    Finding {
        id: "deadlock-0022".to_owned(),
        kind: Kind::DEADLOCK,
        status: Status::Predicted("t1 came with end, not lock".to_owned()),
        memory: None,
        broken: None,
        sites: vec![site(0, 40, waits("m1", "t1"), "m0"), site(1, 50, waits("m0", "main"), "m1")],
        also: Vec::new(),
        threads: threads(),
        steps: vec![step(0, takes("m0"), 39, false), step(1, takes("m1"), 49, false)],
        repeats: None,
        schedule: "t0:1 t1:1".to_owned(),
        folder: None,
        death: None,
        needs: None,
        seen: Vec::new(),
        fixes: Vec::new(),
        picture: None,
    }
}

fn report() -> Report {
    Report {
        version: "0.1.0".to_owned(),
        program: "./bank 'a b'".to_owned(),
        exit: "the program ended with 0".to_owned(),
        exit_code: Some(0),
        signal: None,
        pid: Some(4711),
        findings: vec![race(), deadlock()],
        undecided: vec![Undecided { question: "dead ends".to_owned(), why: "too many states".to_owned(), count: 3 }],
        notes: vec!["the recording is cut off".to_owned()],
        incomplete: false,
        folded: Vec::new(),
        exploration: None,
        suppressed: 1,
        unused_suppressions: vec!["race:old".to_owned()],
        show_predicted: true,
        fail_on_predicted: false,
    }
}

fn check(name: &str, report: &Report, format: Format, style: Style) {
    let mut bytes = Vec::new();
    foretrace_report::write(report, format, style, &mut bytes).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    expect_test::expect_file![format!("golden/{name}")].assert_eq(&text);
}

/// Memory of every kind: each is told for what it is, and nothing is told of what is not known.
#[test]
fn memory() {
    let main = || "main".to_owned();
    let origins = [
        Origin::Heap(block()),
        Origin::Mapped(Block { size: 1, allocated: vec![], ..block() }),
        Origin::Stack(main()),
        Origin::ThreadLocal(main()),
        Origin::Unknown,
    ];
    let findings = origins.into_iter().map(race_in).collect();
    let report = Report { findings, ..report() };
    check("memory.txt", &report, Format::Human, Style::plain());
    check("memory.tsan.txt", &report, Format::Tsan, Style::plain());
}

/// A deadlock of many threads at one place, in a function with a long name, on a long line.
fn ring() -> Finding {
    let name = |number: u32| format!("t{number}");
    let function = "ring<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > >";
    let line = format!("    {} lock(\u{1b}next); // 環", "prepare(everything);".repeat(6));
    let site = |thread: usize| Site {
        thread,
        does: waits(&format!("m[{}]", (thread + 1) % 9), &format!("t{}", (thread + 1) % 9 + 1)),
        stack: vec![frame(function, 7, 126, &line)],
        locks: vec![lock(&format!("m[{thread}]"), false)],
    };
    let thread =
        |number| Thread { number, name: name(number), parent: Some("main".to_owned()), ..threads()[1].clone() };
    let taken = |thread: usize| step(thread, takes(&format!("m[{thread}]")), 6, false);
    let stuck = |thread: usize| step(thread, site(thread).does, 7, true);
    Finding {
        id: "deadlock-0033".to_owned(),
        sites: (0..9).rev().map(site).collect(),
        threads: (1..=9).map(thread).collect(),
        steps: (0..9).map(taken).chain((0..9).map(stuck)).collect(),
        ..Finding::new(Kind::DEADLOCK)
    }
}

/// Files that nobody can read.
fn without_lines() -> Finding {
    let bare = |site: Site| Site {
        stack: vec![Frame { module: "bank".to_owned(), offset: 0x1234, ..Frame::default() }],
        ..site
    };
    Finding { sites: race().sites.into_iter().map(bare).collect(), steps: Vec::new(), ..race() }
}

#[test]
fn what_is_long_is_cut_and_what_is_many_is_told_as_one() {
    let report = Report { findings: vec![ring(), without_lines()], ..Report::default() };
    check("many.txt", &report, Format::Human, Style { colour: false, width: 80 });
}

#[test]
fn human() {
    check("human.txt", &report(), Format::Human, Style::plain());
    check("narrow.txt", &report(), Format::Human, Style { colour: false, width: 40 });
    check("colour.txt", &report(), Format::Human, Style { colour: true, width: 100 });
    check("hidden.txt", &Report { show_predicted: false, ..report() }, Format::Human, Style::plain());
}

#[test]
fn machine_readable() {
    check("report.json", &report(), Format::Json, Style::plain());
    check("report.sarif", &report(), Format::Sarif, Style::plain());
    check("tsan.txt", &report(), Format::Tsan, Style::plain());
    check("junit.xml", &report(), Format::Junit, Style::plain());
    check("github.txt", &report(), Format::Github, Style::plain());
    check("junit_strict.xml", &Report { fail_on_predicted: true, ..report() }, Format::Junit, Style::plain());
    check("junit_nothing.xml", &Report::default(), Format::Junit, Style::plain());
}

/// A page with all that a page can have.
#[test]
fn page() {
    let exploration =
        Exploration { executions: 12, classes: Some(10), within: None, milliseconds: 1500, complete: true };
    let mut report = Report { exploration: Some(exploration), ..report() };
    report.findings[0] = drawn(race());
    report.findings.push(ring());
    check("page.html", &report, Format::Html, Style::plain());
    check(
        "page_nothing.html",
        &Report { program: "./bank".to_owned(), ..Report::default() },
        Format::Html,
        Style::plain(),
    );
}

/// A finding with a picture: one more step than those that matter, every part, and a property.
fn drawn(finding: Finding) -> Finding {
    let more = Drawn { step: step(1, takes("<m1>"), 9, false), matters: false };
    let mut steps: Vec<Drawn> = finding.steps.iter().map(|step| Drawn { step: step.clone(), matters: true }).collect();
    steps.insert(1, more);
    let edge = |from, to, on: &str| Edge { from, to, on: on.to_owned() };
    let picture = Picture {
        threads: vec!["main".to_owned(), "t1".to_owned()],
        links: vec![Link { from: 0, to: 1, how: How::Creates }, Link { from: 2, to: 3, how: How::Releases }],
        bars: vec![Bar { thread: 1, lock: Thing::new(Sort::Lock, Some("m0")), shared: true, from: 2, to: None }],
        recorded: vec![0, 2, 1],
        left_out: 7,
        sources: vec![Excerpt {
            file: "bank & co.c".to_owned(),
            first: 10,
            lines: (10..24).map(|line| format!("    if (x < {line}) return \"<\"; // line {line}")).collect(),
        }],
        automaton: Some(Automaton {
            property: "never <two>".to_owned(),
            states: vec!["start".to_owned(), "broken".to_owned()],
            bad: vec![1],
            edges: vec![edge(0, 1, "write")],
            initial: 0,
            after: vec![(4, 1)],
        }),
        steps,
    };
    assert!(picture.is_sound());
    let order = Order {
        first: Moment {
            thread: "t1".to_owned(),
            operation: "lock".to_owned(),
            object: Some("m0".to_owned()),
            place: finding.steps[1].place.clone(),
        },
        second: Moment { thread: "main".to_owned(), operation: "end".to_owned(), ..Moment::default() },
        turned_in_recorded: true,
    };
    let needs = Some(Needs { orders: vec![order], ..Needs::default() });
    let fixes = vec!["hold `m0` at bank & co.c:20, too".to_owned()];
    Finding { picture: Some(Box::new(picture)), needs, fixes, ..finding }
}

/// A kind of error that no other crate knows: one type here, and nothing else anywhere.
struct NotJoined;

impl ErrorKind for NotJoined {
    fn rule(&self) -> &'static str {
        "thread-not-joined"
    }

    fn about(&self) -> &'static str {
        "The program ends while a thread of it still runs."
    }

    fn title(&self, finding: &Finding) -> String {
        format!("{} of the threads is not joined", finding.sites.len())
    }

    fn help(&self, _: &Finding) -> Option<String> {
        Some("join the thread before the end of main".to_owned())
    }

    fn hides(&self, kind: &str, _: &dyn Fn(&str) -> bool, _: &Finding) -> bool {
        kind == "thread"
    }
}

#[test]
fn a_kind_of_another_crate_is_written_in_every_form() {
    let sites = race().sites.into_iter().take(1).collect();
    let finding = Finding { sites, threads: threads(), ..Finding::new(Kind(&NotJoined)) };
    let report = Report { findings: vec![finding], ..Report::default() };
    let written = |format| {
        let mut bytes = Vec::new();
        foretrace_report::write(&report, format, Style::plain(), &mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    };
    for (format, text) in [
        (Format::Human, "error: 1 of the threads is not joined"),
        (Format::Human, "help: join the thread before the end of main"),
        (Format::Html, "join the thread before the end of main"),
        (Format::Html, "1 of the threads is not joined"),
        (Format::Json, r#""kind": "thread-not-joined""#),
        (Format::Sarif, r#""id": "thread-not-joined""#),
        (Format::Sarif, "The program ends while a thread of it still runs."),
        (Format::Tsan, "WARNING: ThreadSanitizer: thread-not-joined"),
        (Format::Junit, r#"type="thread-not-joined""#),
        (Format::Github, "title=1 of the threads is not joined"),
    ] {
        assert!(written(format).contains(text), "{format:?}: {text}\n{}", written(format));
    }
    assert!(report.findings[0].kind.0.hides("thread", &|_| false, &report.findings[0]));
}
