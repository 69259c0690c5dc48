//! Validates JSON by the keywords of JSON Schema that our schemas use, and panics on any other.

use serde_json::{Map, Value};

/// What is wrong with a document, and where.
pub fn objections(schema: &Value, document: &Value) -> Vec<String> {
    let mut found = Vec::new();
    Validator { root: schema }.check(schema, document, "", &mut found);
    found
}

struct Validator<'a> {
    root: &'a Value,
}

impl Validator<'_> {
    fn check(&self, schema: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
        let schema = schema.as_object().expect("a schema is an object");
        for (keyword, rule) in schema {
            self.keyword(schema, (keyword, rule), value, at, found);
        }
    }

    fn keyword(
        &self,
        schema: &Map<String, Value>,
        rule: (&str, &Value),
        value: &Value,
        at: &str,
        found: &mut Vec<String>,
    ) {
        let mut object = |is_right: bool, what: &str| {
            if !is_right {
                found.push(format!("{at}: {what}: {value}"));
            }
        };
        let length = value.as_array().map_or(0, Vec::len) as u64;
        match rule {
            ("$schema" | "$defs" | "title" | "description", _) => {}
            ("required", names) => {
                let names = names.as_array().expect("a list").iter().filter_map(Value::as_str);
                names.for_each(|name| object(value.as_object().is_none_or(|of| of.contains_key(name)), name));
            }
            ("additionalProperties", rule) => {
                assert_eq!(rule, false, "only false is understood");
                let known = schema.get("properties").and_then(Value::as_object).expect("properties");
                let names = value.as_object().into_iter().flatten().map(|(name, _)| name);
                names.for_each(|name| object(known.contains_key(name), name));
            }
            ("type", rule) => object(has_type(rule, value), "type"),
            ("const", rule) => object(rule == value, "const"),
            ("enum", rule) => object(rule.as_array().expect("a list").contains(value), "enum"),
            ("minimum", rule) => {
                object(value.as_f64().is_none_or(|number| number >= rule.as_f64().expect("a number")), "minimum")
            }
            ("minItems", rule) => object(!value.is_array() || length >= rule.as_u64().expect("a number"), "minItems"),
            ("maxItems", rule) => object(!value.is_array() || length <= rule.as_u64().expect("a number"), "maxItems"),
            ("properties" | "items" | "oneOf" | "$ref", _) => self.deeper(rule, value, at, found),
            (other, _) => panic!("{other} is not understood"),
        }
    }

    fn deeper(&self, (keyword, rule): (&str, &Value), value: &Value, at: &str, found: &mut Vec<String>) {
        match keyword {
            "properties" => {
                for (name, inner) in value.as_object().into_iter().flatten() {
                    if let Some(schema) = rule.get(name) {
                        self.check(schema, inner, &format!("{at}/{name}"), found);
                    }
                }
            }
            "items" => {
                for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                    self.check(rule, item, &format!("{at}/{index}"), found);
                }
            }
            "oneOf" => {
                let fits = |schema: &&Value| {
                    let mut found = Vec::new();
                    self.check(schema, value, at, &mut found);
                    found.is_empty()
                };
                let count = rule.as_array().expect("a list").iter().filter(fits).count();
                if count != 1 {
                    found.push(format!("{at}: {count} of the alternatives fit: {value}"));
                }
            }
            _ => {
                let pointer = rule.as_str().and_then(|text| text.strip_prefix('#')).expect("a reference within");
                self.check(self.root.pointer(pointer).expect("it is there"), value, at, found);
            }
        }
    }
}

fn has_type(rule: &Value, value: &Value) -> bool {
    let is = |name: &Value| match name.as_str().expect("a name") {
        "null" => value.is_null(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("{other} is no type here"),
    };
    match rule {
        Value::Array(names) => names.iter().any(is),
        name => is(name),
    }
}
