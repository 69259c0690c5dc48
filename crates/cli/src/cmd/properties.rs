//! The user's own properties, from files and from the library.

use super::script;
use crate::output;
use anyhow::{Context, bail};
use foretrace_event::Kind;
use foretrace_predict::Options;
use foretrace_property::{Properties, Template, library};
use foretrace_replay::Judge;
use foretrace_run::SeenViolation;
use foretrace_trace::{Recording, Symbols, Trace};
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A file of properties may have this many bytes.
const LONGEST: u64 = 1 << 20;

/// Properties that were asked for.
#[derive(Clone, Default)]
pub struct Asked {
    /// The properties.
    pub properties: Properties,
    /// The texts that they come from.
    texts: Vec<String>,
    /// Scripts in CSP_M: names and texts.
    pub scripts: Vec<(String, String)>,
    /// The specifications of events that properties of the library need.
    events: Vec<(&'static str, &'static str)>,
}

impl Asked {
    /// Reads the properties of these files, or those of the library with these names.
    pub fn read(names: &[String]) -> anyhow::Result<Self> {
        let mut asked = Self::default();
        for name in names {
            let path = Path::new(name);
            if script::is_script(name) {
                asked.scripts.push((name.clone(), script::read(name)?));
                continue;
            }
            match library::find(name).filter(|_| !path.is_file()) {
                Some(known) => {
                    asked.add(known.property.to_owned(), name)?;
                    asked.events.extend(Some((known.name, known.events)).filter(|(_, events)| !events.is_empty()));
                }
                None => asked.add(text(name)?, name)?,
            }
        }
        Ok(asked)
    }

    fn add(&mut self, text: String, name: &str) -> anyhow::Result<()> {
        let found: Properties = text.parse().with_context(|| format!("{name} is not a file of properties"))?;
        if found.templates().is_empty() {
            bail!("{name}: there is no property in this file; write one such as `never use(x) after free(x)`");
        }
        self.properties = std::mem::take(&mut self.properties).and(found);
        self.texts.push(text);
        Ok(())
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty() && self.scripts.is_empty()
    }

    /// Writes the specifications of events that properties of the library need, and returns where they are.
    pub fn write_events(&self, directory: &Path) -> io::Result<Vec<PathBuf>> {
        let write = |(name, events): &(&str, &str)| {
            let path = directory.join(format!("{name}.events"));
            fs::write(&path, events).map(|()| path)
        };
        self.events.iter().map(write).collect()
    }

    /// Keeps them in the folder of a finding.
    pub fn keep(&self, folder: &Path) -> io::Result<()> {
        let scripts = self.scripts.iter().map(|(_, text)| text).enumerate();
        scripts.clone().try_for_each(|(number, text)| fs::write(kept_script(folder, number), text))?;
        self.texts.iter().enumerate().try_for_each(|(number, text)| fs::write(kept(folder, number), text))
    }

    /// Reads what [`Self::keep`] has written.
    pub fn open(folder: &Path) -> anyhow::Result<Self> {
        let mut asked = Self::default();
        for path in (0..).map(|number| kept(folder, number)).take_while(|path| path.exists()) {
            let name = path.to_string_lossy().into_owned();
            asked.add(text(&name)?, &name)?;
        }
        for path in (0..).map(|number| kept_script(folder, number)).take_while(|path| path.exists()) {
            let name = path.to_string_lossy().into_owned();
            asked.scripts.push((name.clone(), script::read(&name)?));
        }
        Ok(asked)
    }

    /// What looks for violations in the recording of a replay; none if there are no properties.
    pub fn judge(&self) -> Option<Judge<'static>> {
        let options = Options { properties: self.properties.templates().to_vec(), ..Options::default() };
        let scripts = self.scripts.clone();
        let judge = move |directory: &Path| violations(directory, &options, &scripts).unwrap_or_default();
        (!self.is_empty()).then(|| Judge::new(judge))
    }
}

fn kept(folder: &Path, number: usize) -> PathBuf {
    folder.join(format!("property-{number}"))
}

fn kept_script(folder: &Path, number: usize) -> PathBuf {
    folder.join(format!("script-{number}.csp"))
}

fn text(name: &str) -> anyhow::Result<String> {
    let path = Path::new(name);
    if !path.exists() {
        let known: Vec<&str> = library::ALL.iter().map(|one| one.name).collect();
        bail!("{name}: no such file, and no property of the library; the library has {}", known.join(", "));
    }
    let bytes = foretrace_file::read(path, LONGEST).with_context(|| format!("cannot read {name}"))?;
    String::from_utf8(bytes).with_context(|| format!("{name} is not text in UTF-8"))
}

/// What a recorded run has violated. Accesses are not looked at; objects have names only if a property speaks of them.
fn violations(directory: &Path, options: &Options, scripts: &[(String, String)]) -> anyhow::Result<Vec<SeenViolation>> {
    let recording = Recording::open(directory)?;
    let mut trace = recording.trace_of_lines([])?;
    let is_operation = |name: &str| Kind::ALL.iter().any(|kind| kind.name() == name);
    if options.properties.iter().flat_map(Template::event_names).any(is_operation) {
        Symbols::new(&recording).name(&mut trace);
    }
    let failed = scripts.iter().flat_map(|(name, text)| script::observed(&trace, name, text)).collect();
    let mut found = foretrace_search::violations(&trace, options);
    found.extend(foretrace_search::told(&trace, failed));
    Ok(found)
}

/// Says which events of properties neither the trace nor a specification of events has: a typing error must not look like a property that holds.
pub(super) fn warn_of_unknown_events(trace: &Trace, templates: &[Template], specified: &BTreeSet<String>) {
    let known: BTreeSet<String> = trace.customs().map(|(id, _)| trace.name(id)).collect();
    let is_known = |name: &str| {
        known.contains(name) || specified.contains(name) || Kind::ALL.iter().any(|kind| kind.name() == name)
    };
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
