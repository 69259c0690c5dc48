//! Random finite processes, and the script that says the same.

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Process {
    Stop,
    Skip,
    Div,
    Prefix(u8, Box<Process>),
    External(Box<Process>, Box<Process>),
    Internal(Box<Process>, Box<Process>),
    Sliding(Box<Process>, Box<Process>),
    Sequential(Box<Process>, Box<Process>),
    Interrupt(Box<Process>, Box<Process>),
    Parallel(Box<Process>, u8, Box<Process>),
    Alphabetised(Box<Process>, u8, u8, Box<Process>),
    Hide(Box<Process>, u8),
    Rename(Box<Process>, Vec<(u8, u8)>),
    Exception(Box<Process>, u8, Box<Process>),
    Compressed(&'static str, Box<Process>),
}

/// Random processes.
pub struct Random(foretrace_event::Random);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(foretrace_event::Random::new(seed))
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.0.below(n)
    }

    fn event(&mut self) -> u8 {
        self.below(3) as u8
    }

    fn events(&mut self) -> u8 {
        self.below(8) as u8
    }
}

pub const COMPRESSIONS: [&str; 7] = ["sbisim", "wbisim", "dbisim", "diamond", "normal", "tau_loop_factor", "explicate"];

pub fn random(r: &mut Random, size: u32) -> Process {
    if size == 0 {
        return match r.below(8) {
            0..=2 => Process::Stop,
            3..=6 => Process::Skip,
            _ => Process::Div,
        };
    }
    let left = r.below(u64::from(size)) as u32;
    let one = |r: &mut Random| Box::new(random(r, size - 1));
    match r.below(22) {
        0..=6 => {
            let e = r.event();
            Process::Prefix(e, one(r))
        }
        7 | 8 => Process::Hide(one(r), r.events()),
        9 => {
            let pairs = (0..1 + r.below(3)).map(|_| (r.event(), r.event())).collect();
            Process::Rename(one(r), pairs)
        }
        10 => Process::Compressed(COMPRESSIONS[r.below(7) as usize], one(r)),
        which => {
            let p = Box::new(random(r, left));
            let q = Box::new(random(r, size - 1 - left));
            match which {
                11 | 12 => Process::External(p, q),
                13 => Process::Internal(p, q),
                14 => Process::Sliding(p, q),
                15 | 16 => Process::Sequential(p, q),
                17 => Process::Interrupt(p, q),
                18 => Process::Exception(p, r.events(), q),
                19 => Process::Alphabetised(p, r.events(), r.events(), q),
                _ => Process::Parallel(p, r.events(), q),
            }
        }
    }
}

fn set(events: u8) -> String {
    let names: Vec<&str> = (0..3).filter(|e| events >> e & 1 == 1).map(|e| NAMES[e]).collect();
    format!("{{{}}}", names.join(", "))
}

pub const NAMES: [&str; 4] = ["a", "b", "c", "✓"];

/// Writes a process, giving some of its parts names of their own.
pub fn script(p: &Process, r: &mut Random, decls: &mut Vec<String>) -> String {
    let text = write(p, r, decls);
    if r.below(3) > 0 {
        return format!("({text})");
    }
    let name = format!("P{}", decls.len());
    if r.below(2) == 0 {
        decls.push(format!("{name} = {text}"));
        name
    } else {
        decls.push(format!("{name}(n) = if n > 0 then {name}(n - 1) else {text}"));
        format!("{name}({})", r.below(3))
    }
}

fn write(p: &Process, r: &mut Random, decls: &mut Vec<String>) -> String {
    let mut both = |p: &Process, op: String, q: &Process| {
        let (p, q) = (script(p, r, decls), script(q, r, decls));
        format!("{p} {op} {q}")
    };
    match p {
        Process::Stop => "STOP".into(),
        Process::Skip => "SKIP".into(),
        Process::Div => "DIV".into(),
        Process::Prefix(e, p) => format!("{} -> {}", NAMES[*e as usize], script(p, r, decls)),
        Process::External(p, q) => both(p, "[]".into(), q),
        Process::Internal(p, q) => both(p, "|~|".into(), q),
        Process::Sliding(p, q) => both(p, "[>".into(), q),
        Process::Sequential(p, q) => both(p, ";".into(), q),
        Process::Interrupt(p, q) => both(p, "/\\".into(), q),
        Process::Parallel(p, 0, q) => both(p, "|||".into(), q),
        Process::Parallel(p, a, q) => both(p, format!("[|{}|]", set(*a)), q),
        Process::Alphabetised(p, a, b, q) => both(p, format!("[{} || {}]", set(*a), set(*b)), q),
        Process::Exception(p, a, q) => both(p, format!("[|{}|>", set(*a)), q),
        Process::Hide(p, a) => format!("{} \\ {}", script(p, r, decls), set(*a)),
        Process::Rename(p, pairs) => {
            let pairs: Vec<_> =
                pairs.iter().map(|(f, t)| format!("{} <- {}", NAMES[*f as usize], NAMES[*t as usize])).collect();
            format!("{} [[{}]]", script(p, r, decls), pairs.join(", "))
        }
        Process::Compressed(name, p) => format!("{name}({})", script(p, r, decls)),
    }
}
