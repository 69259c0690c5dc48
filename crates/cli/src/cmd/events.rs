//! Specifications of events: reading them, and what a program has of them.

use super::probes::Probes;
use crate::output;
use anyhow::{Context, bail};
use foretrace_instrumentation::{Instrumentation, Order, What, demangled, nearest};
use foretrace_llvm::SECTION;
use object::{Object, ObjectSection, ObjectSymbol};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A specification may have this many bytes.
const LONGEST: u64 = 1 << 20;

/// Reads specifications: the orders of all of them.
pub fn read(files: &[PathBuf]) -> anyhow::Result<Vec<Order>> {
    let mut orders = Vec::new();
    for file in files {
        let name = file.display();
        if file.extension().is_some_and(|extension| extension == "tessla") {
            orders.extend(annotated(file)?);
            continue;
        }
        let bytes = foretrace_file::read(file, LONGEST).with_context(|| format!("cannot read {name}"))?;
        let text = String::from_utf8(bytes).with_context(|| format!("{name} is not text in UTF-8"))?;
        match Instrumentation::parse(&text) {
            Ok(found) if found.orders.is_empty() => {
                bail!("{name}: there is no event in this file; write one such as `open(#return) after call open_file`")
            }
            Ok(found) => orders.extend(found.orders),
            Err(error) => bail!("{}", error.show(&name.to_string(), &text)),
        }
    }
    Ok(orders)
}

/// The orders that the annotations of a specification of streams stand for.
fn annotated(file: &Path) -> anyhow::Result<Vec<Order>> {
    let probes = Probes::read(file)?;
    if probes.is_empty() {
        bail!(
            "{}: no input of this specification asks for events; annotate one, as in `@InstFunctionCall(\"open_file\")`",
            file.display()
        );
    }
    Ok(probes.orders().cloned().collect())
}

/// The names of the events that these files of a program emit.
pub fn emitted<'a>(files: impl IntoIterator<Item = &'a Path>) -> BTreeSet<String> {
    let mut found = Found::default();
    files.into_iter().for_each(|file| found.add(file));
    found.orders
}

/// Says which targets match nothing in a program and its libraries, with the nearest names.
pub fn warn_of_unmatched(orders: &[Order], files: &[PathBuf]) {
    let mut found = Found::default();
    files.iter().for_each(|file| found.add(file));
    for order in orders.iter().filter(|order| !found.orders.contains(&order.to_string())) {
        let target = order.target.text();
        let near = match order.what {
            What::Line => Vec::new(),
            _ => nearest(target, found.names.iter().map(String::as_str)),
        };
        let near = match near[..] {
            [] => String::new(),
            _ => format!("; the nearest names are {}", near.join(", ")),
        };
        output::say!(
            "warning: `{target}` (line {} of the specification) matches nothing in the program{near}",
            order.line
        );
    }
}

/// The names of the events that a program may emit.
pub fn specified(program: &Path) -> BTreeSet<String> {
    let mut found = Found::default();
    found.add(program);
    found.orders.iter().filter_map(|order| Some(order.split(['(', ' ']).next()?.to_owned())).collect()
}

/// What programs have.
#[derive(Default)]
struct Found {
    /// The orders that have join-points.
    orders: BTreeSet<String>,
    /// The names of functions and variables.
    names: BTreeSet<String>,
}

impl Found {
    fn add(&mut self, file: &Path) {
        let Ok(bytes) = std::fs::read(file) else { return };
        let Ok(object) = object::File::parse(&*bytes) else { return };
        let sections = object.sections().filter(|section| section.name() == Ok(SECTION));
        for data in sections.filter_map(|section| section.data().ok()) {
            self.orders
                .extend(data.split(|byte| *byte == 0).filter_map(|text| Some(str::from_utf8(text).ok()?.to_owned())));
        }
        for symbol in object.symbols().filter_map(|symbol| symbol.name().ok().map(str::to_owned)) {
            let plain = demangled(&symbol);
            let plain = plain.split('(').next().unwrap_or_default().to_owned();
            self.names.extend([plain].into_iter().filter(|name| !name.is_empty() && !name.starts_with("__")));
        }
    }
}

/// What a call of the compiler links: its output, and the libraries that it names as files or with `-L` and `-l`.
pub fn linked(args: &[String]) -> Vec<PathBuf> {
    let after = |flag: &str| {
        let joined = args.iter().filter_map(|word| word.strip_prefix(flag)).filter(|rest| !rest.is_empty());
        let apart = args.windows(2).filter(|pair| pair[0] == flag).map(|pair| pair[1].as_str());
        joined.chain(apart).map(str::to_owned).collect::<Vec<_>>()
    };
    let output = after("-o").pop().unwrap_or_else(|| "a.out".to_owned());
    let libraries = args.iter().filter(|word| !word.starts_with('-') && word.contains(".so")).map(PathBuf::from);
    let directories = after("-L");
    let named = after("-l");
    let searched = directories
        .iter()
        .flat_map(|directory| named.iter().map(move |name| Path::new(directory).join(format!("lib{name}.so"))));
    [output.into()].into_iter().chain(libraries).chain(searched).collect()
}
