//! The fields of a line.

use foretrace_event::wire::Op;

/// The deepest stack that is read.
const MAX_STACK: usize = 4096;

/// The `key=value` words of a line.
pub struct Fields<'a>(Vec<(&'a str, &'a str)>);

impl<'a> Fields<'a> {
    pub fn new(rest: &'a str) -> Result<Self, String> {
        let pair = |word: &'a str| word.split_once('=').ok_or_else(|| format!("`{word}` is not key=value"));
        rest.split(' ').filter(|word| !word.is_empty()).map(pair).collect::<Result<_, _>>().map(Self)
    }

    pub fn get(&self, key: &str) -> Result<&'a str, String> {
        self.0.iter().find(|(name, _)| *name == key).map(|(_, value)| *value).ok_or_else(|| format!("no {key}="))
    }

    pub fn decimal<T: std::str::FromStr>(&self, key: &str) -> Result<T, String> {
        let value = self.get(key)?;
        value.parse().map_err(|_| format!("{key}={value} is no number"))
    }

    pub fn hex(&self, key: &str) -> Result<u64, String> {
        hex(self.get(key)?).ok_or_else(|| format!("{key}={} is no hexadecimal number", self.get(key).unwrap_or("")))
    }

    pub fn list(&self, key: &str) -> Result<Vec<u64>, String> {
        let value = self.get(key)?;
        let words = value.split(',').filter(|word| !word.is_empty()).take(MAX_STACK);
        words.map(|word| hex(word).ok_or_else(|| format!("{key}: {word} is no hexadecimal number"))).collect()
    }

    /// An operation: its name, or its number.
    pub fn op(&self, key: &str) -> Result<String, String> {
        let value = self.get(key)?;
        let known = |op: &Op| op.name() == value || hex(value) == Some(u64::from(*op as u8));
        Ok(Op::all().find(known).map_or(value, |op| op.name()).to_owned())
    }
}

fn hex(text: &str) -> Option<u64> {
    u64::from_str_radix(text.trim_start_matches("0x"), 16).ok()
}
