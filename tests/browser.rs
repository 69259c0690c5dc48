//! A real browser for tests of pages: Debian's chromium, driven over the WebDriver protocol on the loopback interface.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

/// A driver of a browser, and one window of it.
pub struct Browser {
    driver: Child,
    port: u16,
    pub session: String,
    /// Kept open, because the driver may say more.
    _said: BufReader<ChildStdout>,
}

impl Browser {
    pub fn start() -> Browser {
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
        let wanted = r#"{"capabilities":{"alwaysMatch":{"goog:chromeOptions":{"args":["--headless=new","--no-sandbox","--disable-gpu","--disable-dev-shm-usage","--window-size=1200,700"]},"goog:loggingPrefs":{"browser":"ALL"}}}}"#;
        let answer = browser.call("POST", "/session", wanted);
        browser.session = string_field(&answer, "sessionId");
        browser
    }

    /// One request; the body of the answer.
    pub fn call(&self, method: &str, path: &str, body: &str) -> String {
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

    pub fn open(&self, page: &Path) {
        let body = format!("{{\"url\":\"file://{}\"}}", page.display());
        self.call("POST", &format!("/session/{}/url", self.session), &body);
    }

    /// What a script in the page returns, as text.
    pub fn run(&self, script: &str) -> String {
        let script = escaped(script);
        let body = format!("{{\"script\":\"return String({script})\",\"args\":[]}}");
        string_field(&self.call("POST", &format!("/session/{}/execute/sync", self.session), &body), "value")
    }

    pub fn text(&self, id: &str) -> String {
        self.run(&format!("document.getElementById('{id}').textContent"))
    }

    fn element(&self, id: &str) -> String {
        let body = format!("{{\"using\":\"css selector\",\"value\":\"#{id}\"}}");
        let answer = self.call("POST", &format!("/session/{}/element", self.session), &body);
        string_field(&answer, "element-6066-11e4-a52e-4f735466cecf")
    }

    pub fn click(&self, id: &str) {
        let path = format!("/session/{}/element/{}/click", self.session, self.element(id));
        self.call("POST", &path, "{}");
    }

    pub fn type_into(&self, id: &str, text: &str) {
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

/// A script as a JSON string spells it.
fn escaped(script: &str) -> String {
    let mut text = String::with_capacity(script.len());
    for c in script.chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            c if u32::from(c) < 0x20 => text += &format!("\\u{:04x}", u32::from(c)),
            c => text.push(c),
        }
    }
    text
}

/// The text of a field of an answer; the answers here have no escapes in it that matter.
fn string_field(json: &str, name: &str) -> String {
    let mark = format!("\"{name}\":\"");
    let rest = json.split_once(&mark).unwrap_or_else(|| panic!("no {name} in {json}")).1;
    rest[..rest.find('"').expect("a string ends")].replace("\\u003C", "<")
}
