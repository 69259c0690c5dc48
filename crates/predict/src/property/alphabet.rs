//! The letters of a trace that a property may see.

use foretrace_event::{Event, Object, ThreadId, Value};
use foretrace_finding::Key;
use foretrace_property::{Datum, Letter, Template};
use foretrace_trace::Trace;
use rustc_hash::{FxHashMap, FxHashSet};

/// The letters of a trace, and which events they are.
///
/// A custom event is a letter with its name and values. Any other event that the property names, such as `lock`, is a
/// letter whose only value is the name of its object.
#[derive(Clone, Debug, Default)]
pub struct Alphabet {
    letters: Vec<Letter>,
    keys: Vec<Vec<Key>>,
    by_key: FxHashMap<Key, u32>,
}

impl Alphabet {
    /// The letters of a trace that a property mentions; all custom events, if one of its patterns has no name.
    pub fn new(trace: &Trace, template: &Template) -> Self {
        let names: FxHashSet<&str> = template.event_names().collect();
        let any = template.patterns.iter().any(|pattern| pattern.name.is_none());
        let mut seen: FxHashSet<Key> = FxHashSet::default();
        for thread in trace.threads() {
            for event in trace.events(thread) {
                let is_seen = match event {
                    Event::Custom(custom, _) => any || names.contains(&*trace.name(custom)),
                    other => names.contains(other.kind().name()),
                };
                if is_seen {
                    seen.insert(Key::new(thread, event));
                }
            }
        }
        let mut all: Vec<(Letter, Key)> = seen.into_iter().map(|key| (letter(trace, &key), key)).collect();
        all.sort();
        let mut alphabet = Self::default();
        for (letter, key) in all {
            if alphabet.letters.last() != Some(&letter) {
                alphabet.letters.push(letter);
                alphabet.keys.push(Vec::new());
            }
            alphabet.by_key.insert(key, alphabet.letters.len() as u32 - 1);
            alphabet.keys.last_mut().expect("just pushed").push(key);
        }
        alphabet
    }

    /// The letters.
    pub fn letters(&self) -> &[Letter] {
        &self.letters
    }

    /// The letter of an event of a thread, if the property sees it.
    #[inline]
    pub fn letter(&self, thread: ThreadId, event: Event) -> Option<u32> {
        self.by_key.get(&Key::new(thread, event)).copied()
    }

    /// Which events a letter is.
    pub fn keys_of(&self, letter: u32) -> &[Key] {
        &self.keys[letter as usize]
    }
}

/// What a property sees of an event.
fn letter(trace: &Trace, key: &Key) -> Letter {
    let text = |name: String| Datum::Text(name.into());
    let (name, values): (String, Vec<Datum>) = match key.object {
        Some(Object::Custom(custom)) => {
            let datum = |value: &Value| match *value {
                Value::Number(number) => Datum::Number(number),
                Value::Text(id) => Datum::Text(trace.value_text(id).into()),
            };
            (trace.name(custom), trace.values(key.values).iter().map(datum).collect())
        }
        Some(Object::Thread(id)) => (key.kind.name().to_owned(), vec![Datum::Number(id.0.into())]),
        object => (
            key.kind.name().to_owned(),
            object.and_then(|object| name_of(trace, object)).map(text).into_iter().collect(),
        ),
    };
    Letter { thread: key.thread.0, name: name.into(), values }
}

fn name_of(trace: &Trace, object: Object) -> Option<String> {
    Some(match object {
        Object::Lock(id) => trace.name(id),
        Object::Condition(id) => trace.name(trace.instance(id).condition),
        Object::Barrier(id) => trace.name(id),
        Object::Sem(id) => trace.name(id),
        Object::Once(id) => trace.name(id),
        Object::Channel(id) => trace.name(id),
        Object::Atomic(id) => trace.name(id),
        Object::Interval(id) => trace.name(id),
        Object::Thread(_) | Object::Custom(_) | Object::Args(_) => return None,
    })
}
