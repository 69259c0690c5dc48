//! Quantities on the command line.

/// A number of bytes, with K, M, G or T for powers of 1024.
pub fn parse_size(text: &str) -> Result<u64, String> {
    let units = ["", "K", "M", "G", "T"];
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let unit = text[digits.len()..].trim_end_matches(['B', 'b', 'i']).to_ascii_uppercase();
    let power = units.iter().position(|known| *known == unit);
    let size = digits.parse::<u64>().ok().zip(power).and_then(|(n, power)| n.checked_mul(1 << (10 * power)));
    size.ok_or_else(|| format!("{text} is no size; say it as 500M or 2G"))
}

#[cfg(test)]
mod tests {
    use super::parse_size;

    #[test]
    fn sizes() {
        assert_eq!(parse_size("12"), Ok(12));
        assert_eq!(parse_size("2G"), Ok(2 << 30));
        assert_eq!(parse_size("500MiB"), Ok(500 << 20));
        assert!(parse_size("").is_err());
        assert!(parse_size("1X").is_err());
        assert!(parse_size("99999999999999T").is_err());
    }
}
