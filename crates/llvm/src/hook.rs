//! Hooks: the calls that report accesses.

use crate::function::Function;
use crate::module::Module;
use crate::text::{close, split};
use std::fmt;

/// The kind of an access.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// It reads.
    Read,
    /// It writes.
    Write,
    /// It does both.
    Both,
}

impl Kind {
    const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Both => "read_write",
        }
    }

    /// The number that the runtime uses.
    const fn number(self) -> u64 {
        match self {
            Self::Read => 1,
            Self::Write => 2,
            Self::Both => 3,
        }
    }
}

/// A call that reports accesses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hook {
    /// The kind of the accesses.
    pub kind: Kind,
    /// The size of one access in bytes.
    pub size: u64,
    /// Is each access within one cache line?
    pub aligned: bool,
    /// The first address.
    pub address: String,
    /// The step and the number of accesses, if there are more than one.
    pub series: Option<(String, String)>,
    /// The metadata after the call, with its comma.
    pub place: String,
}

const LOOP: &str = "  call void @__foretrace_loop(ptr ";

impl Hook {
    /// Reads a line; `None` if it is not a hook.
    pub fn parse(line: &str) -> Option<Self> {
        if let Some(rest) = line.strip_prefix(LOOP) {
            return Self::parse_series(rest);
        }
        let rest = line.trim_start().strip_prefix("tail ").unwrap_or(line.trim_start());
        let rest = rest.strip_prefix("call void @__tsan_")?;
        let (name, rest) = rest.split_once("(ptr ")?;
        let (aligned, name) = name.strip_prefix("unaligned_").map_or((true, name), |name| (false, name));
        let digits = name.find(|c: char| c.is_ascii_digit())?;
        let kind = match &name[..digits] {
            "read" => Kind::Read,
            "write" => Kind::Write,
            "read_write" => Kind::Both,
            _ => return None,
        };
        let size: u64 = name[digits..].parse().ok().filter(|size| [1, 2, 4, 8, 16].contains(size))?;
        let (address, place) = close(rest)?;
        Some(Self {
            kind,
            size,
            aligned: aligned && size < 16,
            address: address.to_owned(),
            series: None,
            place: place.to_owned(),
        })
    }

    fn parse_series(rest: &str) -> Option<Self> {
        let (arguments, place) = close(rest)?;
        let [address, step, count, what] = split(arguments)?.try_into().ok()?;
        let operand = |part: &str| part.strip_prefix("i64 ").map(str::to_owned);
        let what: u64 = operand(what)?.parse().ok()?;
        // A size without a specific hook is reported as a series of one.
        let series = (operand(step)?, operand(count)?);
        let series = Some(series).filter(|(_, count)| count != "1");
        let kind = [Kind::Read, Kind::Write, Kind::Both].into_iter().find(|kind| kind.number() == what >> 32)?;
        Some(Self {
            kind,
            size: what & 0xffff_ffff,
            aligned: false,
            address: address.to_owned(),
            series,
            place: place.to_owned(),
        })
    }
}

impl fmt::Display for Hook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, size, aligned, address, series, place } = self;
        match series {
            Some((step, count)) => {
                let what = kind.number() << 32 | size;
                write!(f, "{LOOP}{address}, i64 {step}, i64 {count}, i64 {what}){place}")
            }
            None if *aligned => write!(f, "  call void @__tsan_{}{size}(ptr {address}){place}", kind.name()),
            None if [2, 4, 8, 16].contains(size) => {
                write!(f, "  call void @__tsan_unaligned_{}{size}(ptr {address}){place}", kind.name())
            }
            None => {
                let what = kind.number() << 32 | size;
                write!(f, "{LOOP}{address}, i64 0, i64 1, i64 {what}){place}")
            }
        }
    }
}

/// May a segment end here, or may anything else happen that an access must not be moved across?
pub fn is_barrier(line: &str) -> bool {
    let code = line.trim_start();
    let code = code.split_once(" = ").filter(|(name, _)| name.starts_with('%')).map_or(code, |(_, code)| code);
    let operation = code.split(' ').next().unwrap_or_default();
    match operation {
        "call" | "tail" | "musttail" | "notail" => Hook::parse(line).is_none() && !calls_harmless(code),
        "invoke" | "callbr" | "fence" | "cmpxchg" | "atomicrmw" | "va_arg" => true,
        "load" | "store" => code.split(' ').nth(1) == Some("atomic"),
        _ => false,
    }
}

/// Intrinsics that are pure arithmetic or have no effect. Those that move memory have been replaced by functions.
fn calls_harmless(code: &str) -> bool {
    const HARMLESS: [&str; 36] = [
        "abs",
        "assume",
        "bitreverse",
        "bswap",
        "ceil",
        "copysign",
        "cos",
        "ctlz",
        "ctpop",
        "cttz",
        "dbg",
        "exp",
        "fabs",
        "floor",
        "fma",
        "fmuladd",
        "fshl",
        "fshr",
        "log",
        "maxnum",
        "minnum",
        "pow",
        "rint",
        "round",
        "sadd",
        "sin",
        "smax",
        "smin",
        "smul",
        "sqrt",
        "ssub",
        "uadd",
        "umax",
        "umin",
        "umul",
        "usub",
    ];
    let Some((_, name)) = code.split_once("@llvm.") else { return false };
    let name = name.split(['.', '(']).next().unwrap_or_default();
    HARMLESS.contains(&name) || code.contains("@llvm.vector.reduce.")
}

/// Rewrites the functions that have hooks; returns whether anything changed.
pub fn rewrite_hooks(module: &mut Module<'_>, change: impl Fn(&mut Function) -> bool) -> bool {
    let mut changed = false;
    for definition in module.definitions_mut().filter(|definition| definition.mentions("@__tsan_")) {
        changed |= definition.rewrite(&change) == Some(true);
    }
    if changed {
        declare(module);
    }
    changed
}

/// Declares the hooks that rewritten functions call and that the module did not use before.
fn declare(module: &mut Module<'_>) {
    for kind in [Kind::Read, Kind::Write, Kind::Both] {
        for size in [2, 4, 8, 16] {
            let name = format!("@__tsan_unaligned_{}{size}(", kind.name());
            declare_if_called(module, &name, "ptr");
        }
    }
    declare_if_called(module, "@__foretrace_loop(", "ptr, i64, i64, i64");
}

fn declare_if_called(module: &mut Module<'_>, name: &str, parameters: &str) {
    if module.definitions().any(|definition| definition.mentions(name)) {
        module.declare(&format!("void {name}{parameters})"));
    }
}
