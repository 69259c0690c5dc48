//! Accesses of counted loops, told once, are the accesses told one by one: over loops of many shapes, drawn at random.

use crate::run::{finish, foretrace, recorded};
use foretrace_event::wire::Record;
use foretrace_trace::Recording;
use object::Object;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// Where the program puts the memory its loops go over, and how much.
pub const ARENA: std::ops::Range<u64> = 0x1000_0000_0000..0x1000_0010_0000;
/// Functions of loops, each called with several bounds.
const FUNCTIONS: u32 = 160;

/// A generator of numbers; the same on every machine.
struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    fn of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len() as u64) as usize]
    }

    /// An index over a counter, small enough for every bound.
    fn index(&mut self, counter: &str) -> String {
        let offset = self.below(5);
        match self.below(4) {
            0 => format!("{offset}"),
            1 => format!("{counter} * {} + {offset}", 1 + self.below(9)),
            _ => format!("{counter} + {offset}"),
        }
    }

    fn statement(&mut self, counter: &str) -> String {
        let [to, from] = [self.index(counter), self.index(counter)];
        let (a, b) = (self.of(&["c", "s", "w", "l", "d"]), self.of(&["c", "s", "w", "l", "d"]));
        match self.below(6) {
            0 => format!("{a}[{to}] = 1;"),
            1 => format!("sum += {a}[{to}];"),
            2 => format!("if ({counter} & 1) {a}[{to}]++;"),
            3 => format!("{a}[{to}] += {b}[{from}];"),
            4 => format!("p[{to}].x += p[{from}].y;"),
            _ => format!("{a}[{to}] = {b}[{from}];"),
        }
    }

    /// A loop over `counter`, with another in it or a few statements.
    fn loops(&mut self, depth: u64) -> String {
        let i = &format!("i{depth}");
        let step = 1 + self.below(3);
        let head = match self.below(7) {
            0 => format!("for (long {i} = {}; {i} < n; {i} += {step})", self.below(4)),
            1 => format!("for (long {i} = n - 1; {i} >= 0; {i} -= {step})"),
            2 => format!("for (unsigned {i} = 0; {i} < (unsigned)n; {i}++)"),
            3 => format!("for (int {i} = 0; {i} != (int)n; {i}++)"),
            4 => format!("for (int {i} = (int)n; {i} > 0; {i} -= {step})"),
            5 => format!("for (unsigned char {i} = 0; {i} <= (n & 31); {i}++)"),
            _ => format!("for (long {i} = n; {i}-- > 0;)"),
        };
        let count = 1 + self.below(3);
        let mut body: String = (0..count).map(|_| self.statement(i)).collect::<Vec<_>>().join(" ");
        if depth < 2 && self.below(3) == 0 {
            body = format!("{body} {}", self.loops(depth + 1));
        }
        if self.below(6) == 0 {
            body = format!("if (w[{i}] == 77) break; {body}");
        }
        format!("{head} {{ {body} }}")
    }

    /// A loop that moves a pointer.
    fn walk(&mut self) -> String {
        let kind = self.of(&["char", "short", "int", "long", "double"]);
        let step = 1 + self.below(3);
        format!("for ({kind} *at = ({kind} *)c + 3; at < ({kind} *)c + n; at += {step}) *at += at[{}];", self.below(4))
    }

    fn function(&mut self, number: u32) -> String {
        let body = if self.below(5) == 0 { self.walk() } else { self.loops(0) };
        format!(
            "NOT_INLINED long f{number}(char *c, short *s, int *w, long *l, double *d, struct pair *p, long n) {{\n    \
             long sum = 0; {body} return sum;\n}}\n"
        )
    }
}

pub fn program(seed: u64) -> String {
    let mut draw = Draw(seed);
    let mut text = String::from(
        "#include <pthread.h>\n#include <sys/mman.h>\n#define NOT_INLINED __attribute__((noinline))\n\
         struct pair { int x; long y; };\nstatic pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;\n\
         static volatile long bounds[] = {1, 2, 7, 40}, sink;\n",
    );
    for number in 0..FUNCTIONS {
        text += &draw.function(number);
    }
    let size = ARENA.end - ARENA.start;
    write!(
        text,
        "static void *work(void *arg) {{\n    char *m = mmap((void *){:#x}, {size}, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | \
         MAP_FIXED_NOREPLACE, -1, 0);\n    if (m == MAP_FAILED) return arg;\n    for (int b = 0; b < 4; b++) {{\n",
        ARENA.start
    )
    .expect("a string can be written to");
    for number in 0..FUNCTIONS {
        let at = |part: u64| format!("(void *)(m + {})", part * 65536 + draw_alignment(number) * 8);
        writeln!(
            text,
            "sink = f{number}({}, {}, {}, {}, {}, {}, bounds[b]); pthread_mutex_lock(&mutex); pthread_mutex_unlock(&mutex);",
            at(1), at(2), at(3), at(4), at(5), at(6)
        )
        .expect("a string can be written to");
    }
    text + "    }\n    return NULL;\n}\nint main(void) {\n    pthread_t thread;\n    void *failed;\n    \
            pthread_create(&thread, NULL, work, &thread);\n    pthread_join(thread, &failed);\n    return failed != NULL;\n}\n"
}

/// Arrays begin anywhere in a line.
fn draw_alignment(number: u32) -> u64 {
    u64::from(number) % 8
}

/// The bytes read and written in a segment, by line.
type Segment = BTreeMap<u64, (u64, u64)>;

/// The segments of the second thread.
fn segments(recording: &Recording) -> Vec<Segment> {
    let mut segments = vec![BTreeMap::new()];
    for entry in recording.records(1) {
        match entry.expect("the recording is whole").record {
            Record::Sync(_) => segments.push(BTreeMap::new()),
            Record::Access(access) if ARENA.contains(&(access.line * 64)) => {
                let last = segments.last_mut().expect("there is always one");
                let bytes: &mut (u64, u64) = last.entry(access.line).or_default();
                *bytes = (bytes.0 | access.reads, bytes.1 | access.writes);
            }
            Record::Access(_) => {}
        }
    }
    segments
}

/// Compiles the program with loops told once, or not; whether they were, and what was recorded.
fn run(source: &Path, [level, debug]: [&str; 2], once: bool) -> (bool, Vec<Segment>) {
    let name = |ending: &str| source.with_extension(format!("{once}{level}.{ending}"));
    let (object, program, directory) = (name("o"), name("out"), name("ft"));
    let mut compile = foretrace(&["cc", "--compiler", "clang-19", level, debug, "-c"]);
    compile.arg(source).arg("-o").arg(&object).env("FORETRACE_LOOPS", if once { "1" } else { "0" });
    let mut link = foretrace(&["cc", "--compiler", "clang-19"]);
    link.arg(&object).arg("-o").arg(&program);
    for command in [&mut compile, &mut link] {
        let outcome = finish(command, &directory);
        assert_eq!((outcome.code(), outcome.stderr.as_str()), (0, ""), "{command:?}");
    }
    let bytes = std::fs::read(&object).expect("it was compiled");
    let file = object::File::parse(&*bytes).expect("it is an object file");
    let (recording, outcome) = recorded(&program, &[], &directory);
    assert_eq!(outcome.code(), 0);
    (file.symbol_by_name("__foretrace_loop").is_some(), segments(&recording))
}

#[test]
fn loops_told_once_say_the_same() {
    let scratch = tempfile::tempdir().expect("a scratch directory can be made");
    for (seed, flags) in [(1, ["-O1", "-g"]), (2, ["-O2", "-g1"]), (3, ["-O3", "-g"])] {
        let source = scratch.path().join(format!("{seed}.c"));
        std::fs::write(&source, program(seed)).expect("a scratch file can be written");
        let ((hoisted, once), (plain, singly)) = (run(&source, flags, true), run(&source, flags, false));
        assert_eq!((hoisted, plain), (true, false), "{flags:?}");
        assert_eq!(once.len(), singly.len());
        for (segment, (once, singly)) in once.iter().zip(&singly).enumerate() {
            assert_eq!(once, singly, "segment {segment} of {}", program(seed));
        }
    }
}
