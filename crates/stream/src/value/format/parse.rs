//! The text of a format, taken apart and checked.
use super::Kind;

pub enum Piece {
    Text(String),
    Conversion(Spec),
}

/// One conversion.
pub struct Spec {
    pub flags: String,
    pub width: Option<usize>,
    pub precision: Option<usize>,
    pub kind: char,
    pub upper: bool,
    /// It names its argument, as in `%1$s` and `%<s`.
    pub indexed: bool,
}

/// A width or precision no terminal has is a mistake, and formatting it would only cost memory.
const MAX_WIDTH: usize = 10_000;
const MAX_PRECISION: usize = 1_000;

pub fn pieces(format: &str) -> Result<Vec<Piece>, String> {
    let mut out = Vec::new();
    let mut rest = format;
    while let Some(start) = rest.find('%') {
        out.push(Piece::Text(rest[..start].to_owned()));
        let (spec, len) = conversion(&rest[start + 1..])?;
        rest = &rest[start + 1 + len..];
        out.push(match spec.kind {
            '%' => Piece::Text(spec.pad("%".to_owned())),
            'n' => Piece::Text("\n".to_owned()),
            _ => Piece::Conversion(spec),
        });
    }
    out.push(Piece::Text(rest.to_owned()));
    Ok(out)
}

/// The conversion behind a `%`, and how many bytes it takes.
fn conversion(text: &str) -> Result<(Spec, usize), String> {
    let bad = || format!("`%{}` is not a conversion", text.chars().take(8).collect::<String>());
    let run = |from: usize, of: &str| text[from..].find(|c| !of.contains(c)).map_or(text.len(), |n| from + n);
    let digits = "0123456789";
    let index = run(0, digits);
    let index =
        if index > 0 && text[index..].starts_with('$') { index + 1 } else { usize::from(text.starts_with('<')) };
    if index > 1 && text[..index - 1] != *"1" {
        return Err(format!("`%{}` names an argument that there is not", &text[..index]));
    }
    let flags = run(index, "-#+ 0,(");
    let width = run(flags, digits);
    let mut end = width;
    let mut precision = None;
    if text[end..].starts_with('.') {
        end = run(width + 1, digits);
        precision = Some(text[width + 1..end].parse().map_err(|_| bad())?);
    }
    let kind = text[end..].chars().next().ok_or_else(bad)?;
    let width = if width > flags { Some(text[flags..width].parse().map_err(|_| bad())?) } else { None };
    if width.is_some_and(|width| width > MAX_WIDTH) || precision.is_some_and(|digits| digits > MAX_PRECISION) {
        return Err(bad());
    }
    let upper = "BHSXEGAC".contains(kind);
    let (flags, indexed) = (text[index..flags].to_owned(), index > 0);
    let spec = Spec { flags, width, precision, kind: kind.to_ascii_lowercase(), upper, indexed };
    if !"bhscdoxefga%n".contains(spec.kind) || (kind.is_uppercase() && !upper) {
        return Err(bad());
    }
    Ok((spec, end + kind.len_utf8()))
}

impl Spec {
    pub fn has(&self, flag: char) -> bool {
        self.flags.contains(flag)
    }

    /// Whether a value of a kind can be converted, and the flags make sense.
    pub fn check(&self, kind: Kind) -> Result<(), String> {
        let (wanted, allowed) = match self.kind {
            'd' => (Some(Kind::Int), "-+ 0,("),
            'o' | 'x' => (Some(Kind::Int), "-#+ 0("),
            'c' => (Some(Kind::Int), "-"),
            'e' => (Some(Kind::Float), "-#+ 0("),
            'f' => (Some(Kind::Float), "-#+ 0,("),
            'g' => (Some(Kind::Float), "-+ 0,("),
            'a' => (Some(Kind::Float), "-#+ 0"),
            _ => (None, "-"),
        };
        if wanted.is_some_and(|wanted| wanted != kind) {
            let (name, wanted) = (self.kind, if wanted == Some(Kind::Int) { "an integer" } else { "a float" });
            return Err(format!("`%{name}` needs {wanted}"));
        }
        if let Some(flag) = self.flags.chars().find(|flag| !allowed.contains(*flag)) {
            return Err(format!("`%{}` does not take the flag `{flag}`", self.kind));
        }
        if self.flags.chars().enumerate().any(|(at, flag)| self.flags[..at].contains(flag)) {
            return Err(format!("a flag of `%{}` is given twice", self.kind));
        }
        if (self.has('-') || self.has('0')) && self.width.is_none() {
            return Err(format!("the flag `-` or `0` of `%{}` needs a width", self.kind));
        }
        if (self.has('-') && self.has('0')) || (self.has('+') && self.has(' ')) {
            return Err(format!("the flags of `%{}` exclude each other", self.kind));
        }
        if self.precision.is_some() && "doxc".contains(self.kind) {
            return Err(format!("`%{}` does not take a precision", self.kind));
        }
        Ok(())
    }

    /// As many characters as the precision allows.
    pub fn cut(&self, text: String) -> String {
        text.chars().take(self.precision.unwrap_or(usize::MAX)).collect()
    }

    /// Filled up with blanks.
    pub fn pad(&self, text: String) -> String {
        let missing = self.width.unwrap_or(0).saturating_sub(text.chars().count());
        if self.has('-') { text + &" ".repeat(missing) } else { " ".repeat(missing) + &text }
    }

    /// A number of which only the digits are known: its sign, and what fills it up.
    pub fn signed(&self, negative: bool, digits: &str, zeros: bool) -> String {
        let (before, behind) = match negative {
            true if self.has('(') => ("(", ")"),
            true => ("-", ""),
            false if self.has('+') => ("+", ""),
            false if self.has(' ') => (" ", ""),
            false => ("", ""),
        };
        let len = before.len() + digits.chars().count() + behind.len();
        let missing = self.width.unwrap_or(0).saturating_sub(len);
        let fill = if self.has('0') && zeros { "0".repeat(missing) } else { String::new() };
        // Zeros go behind the `0x` of a number that has one.
        let (prefix, digits) = digits.strip_prefix("0x").map_or(("", digits), |rest| ("0x", rest));
        self.pad(format!("{before}{prefix}{fill}{digits}{behind}"))
    }

    /// The digits before the point in groups of three, if that is asked for.
    pub fn grouped(&self, digits: String) -> String {
        if !self.has(',') {
            return digits;
        }
        let (whole, fraction) = digits.find('.').map_or((digits.as_str(), ""), |dot| digits.split_at(dot));
        let mut out = String::new();
        for (index, digit) in whole.chars().enumerate() {
            if index > 0 && (whole.len() - index).is_multiple_of(3) {
                out.push(',');
            }
            out.push(digit);
        }
        out + fraction
    }
}
