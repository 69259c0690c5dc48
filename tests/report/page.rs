//! Pages of reports in a real browser: opened, stepped through, searched, in both colours, on a narrow and a wide window,
//! and examined by axe-core.

#![forbid(unsafe_code)]

#[path = "../browser.rs"]
mod browser;

use browser::Browser;
use foretrace_report::{
    Act, Bar, Drawn, Excerpt, Finding, Format, Frame, How, Kind, Link, Operation, Picture, Report, Site, Sort, Step,
    Style, Thing, Thread, What,
};
use std::path::{Path, PathBuf};

/// Where pictures of pages are left to be looked at.
fn artefacts() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pages");
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    folder
}

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../report/tests/golden").join(name).canonicalize().expect("it is there")
}

/// What this file needs of a browser beyond what other tests do.
struct Page(Browser);

impl Page {
    fn open(page: &Path) -> Self {
        let opened = Self(Browser::start());
        opened.0.open(page);
        opened
    }

    fn of_session(&self, path: &str) -> String {
        format!("/session/{}/{path}", self.0.session)
    }

    fn resize(&self, width: u32, height: u32) {
        let body = format!("{{\"width\":{width},\"height\":{height}}}");
        self.0.call("POST", &self.of_session("window/rect"), &body);
    }

    fn picture(&self, name: &str) {
        let answer = self.0.call("GET", &self.of_session("screenshot"), "");
        let answer: serde_json::Value = serde_json::from_str(&answer).expect("an answer is JSON");
        let encoded = answer["value"].as_str().expect("a picture").to_owned();
        let decoded = std::process::Command::new("base64")
            .arg("-d")
            .stdin(std::process::Stdio::piped())
            .stdout(std::fs::File::create(artefacts().join(name)).expect("a file can be made"))
            .spawn()
            .and_then(|mut child| {
                use std::io::Write;
                child.stdin.take().expect("it was piped").write_all(encoded.as_bytes())?;
                child.wait()
            });
        assert!(decoded.expect("base64 runs").success());
    }

    fn number(&self, script: &str) -> f64 {
        self.0.run(script).parse().unwrap_or_else(|_| panic!("no number: {script}"))
    }

    /// Presses a key where the focus is; special keys have numbers of their own.
    fn press(&self, key: char) {
        let body = format!(
            "{{\"actions\":[{{\"type\":\"key\",\"id\":\"keys\",\"actions\":[{{\"type\":\"keyDown\",\"value\":\"\\u{0:04x}\"}},\
             {{\"type\":\"keyUp\",\"value\":\"\\u{0:04x}\"}}]}}]}}",
            u32::from(key)
        );
        self.0.call("POST", &self.of_session("actions"), &body);
    }

    /// Nothing was loaded and nothing was complained about.
    fn check_quiet(&self) {
        assert_eq!(self.0.run("performance.getEntriesByType('resource').length"), "0", "the page makes no request");
        let said = self.0.call("POST", &self.of_session("se/log"), "{\"type\":\"browser\"}");
        assert_eq!(said, "{\"value\":[]}", "the console is empty");
    }

    /// What axe-core objects to, if it is installed.
    fn check_with_axe(&self) {
        let axe = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../npm/node_modules/axe-core/axe.min.js");
        let Ok(axe) = std::fs::read_to_string(axe) else {
            eprintln!(
                "SKIPPED: axe-core is not installed, so contrast and roles were not checked: run `cargo xtask install`"
            );
            return;
        };
        // It announces itself on the console otherwise.
        let loaded = format!("(() => {{ {axe}\n; return typeof axe.run; }})()");
        assert_eq!(self.0.run(&loaded), "function");
        let run = "await axe.run().then(found => found.violations.map(v => v.id + ': ' + v.nodes.map(n => \
                   n.target.join(' ')).slice(0, 3).join(' | ')).join('; ') || 'nothing')";
        let body = serde_json::json!({ "script": format!("return (async () => ({run}))()"), "args": [] }).to_string();
        let answer = self.0.call("POST", &self.of_session("execute/sync"), &body);
        assert_eq!(answer, "{\"value\":\"nothing\"}");
    }
}

const DOWN: char = '\u{e015}';
const UP: char = '\u{e013}';
const END: char = '\u{e010}';

#[test]
fn a_page_is_stepped_through_by_keys_and_the_source_moves_along() {
    let page = Page::open(&golden("page.html"));
    page.resize(1300, 1400);
    page.0.run("document.querySelector('#f0 .story').focus()");
    let at = || page.0.run("document.querySelector('#f0 .st.on').id");
    page.press(DOWN);
    assert_eq!(at(), "f0-s0");
    page.press(DOWN);
    page.press(DOWN);
    assert_eq!(at(), "f0-s3");
    assert!(page.0.run("document.querySelector('#f0 .now').textContent").contains("main"), "the step is announced");
    let line = "document.querySelector('#f0 .pane.on .here').dataset.l";
    assert_eq!(page.0.run(line), "20");
    page.press(END);
    assert_eq!((at().as_str(), page.0.run(line).as_str()), ("f0-s4", "12"));
    page.press(UP);
    assert_eq!(page.0.run(line), "20");
    page.picture("stepping.png");
    page.check_quiet();
}

#[test]
fn findings_are_searched_and_filtered() {
    let page = Page::open(&golden("page.html"));
    let shown = || page.0.run("document.querySelectorAll('article:not([hidden])').length");
    assert_eq!(shown(), "3");
    page.0.click("search");
    page.0.type_into("search", "audit");
    assert_eq!((shown().as_str(), page.0.text("count").as_str()), ("1", "1 of 3"));
    page.0.run("(() => { search.value = ''; search.dispatchEvent(new Event('input')); })()");
    assert_eq!(shown(), "3");
    page.0.run(
        "(() => { document.getElementById('status').value = 'predicted'; \
         document.getElementById('status').dispatchEvent(new Event('input')); })()",
    );
    assert_eq!(page.0.run("document.querySelector('article:not([hidden])').id"), "f1");
    page.check_quiet();
}

#[test]
fn both_colours_and_both_widths_are_readable() {
    for name in ["page.html", "page_nothing.html"] {
        let page = Page::open(&golden(name));
        for (theme, width) in [("light", 1300), ("dark", 1300), ("light", 420), ("dark", 420)] {
            page.resize(width, 1600);
            page.0.run(&format!("document.querySelector('.theme [data-theme={theme}]').click()"));
            assert_eq!(page.0.run("document.documentElement.dataset.theme"), theme);
            let wide = page.number("document.documentElement.scrollWidth - document.documentElement.clientWidth");
            assert!(wide <= 0.0, "nothing sticks out of a window of {width}: {wide}");
            page.check_with_axe();
            page.picture(&format!("{}-{theme}-{width}.png", name.trim_end_matches(".html")));
            page.0.run(&format!("document.querySelector('.theme [data-theme={theme}]').click()"));
        }
        page.check_quiet();
    }
}

/// Arrows and bars are drawn where the steps are.
#[test]
fn arrows_end_at_their_steps() {
    let page = Page::open(&golden("page.html"));
    page.resize(1300, 1400);
    let inside = "(() => { const body = document.querySelector('#f0 .story .body').getBoundingClientRect(); \
                  const chip = document.querySelector('#f0-s4 .ch').getBoundingClientRect(); \
                  const path = document.querySelector('#f0 .story .clash'); \
                  const end = path.getPointAtLength(path.getTotalLength()); \
                  return Math.abs(chip.top + chip.height / 2 - body.top - end.y) < 4 && Math.abs(chip.left - body.left - end.x) < 16; })()";
    assert_eq!(page.0.run(inside), "true");
}

/// Sixty threads, five thousand steps.
fn many() -> Report {
    let frame = |line: u32| Frame {
        function: Some("work".to_owned()),
        file: Some("work.c".to_owned()),
        line,
        column: 5,
        ..Frame::default()
    };
    let act = |what, number: usize| {
        Act::Operation(Operation::on(what, Thing::new(Sort::Lock, Some(&format!("m[{number}]")))))
    };
    let step = |number: usize| {
        let (what, thread) = (if (number / 60).is_multiple_of(2) { What::Lock } else { What::Unlock }, number % 60);
        let step = Step {
            thread,
            does: act(what, thread),
            place: Some(frame(1 + number as u32 % 90)),
            fails: number >= 4_998,
        };
        Drawn { step, matters: number >= 4_900 }
    };
    let steps: Vec<Drawn> = (0..5_000).map(step).collect();
    let bar = |number: usize| Bar {
        thread: number % 60,
        lock: Thing::new(Sort::Lock, Some("m")),
        shared: false,
        from: number,
        to: Some(number + 60),
    };
    let picture = Picture {
        threads: (0..60).map(|number| format!("t{number}")).collect(),
        links: (0..4_900).map(|from| Link { from, to: from + 61, how: How::Releases }).collect(),
        bars: (0..4_900).filter(|number| number / 60 % 2 == 0).map(bar).collect(),
        recorded: (0..5_000).rev().collect(),
        sources: vec![Excerpt {
            file: "work.c".to_owned(),
            first: 1,
            lines: (1..99).map(|line| format!("x += {line};")).collect(),
        }],
        steps,
        ..Picture::default()
    };
    let thread = |number| Thread { number, name: format!("t{number}"), parent: None, created: Vec::new() };
    let site = |thread| Site { thread, does: act(What::Lock, thread), stack: vec![frame(7)], locks: Vec::new() };
    let finding = Finding {
        steps: picture.steps.iter().filter(|drawn| drawn.matters).map(|drawn| drawn.step.clone()).collect(),
        picture: Some(Box::new(picture)),
        threads: (0..60).map(thread).collect(),
        sites: (0..60).map(site).collect(),
        ..Finding::new(Kind::DEADLOCK)
    };
    Report { findings: vec![finding], ..Report::default() }
}

#[test]
fn a_finding_of_sixty_threads_and_five_thousand_steps_opens_in_a_second() {
    let scratch = tempfile::tempdir().expect("a scratch directory can be made");
    let path = scratch.path().join("many.html");
    let mut file = std::fs::File::create(&path).expect("a file can be made");
    foretrace_report::write(&many(), Format::Html, Style::plain(), &mut file).expect("the page is written");
    let page = Page::open(&path);
    let loaded = || page.number("performance.getEntriesByType('navigation')[0].loadEventEnd");
    // The machine may be busy with other things: the best of several.
    let times: Vec<f64> = (0..6)
        .map(|_| {
            page.0.open(&path);
            loaded()
        })
        .collect();
    let best = times.iter().copied().fold(f64::MAX, f64::min);
    eprintln!("opened in {best} ms ({times:?}), {} bytes", std::fs::metadata(&path).expect("it is there").len());
    assert!(best < 1_000.0, "{times:?}");
    page.0.run("document.querySelector('.all').open = true");
    assert_eq!(page.0.run("document.querySelectorAll('.all .st').length"), "5000");
    page.picture("many.png");
}
