//! The page of `--html` in a real browser: it is opened, zoomed, searched and read.
//!
//! The browser is Debian's chromium, driven over the WebDriver protocol on the loopback interface.

#![forbid(unsafe_code)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

const SPEC: &str = r#"
in x: Events[Int]
in u: Events[Unit]
in s: Events[String]
out x
out u
@VisBubbles
out s
@error
out filter(x, x > 90) as too_large
"#;

/// A driver of a browser, and one window of it.
struct Browser {
    driver: Child,
    port: u16,
    session: String,
    /// Kept open, because the driver may say more.
    _said: BufReader<ChildStdout>,
}

impl Browser {
    fn start() -> Browser {
        let mut driver = Command::new("chromedriver")
            .args(["--port=0"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromium-driver is installed");
        let mut said = BufReader::new(driver.stdout.take().expect("it was piped"));
        let started = said.by_ref().lines().map_while(Result::ok);
        let mut port = started.filter_map(|line| {
            line.split_once("started successfully on port ")?.1.trim_end_matches('.').parse::<u16>().ok()
        });
        let port = port.next();
        let mut browser =
            Browser { driver, port: port.expect("the driver says its port"), session: String::new(), _said: said };
        let wanted = r#"{"capabilities":{"alwaysMatch":{"goog:chromeOptions":{"args":["--headless=new","--no-sandbox","--disable-gpu","--disable-dev-shm-usage","--window-size=1200,700"]}}}}"#;
        let answer = browser.call("POST", "/session", wanted);
        browser.session = string_field(&answer, "sessionId");
        browser
    }

    /// One request; the body of the answer.
    fn call(&self, method: &str, path: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("the driver listens");
        let length = body.len();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        )
        .expect("the driver reads");
        let mut reader = BufReader::new(stream);
        let (mut status, mut length) = (String::new(), 0);
        reader.read_line(&mut status).expect("the driver answers");
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).expect("the driver answers");
            match line.trim_end().to_ascii_lowercase().strip_prefix("content-length:") {
                Some(value) => length = value.trim().parse().expect("a length is a number"),
                None if line.trim_end().is_empty() => break,
                None => {}
            }
        }
        let mut answer = vec![0; length];
        reader.read_exact(&mut answer).expect("the driver answers");
        let answer = String::from_utf8(answer).expect("an answer is text");
        assert!(status.contains(" 200 "), "{method} {path}: {status}{answer}");
        answer
    }

    fn open(&self, page: &Path) {
        let body = format!("{{\"url\":\"file://{}\"}}", page.display());
        self.call("POST", &format!("/session/{}/url", self.session), &body);
    }

    /// What a script in the page returns, as text.
    fn run(&self, script: &str) -> String {
        let script = script.replace('\\', "\\\\").replace('"', "\\\"");
        let body = format!("{{\"script\":\"return String({script})\",\"args\":[]}}");
        string_field(&self.call("POST", &format!("/session/{}/execute/sync", self.session), &body), "value")
    }

    fn text(&self, id: &str) -> String {
        self.run(&format!("document.getElementById('{id}').textContent"))
    }

    fn element(&self, id: &str) -> String {
        let body = format!("{{\"using\":\"css selector\",\"value\":\"#{id}\"}}");
        let answer = self.call("POST", &format!("/session/{}/element", self.session), &body);
        string_field(&answer, "element-6066-11e4-a52e-4f735466cecf")
    }

    fn click(&self, id: &str) {
        let path = format!("/session/{}/element/{}/click", self.session, self.element(id));
        self.call("POST", &path, "{}");
    }

    fn type_into(&self, id: &str, text: &str) {
        let path = format!("/session/{}/element/{}/value", self.session, self.element(id));
        self.call("POST", &path, &format!("{{\"text\":\"{text}\"}}"));
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() {
            self.call("DELETE", &format!("/session/{}", self.session), "");
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// The text of a field of an answer; the answers here have no escapes in it that matter.
fn string_field(json: &str, name: &str) -> String {
    let mark = format!("\"{name}\":\"");
    let rest = json.split_once(&mark).unwrap_or_else(|| panic!("no {name} in {json}")).1;
    rest[..rest.find('"').expect("a string ends")].replace("\\u003C", "<")
}

fn write_page(directory: &Path) -> std::path::PathBuf {
    let mut trace = String::new();
    for time in 0..200 {
        trace += &format!("{}: x = {}\n", 1_000_000 + time * 10, time % 97);
        if time % 20 == 0 {
            trace += &format!("{}: u\n", 1_000_000 + time * 10);
        }
    }
    trace += "1002000: s = \"needle </script> in hay\"\n";
    std::fs::write(directory.join("spec.tessla"), SPEC).expect("a file can be written");
    std::fs::write(directory.join("trace"), trace).expect("a file can be written");
    let output = Command::new(env!("CARGO_BIN_EXE_foretrace"))
        .current_dir(directory)
        .args(["monitor", "spec.tessla", "trace", "--html", "page.html", "-o", "text"])
        .output()
        .expect("the tool runs");
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    directory.join("page.html").canonicalize().expect("the page was written")
}

#[test]
fn the_page_is_opened_zoomed_searched_and_read() {
    let scratch = tempfile::tempdir().expect("a scratch directory can be made");
    let page = write_page(scratch.path());
    let browser = Browser::start();
    browser.open(&page);
    assert_eq!(browser.text("title"), "page");
    // All streams are there, and something is drawn in each row.
    assert_eq!(
        browser.run("data.rows.map(row => row.name + ':' + styleOf(row)).join()"),
        "x:Plot,u:UnitEvents,s:Bubbles,too_large:Plot"
    );
    let drawn = "[...pen.getImageData(200, 0, canvas.width - 220, canvas.height).data].filter((v, i) => i % 4 === 3 && v > 200).length > 500";
    assert_eq!(browser.run(drawn), "true");
    let red = "[...Array(canvas.width).keys()].some(x => { const p = pen.getImageData(x, TOP + 3 * HEIGHT, 1, HEIGHT).data; for (let i = 0; i < p.length; i += 4) if (p[i] > 150 && p[i + 1] < 90 && p[i + 3] > 200) return true; return false; })";
    assert_eq!(browser.run(red), "true", "errors are red");
    // Zooming in halves the range, zooming out and `all` bring it back.
    let span = || browser.run("Math.round(view.to - view.from)").parse::<i64>().expect("a number");
    let whole = span();
    browser.click("in");
    browser.click("in");
    assert!((span() - whole / 4).abs() <= 1, "{} of {whole}", span());
    browser.click("all");
    assert_eq!(span(), whole);
    browser.run("canvas.dispatchEvent(new WheelEvent('wheel', { deltaY: -100, bubbles: true, cancelable: true }))");
    assert!(span() < whole);
    // The search finds the string and shows its event.
    browser.type_into("search", "needle");
    assert_eq!(browser.text("found"), "1 of 1");
    assert_eq!(browser.text("value"), "1002000: s = needle </script> in hay");
    // A click on an event shows its value.
    browser.click("all");
    let place = "(() => { const row = data.rows[0]; pick(x(row.events[50][0]), TOP + 10); return document.getElementById('value').textContent; })()";
    assert_eq!(browser.run(place), "1000500: x = 50");
}
