//! The environment variables that Foretrace reads, and misspelt ones.

/// Every variable with our prefix, and its meaning.
pub const VARIABLES: [(&str, &str); 11] = [
    ("FORETRACE_CC", "the C compiler behind foretrace-cc"),
    ("FORETRACE_CXX", "the C++ compiler behind foretrace-c++"),
    ("FORETRACE_BRANCHES", "1: programs tell exploration what branches not taken may do (clang)"),
    ("FORETRACE_EVENTS", "specifications of the events that programs emit (clang), separated by colons"),
    ("FORETRACE_LOOPS", "0: accesses in counted loops are told one by one (clang)"),
    ("FORETRACE_VERBOSE", "1: compilations say which waits are not in loops that check a condition (clang)"),
    ("FORETRACE_CACHE", "where the runtime is unpacked"),
    ("FORETRACE_DEBUG_DIR", "directories with separate debug files, before /usr/lib/debug"),
    ("FORETRACE_NESTED", "how many wrappers there are above a compiler; set by foretrace itself"),
    ("FORETRACE_RUNTIME", "what the runtime does inside the program; set by foretrace itself"),
    ("FORETRACE_TOOL", "the process that started the program; set by foretrace itself"),
];

/// The names with our prefix that have no meaning, most often because of a typing error.
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
