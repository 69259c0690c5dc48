//! A table of the names that scripts have without defining them.

/// Names that stand for functions of one group of arguments.
pub const FUNCTIONS: &[&str] = &[
    "union",
    "inter",
    "diff",
    "Union",
    "Inter",
    "member",
    "card",
    "empty",
    "set",
    "Set",
    "Seq",
    "seq",
    "length",
    "null",
    "head",
    "tail",
    "concat",
    "elem",
    "mapFromList",
    "mapLookup",
    "mapMember",
    "mapToList",
    "mapUpdate",
    "mapUpdateMultiple",
    "mapDelete",
    "Map",
    "extensions",
    "productions",
    "error",
    "show",
    "CHAOS",
    "RUN",
];

/// Functions that must be declared `transparent` or `external` before use.
pub const DECLARED: &[&str] = &[
    "explicate",
    "lazyenumerate",
    "diamond",
    "normal",
    "lazynorm",
    "sbisim",
    "wbisim",
    "dbisim",
    "tau_loop_factor",
    "model_compress",
    "chase",
    "chase_nocache",
    "deter",
    "loop",
    "prioritise",
    "prioritise_nocache",
    "prioritisepo",
    "mtransclose",
    "relational_image",
    "relational_inverse_image",
    "transpose",
    "timed_priority",
    "failure_watchdog",
    "trace_watchdog",
];

/// The prefix under which the prelude names what a script may have redefined.
pub const ALIAS: &str = "csp_";

/// The name without the prelude's prefix.
pub fn plain(name: &str) -> &str {
    name.strip_prefix(ALIAS).unwrap_or(name)
}

/// The word that declares one of them.
pub fn declaration_of(name: &str) -> &'static str {
    let external = ["deter", "loop", "prioritise", "prioritise_nocache", "timed_priority"];
    let more = [
        "failure_watchdog",
        "trace_watchdog",
        "prioritisepo",
        "mtransclose",
        "relational_image",
        "relational_inverse_image",
        "transpose",
    ];
    if external.contains(&name) || more.contains(&name) { "external" } else { "transparent" }
}
