//! A property of the user's own that does not hold.

use crate::model::{ErrorKind, Finding, Site, any_frame};

pub(super) struct Property;

/// A property is told in so many characters.
const LONGEST: usize = 72;

fn short(says: &str) -> String {
    match says.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", says[..end].trim_end()),
        None => says.to_owned(),
    }
}

impl ErrorKind for Property {
    fn rule(&self) -> &'static str {
        "property"
    }

    fn about(&self) -> &'static str {
        "Events of the program come in an order that a property of its own forbids."
    }

    fn title(&self, finding: &Finding) -> String {
        let Some(broken) = &finding.broken else { return "property violated".to_owned() };
        let with: Vec<String> = broken.with.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let with = if with.is_empty() { String::new() } else { format!(", with {}", with.join(", ")) };
        let named = if broken.name.starts_with("property ") || broken.name == broken.says {
            String::new()
        } else {
            format!(" `{}`", broken.name)
        };
        format!("property{named} violated: {}{with}", short(&broken.says))
    }

    fn hides(&self, kind: &str, matches: &dyn Fn(&str) -> bool, finding: &Finding) -> bool {
        let is_hidden = |site: &Site| any_frame(&site.stack, matches);
        kind == "property" && finding.sites.iter().any(is_hidden)
    }
}
