//! The overview as one page of HTML that needs nothing else.

use super::Overview;
use foretrace_event::{IntervalId, ThreadId};
use foretrace_trace::Named;
use std::fmt::Write;

/// At most this many rows of a table are shown; the page says how many there are.
const ROWS: usize = 500;
/// The width of the picture of threads, in its own units.
const WIDTH: usize = 1000;

const STYLE: &str = "
:root{color-scheme:light dark;--line:#d0d7de;--soft:#f6f8fa;--bar:#2f6f9f;--dim:#57606a}
@media(prefers-color-scheme:dark){:root{--line:#3d444d;--soft:#1b2027;--bar:#6cb0e0;--dim:#9da7b1}}
body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;width:100%;margin:.5rem 0 2rem}
th,td{text-align:left;padding:.3rem .7rem;border-bottom:1px solid var(--line);vertical-align:top}
th{background:var(--soft);font-weight:600}td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}
td svg{width:100%;height:.9rem;display:block}rect{fill:var(--bar)}p{color:var(--dim);max-width:48rem}
.wide{min-width:14rem;width:40%}div{overflow-x:auto}";

impl Overview<'_> {
    /// The page.
    pub fn page(&self, title: &str) -> String {
        let title = escaped(title);
        let mut page = format!(
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
             content=\"width=device-width\"><title>{title}</title><style>{STYLE}</style></head>\n<body><main>\
             <h1>{title}</h1>\n<p>{} events of {} threads.</p>\n",
            self.events,
            self.threads.len()
        );
        self.thread_table(&mut page);
        self.lock_table(&mut page);
        self.memory_table(&mut page);
        page.push_str("</main></body></html>\n");
        page
    }

    fn thread_table(&self, page: &mut String) {
        let about =
            "The bar shows the part of the run in which the thread was alive; a run is as long as it has events.";
        let columns = [("Thread", ""), ("Created by", ""), ("Events", "n"), ("Locks taken", "n"), ("Waits", "n")];
        begin(page, ("Threads", about), &columns, Some("Alive"));
        for thread in self.trace.threads().take(ROWS) {
            let counts = &self.threads[thread.index()];
            let creator = self.trace.parent(thread).map_or_else(String::new, |parent| self.thread_name(parent));
            let (name, bar) = (self.thread_name(thread), self.bar(counts.life));
            let numbers = numbers(&[counts.events, counts.locks, counts.waits]);
            let _ = writeln!(page, "<tr><td>{name}</td><td>{creator}</td>{numbers}<td class=\"wide\">{bar}</td></tr>");
        }
        end(page, self.threads.len());
    }

    fn lock_table(&self, page: &mut String) {
        let about = "A hand-over is an acquisition by another thread than the last one: locks that change hands often \
                     are where threads meet. A failed attempt is a try or timed lock that did not get it.";
        let columns = [("Lock", ""), ("Taken", "n"), ("Hand-overs", "n"), ("Failed attempts", "n"), ("Threads", "n")];
        begin(page, ("Locks", about), &columns, None);
        let locks = self.by_contention();
        for (id, counts) in locks.iter().take(ROWS) {
            let numbers = numbers(&[counts.taken, counts.hand_overs, counts.failed, counts.threads.len() as u64]);
            let _ = writeln!(page, "<tr><td>{}</td>{numbers}</tr>", escaped(&self.trace.name(*id)));
        }
        end(page, locks.len());
    }

    fn memory_table(&self, page: &mut String) {
        let about = "Memory that several threads use, one of them to write. \u{201c}Always under\u{201d} names the \
                     locks that every recorded use held.";
        let columns = [("Memory", ""), ("Bytes", "n"), ("Read by", ""), ("Written by", ""), ("Always under", "")];
        begin(page, ("Shared memory", about), &columns, None);
        let shared: Vec<IntervalId> = self.shared().collect();
        for id in shared.iter().take(ROWS) {
            let (info, uses) = (self.trace.interval(*id), &self.memory[id.index()]);
            let name = id.given(self.trace).map_or_else(|| format!("{:#x}", info.address), str::to_owned);
            let locks: Vec<String> = uses.locks().iter().map(|lock| self.trace.name(*lock)).collect();
            let _ = writeln!(
                page,
                "<tr><td>{}</td>{}<td>{}</td><td>{}</td><td>{}</td></tr>",
                escaped(&name),
                numbers(&[info.length]),
                self.names(&uses.readers),
                self.names(&uses.writers),
                escaped(&locks.join(", "))
            );
        }
        end(page, shared.len());
    }

    fn shared(&self) -> impl Iterator<Item = IntervalId> + '_ {
        let is_shared = |id: &IntervalId| {
            let uses = &self.memory[id.index()];
            uses.threads() > 1 && !uses.writers.is_empty()
        };
        self.trace.intervals().map(|(id, _)| id).filter(is_shared)
    }

    fn thread_name(&self, thread: ThreadId) -> String {
        if thread == ThreadId::MAIN { "main".to_owned() } else { escaped(&self.trace.name(thread)) }
    }

    /// Up to eight threads by name.
    fn names(&self, threads: &std::collections::BTreeSet<u32>) -> String {
        let names: Vec<String> = threads.iter().take(8).map(|thread| self.thread_name(ThreadId(*thread))).collect();
        let more = threads.len() - names.len();
        let rest = if more == 0 { String::new() } else { format!(" and {more} more") };
        format!("{}{rest}", names.join(", "))
    }

    fn bar(&self, life: Option<(usize, usize)>) -> String {
        let Some((first, last)) = life else { return String::new() };
        let scale = |position: usize| position * WIDTH / self.events.max(1);
        let (from, width) = (scale(first), (scale(last + 1) - scale(first)).max(1));
        format!(
            "<svg viewBox=\"0 0 {WIDTH} 10\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"events {} to \
             {}\"><rect x=\"{from}\" width=\"{width}\" height=\"10\"/></svg>",
            first + 1,
            last + 1
        )
    }
}

fn begin(page: &mut String, (title, about): (&str, &str), columns: &[(&str, &str)], last: Option<&str>) {
    let _ = write!(page, "<h2>{title}</h2><p>{about}</p><div><table><thead><tr>");
    for (name, class) in columns {
        let _ = write!(page, "<th scope=\"col\" class=\"{class}\">{name}</th>");
    }
    if let Some(last) = last {
        let _ = write!(page, "<th scope=\"col\" class=\"wide\">{last}</th>");
    }
    page.push_str("</tr></thead><tbody>\n");
}

fn end(page: &mut String, rows: usize) {
    page.push_str("</tbody></table></div>\n");
    if rows == 0 {
        page.push_str("<p>None.</p>\n");
    } else if rows > ROWS {
        let _ = writeln!(page, "<p>The first {ROWS} of {rows} are shown.</p>");
    }
}

fn numbers(values: &[u64]) -> String {
    values.iter().map(|value| format!("<td class=\"n\">{value}</td>")).collect()
}

/// As text of HTML; control characters become visible symbols.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            control if control.is_control() => escaped.push('\u{fffd}'),
            other => escaped.push(other),
        }
    }
    escaped
}
