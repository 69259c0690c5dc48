//! `foretrace.toml`: what a project says once, in place of flags. It is found from the working directory upwards.
//!
//! A key is a flag without its dashes. Keys before the first table are for every command that has the flag, those of a table
//! (`[check]`) for that command. What stands on the command line counts more.

use anyhow::{Context, bail};
use clap::builder::ValueParser;
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, Command};
use foretrace_instrumentation::nearest;
use std::any::TypeId;
use std::ffi::OsString;
use std::ops::Range;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use toml_edit::{Document, Item, Table, Value};

/// The name of the file.
pub const NAME: &str = "foretrace.toml";
/// It may have this many bytes.
const LONGEST: u64 = 1 << 20;
/// What the compiler wrapper, which has no flags of its own for clap, takes from it.
const WRAPPER: [&str; 1] = ["events"];
const WRAPPERS: [&str; 2] = ["cc", "c++"];

/// One key with its values.
#[derive(Debug)]
struct Setting {
    /// The command that it is for; none: all that have the flag.
    command: Option<String>,
    key: String,
    values: Vec<String>,
    /// Where it stands.
    at: Range<usize>,
}

/// A project's file.
#[derive(Debug)]
pub struct Project {
    path: PathBuf,
    text: String,
    settings: Vec<Setting>,
}

impl Project {
    /// The file that belongs to the working directory. One that somebody else owns is left alone, and that is said.
    pub fn find(commands: &Command) -> anyhow::Result<Option<Self>> {
        let here = std::env::current_dir().unwrap_or_default();
        let Some(path) = here.ancestors().map(|folder| folder.join(NAME)).find(|path| path.is_file()) else {
            return Ok(None);
        };
        let owner = path.metadata().with_context(|| format!("cannot read {}", path.display()))?.uid();
        if owner != rustix::process::geteuid().as_raw() && owner != 0 {
            crate::output::say!("{} belongs to another user, and is not used", path.display());
            return Ok(None);
        }
        let bytes = foretrace_file::read(&path, LONGEST).with_context(|| format!("cannot read {}", path.display()))?;
        let text = String::from_utf8(bytes).with_context(|| format!("{} is not text in UTF-8", path.display()))?;
        Self::parse(path, text, commands).map(Some)
    }

    /// Reads the text of the file.
    pub fn parse(path: PathBuf, text: String, commands: &Command) -> anyhow::Result<Self> {
        let mut project = Self { path, text, settings: Vec::new() };
        let document = match Document::parse(project.text.clone()) {
            Ok(document) => document,
            Err(error) => bail!(project.complaint(error.span().unwrap_or_default(), error.message())),
        };
        project.add(None, document.as_table())?;
        project.settings.iter().try_for_each(|setting| project.check(setting, commands))?;
        Ok(project)
    }

    /// Adds the settings of a table, and of those in it.
    fn add(&mut self, command: Option<&str>, table: &Table) -> anyhow::Result<()> {
        for (key, item) in table {
            let at = table.key(key).and_then(toml_edit::Key::span).or_else(|| item.span()).unwrap_or_default();
            match item {
                Item::Table(inner) if command.is_none() => self.add(Some(key), inner)?,
                Item::Value(value) => {
                    let Some(values) = values(value) else {
                        bail!(self.complaint(
                            value.span().unwrap_or(at),
                            "a value is a text, a number, true or false, or a list of these"
                        ));
                    };
                    let command = command.map(str::to_owned);
                    self.settings.push(Setting { command, key: key.to_owned(), values, at });
                }
                _ => bail!(self.complaint(at, "only the names of commands are tables, such as [check]")),
            }
        }
        Ok(())
    }

    /// Is it a flag of its command, or of any?
    fn check(&self, setting: &Setting, commands: &Command) -> anyhow::Result<()> {
        let Setting { command, key, at, .. } = setting;
        let known: Vec<&Command> = match command {
            None => commands.get_subcommands().collect(),
            Some(name) => {
                let found = commands.find_subcommand(name);
                let names = commands.get_subcommands().map(Command::get_name);
                vec![found.with_context(|| self.complaint(at.clone(), &unknown("command", name, names)))?]
            }
        };
        let flags = known.iter().flat_map(|command| flags(command)).filter_map(|(name, _)| name);
        let wrapped = known.iter().any(|command| WRAPPERS.contains(&command.get_name()));
        let mut names: Vec<&str> = flags.chain(WRAPPER.into_iter().filter(|_| wrapped)).collect();
        names.sort_unstable();
        names.dedup();
        if names.contains(&key.as_str()) {
            Ok(())
        } else {
            bail!(self.complaint(at.clone(), &unknown("flag", key, names.into_iter())))
        }
    }

    /// The settings for a command. Those in its own table come last.
    fn of(&self, command: &str) -> impl Iterator<Item = &Setting> {
        let general = self.settings.iter().filter(|setting| setting.command.is_none());
        let own = self.settings.iter().filter(move |setting| setting.command.as_deref() == Some(command));
        let replaced = move |setting: &&Setting| {
            !self.settings.iter().any(|other| other.command.as_deref() == Some(command) && other.key == setting.key)
        };
        general.filter(replaced).chain(own)
    }

    /// A file that a setting names begins where the project's file lies.
    fn beside(&self, value: &str) -> PathBuf {
        self.path.parent().unwrap_or(Path::new("")).join(value)
    }

    /// The specifications of events for the compiler wrapper.
    pub fn events(&self, wrapper: &str) -> Vec<PathBuf> {
        let settings = self.of(wrapper).filter(|setting| setting.key == WRAPPER[0]);
        settings.flat_map(|setting| &setting.values).map(|value| self.beside(value)).collect()
    }

    /// The arguments of a call with what the project says besides. Flags that stand there already, or that exclude each other
    /// with those, are left out.
    pub fn complete(&self, commands: &Command, args: Vec<OsString>) -> anyhow::Result<Vec<OsString>> {
        let Ok(matches) = commands.clone().try_get_matches_from(&args) else { return Ok(args) };
        let Some((name, given)) = matches.subcommand() else { return Ok(args) };
        let Some(command) = commands.find_subcommand(name).filter(|_| !WRAPPERS.contains(&name)) else {
            return Ok(args);
        };
        let Some(place) = args.iter().position(|word| command_is(command, word)).map(|at| at + 1) else {
            return Ok(args);
        };
        let mut added: Vec<OsString> = Vec::new();
        for setting in self.of(name) {
            let Some((_, arg)) = flags(command).find(|(flag, _)| *flag == Some(&setting.key)) else { continue };
            if given.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine) {
                continue;
            }
            let words = self.words(setting, arg);
            let with = |more: &[OsString]| [&args[..place], more, &args[place..]].concat();
            match commands.clone().try_get_matches_from(with(&[&added[..], &words].concat())) {
                Err(error) if error.kind() == ErrorKind::ArgumentConflict => {}
                Err(error) => bail!(self.complaint(setting.at.clone(), first_line(&error.to_string()))),
                Ok(_) => added.extend(words),
            }
        }
        Ok([&args[..place], &added, &args[place..]].concat())
    }

    /// A setting as words of a command line.
    fn words(&self, setting: &Setting, arg: &Arg) -> Vec<OsString> {
        let key = &setting.key;
        let is_switch = matches!(arg.get_action(), ArgAction::SetTrue);
        if is_switch && setting.values.iter().any(|value| value == "false") {
            return Vec::new();
        }
        if is_switch && setting.values == ["true"] {
            return vec![format!("--{key}").into()];
        }
        let is_path = is_path(arg.get_value_parser());
        let word = |value: &String| {
            let beside = self.beside(value);
            let mut word = OsString::from(format!("--{key}="));
            word.push(if is_path || beside.exists() { beside.into_os_string() } else { value.into() });
            word
        };
        setting.values.iter().map(word).collect()
    }

    /// A message with its position, the line, and carets below what is wrong.
    fn complaint(&self, at: Range<usize>, message: &str) -> String {
        let start = at.start.min(self.text.len());
        let before = self.text.get(..start).unwrap_or_default();
        let (line, begin) = (before.matches('\n').count(), before.rfind('\n').map_or(0, |end| end + 1));
        let column = before[begin..].chars().count();
        let source = self.text.lines().nth(line).unwrap_or_default().replace('\t', " ");
        let length = self.text.get(at).map_or(1, |wrong| wrong.chars().count());
        let (source, column_shown, width) = foretrace_file::excerpt(&source, column, length);
        let (path, carets) = (self.path.display(), "^".repeat(width.max(1)));
        format!("{path}:{}:{}: {message}\n  {source}\n  {}{carets}", line + 1, column + 1, " ".repeat(column_shown))
    }
}

/// The flags of a command, by their long names.
fn flags(command: &Command) -> impl Iterator<Item = (Option<&str>, &Arg)> {
    command.get_arguments().map(|arg| (arg.get_long(), arg))
}

fn is_path(parser: &ValueParser) -> bool {
    parser.type_id() == TypeId::of::<PathBuf>()
}

fn command_is(command: &Command, word: &OsString) -> bool {
    let word = word.to_str().unwrap_or_default();
    command.get_name() == word || command.get_all_aliases().any(|alias| alias == word)
}

fn values(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::String(text) => Some(vec![text.value().clone()]),
        Value::Integer(number) => Some(vec![number.value().to_string()]),
        Value::Float(number) => Some(vec![number.value().to_string()]),
        Value::Boolean(is) => Some(vec![is.value().to_string()]),
        Value::Array(list) => list
            .iter()
            .map(|value| values(value).filter(|_| !value.is_array()))
            .collect::<Option<Vec<_>>>()
            .map(|all| all.concat()),
        Value::Datetime(_) | Value::InlineTable(_) => None,
    }
}

fn unknown<'a>(what: &str, name: &str, known: impl Iterator<Item = &'a str>) -> String {
    match nearest(name, known)[..] {
        [] => format!("there is no {what} `{name}`; `foretrace help` lists commands and their flags"),
        ref near => format!("there is no {what} `{name}`; the nearest is {}", near.join(", ")),
    }
}

fn first_line(message: &str) -> &str {
    message.lines().next().unwrap_or_default().trim_start_matches("error: ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn parsed(text: &str) -> anyhow::Result<Project> {
        Project::parse("/p/foretrace.toml".into(), text.to_owned(), &crate::Cli::command())
    }

    fn completed(text: &str, args: &str) -> Result<String, String> {
        let args = args.split(' ').map(OsString::from).collect();
        let done = parsed(text).and_then(|project| project.complete(&crate::Cli::command(), args));
        let words = done.map_err(|error| error.to_string())?;
        Ok(words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn flags_that_are_not_given_are_added() {
        let text = "events = [\"a.events\", \"b.events\"]\nbudget = \"30s\"\n[check]\nall = true\nreplays = 3\n";
        let full = "foretrace check --events=/p/a.events --events=/p/b.events --budget=30s --all --replays=3 a.c";
        assert_eq!(completed(text, "foretrace check a.c").unwrap(), full);
        assert_eq!(
            completed(text, "foretrace check --budget 1s --replays 1 a.c").unwrap(),
            "foretrace check --events=/p/a.events --events=/p/b.events --all --budget 1s --replays 1 a.c"
        );
        // Other commands have no such flags, and a recording needs no compiler.
        assert_eq!(completed(text, "foretrace doctor").unwrap(), "foretrace doctor");
        assert_eq!(
            completed("cflags = \"-O2\"", "foretrace check --recording r.ft").unwrap(),
            "foretrace check --recording r.ft"
        );
        assert_eq!(parsed(text).unwrap().events("cc"), [Path::new("/p/a.events"), Path::new("/p/b.events")]);
    }

    #[test]
    fn mistakes_are_shown_where_they_are() {
        for (text, expected) in [
            (
                "budgt = \"3s\"",
                "/p/foretrace.toml:1:1: there is no flag `budgt`; the nearest is budget\n  budgt = \"3s\"\n  ^^^^^",
            ),
            ("\n[chek]\nall = true", "/p/foretrace.toml:3:1: there is no command `chek`; the nearest is check"),
            ("[check]\nbudget = \"3 apples\"", "/p/foretrace.toml:2:1: invalid value '3 apples' for '--budget <TIME>'"),
            ("[check.more]\nx = 1", "/p/foretrace.toml:1:8: only the names of commands are tables"),
            ("budget = 2020-01-01", "/p/foretrace.toml:1:10: a value is a text"),
            ("budget = ", "/p/foretrace.toml:1:"),
        ] {
            let error = completed(text, "foretrace check a.c").unwrap_err();
            assert!(error.starts_with(expected), "{text}: {error}");
        }
    }
}
