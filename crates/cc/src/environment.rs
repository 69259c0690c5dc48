//! The environment variables Foretrace reads, and those that look as if it should.

/// Every variable with our prefix that means something, and what it means.
pub const VARIABLES: [(&str, &str); 7] = [
    ("FORETRACE_CC", "the C compiler behind foretrace-cc"),
    ("FORETRACE_CXX", "the C++ compiler behind foretrace-c++"),
    ("FORETRACE_LOOPS", "0: accesses in counted loops are told one by one (clang)"),
    ("FORETRACE_CACHE", "where the runtime is unpacked"),
    ("FORETRACE_DEBUG_DIR", "directories with separate debug files, before /usr/lib/debug"),
    ("FORETRACE_RUNTIME", "what the runtime does inside the program; set by foretrace itself"),
    ("FORETRACE_TOOL", "the process that started the program; set by foretrace itself"),
];

/// Of these names, those that begin like ours and mean nothing: most often a slip of the keyboard.
pub fn unknown_variables<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let known = |name: &str| VARIABLES.iter().any(|(variable, _)| *variable == name);
    names.into_iter().filter(|name| name.starts_with("FORETRACE_") && !known(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::unknown_variables;

    #[test]
    fn only_ours_that_mean_nothing() {
        assert_eq!(unknown_variables(["HOME", "FORETRACE_CC", "FORETRACE_CCX"]), ["FORETRACE_CCX"]);
    }
}
