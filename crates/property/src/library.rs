//! Properties that come with Foretrace, each with the events that it needs.

/// A property of the library.
#[derive(Clone, Copy, Debug)]
pub struct BuiltIn {
    /// What `--property` calls it.
    pub name: &'static str,
    /// Its events, in the language of event specifications; empty if the program must report them itself.
    pub events: &'static str,
    /// Its properties.
    pub property: &'static str,
}

macro_rules! library {
    ($($name:literal,)*) => {
        /// All of them, by name.
        pub const ALL: &[BuiltIn] = &[$(BuiltIn {
            name: $name,
            events: include_str!(concat!("../library/", $name, ".events")),
            property: include_str!(concat!("../library/", $name, ".property")),
        },)*];
    };
}

library! {
    "atomic-regions",
    "file-handles",
    "initialise-once",
    "malloc-free",
    "pthread-objects",
    "sockets",
    "sqlite",
}

/// The one with this name.
pub fn find(name: &str) -> Option<&'static BuiltIn> {
    ALL.iter().find(|one| one.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Properties;

    #[test]
    fn every_property_of_the_library_is_read() {
        for one in ALL {
            let properties: Properties = one.property.parse().unwrap_or_else(|error| panic!("{}: {error}", one.name));
            assert!(!properties.templates().is_empty(), "{}", one.name);
            let declared = |name: &str| {
                let declares = |line: &str| line.split(['(', ' ']).next() == Some(name);
                one.events.lines().any(declares)
            };
            for template in properties.templates() {
                for name in template.event_names() {
                    assert!(declared(name), "{}: no event `{name}` is specified", one.name);
                }
            }
        }
    }

    #[test]
    fn names_are_found() {
        assert_eq!(find("sqlite").map(|one| one.name), Some("sqlite"));
        assert!(find("nothing").is_none());
        assert!(ALL.is_sorted_by_key(|one| one.name));
    }
}
