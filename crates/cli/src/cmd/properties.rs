//! The user's own properties, from files and from the library.

use crate::output;
use anyhow::{Context, bail};
use foretrace_event::Kind;
use foretrace_property::{Properties, Template, library};
use foretrace_trace::Trace;
use std::collections::BTreeSet;
use std::path::Path;

/// A file of properties may have this many bytes.
const LONGEST: u64 = 1 << 20;

/// Reads the properties of these files, or those of the library with these names.
pub(super) fn read(names: &[String]) -> anyhow::Result<Properties> {
    let mut all = Properties::default();
    for name in names {
        all = all.and(one(name)?);
    }
    Ok(all)
}

fn one(name: &str) -> anyhow::Result<Properties> {
    let path = Path::new(name);
    if let Some(known) = library::find(name).filter(|_| !path.is_file()) {
        return Ok(known.property.parse().expect("the properties of the library are correct, as a test shows"));
    }
    if !path.exists() {
        let known: Vec<&str> = library::ALL.iter().map(|one| one.name).collect();
        bail!("{name}: no such file, and no property of the library; the library has {}", known.join(", "));
    }
    let bytes = foretrace_file::read(path, LONGEST).with_context(|| format!("cannot read {name}"))?;
    let text = String::from_utf8(bytes).with_context(|| format!("{name} is not text in UTF-8"))?;
    let properties: Properties = text.parse().with_context(|| format!("{name} is not a file of properties"))?;
    if properties.templates().is_empty() {
        bail!("{name}: there is no property in this file; write one such as `never use(x) after free(x)`");
    }
    Ok(properties)
}

/// Says which events of properties the trace does not have: a typing error must not look like a property that holds.
pub(super) fn warn_of_unknown_events(trace: &Trace, templates: &[Template]) {
    let known: BTreeSet<String> = trace.customs().map(|(id, _)| trace.name(id)).collect();
    let is_known = |name: &str| known.contains(name) || Kind::ALL.iter().any(|kind| kind.name() == name);
    for template in templates {
        let names: BTreeSet<&str> = template.event_names().filter(|name| !is_known(name)).collect();
        for name in names {
            let has = if known.is_empty() { "no custom events".to_owned() } else { listed(&known) };
            output::say!("property {}: the run has no event `{name}`; it has {has}", template.name);
        }
    }
}

fn listed(names: &BTreeSet<String>) -> String {
    let shown: Vec<&str> = names.iter().take(10).map(String::as_str).collect();
    format!("{}{}", shown.join(", "), if names.len() > shown.len() { ", …" } else { "" })
}
