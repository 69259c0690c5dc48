//! The page of `--html` in a real browser: it is opened, zoomed, searched and read.

#![forbid(unsafe_code)]

#[path = "../browser.rs"]
mod browser;

use browser::Browser;
use std::path::Path;
use std::process::Command;

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

/// The times of the axis are whole and apart from each other, wherever the view ends.
fn check_axis(browser: &Browser) {
    let outside = "labels.filter(label => label.from < 0 || label.to > canvas.clientWidth).length";
    let touching = "labels.filter((label, at) => at > 0 && label.from <= labels[at - 1].to).length";
    for end in ["whole * 1.02", "whole", "whole * 0.999", "1500.5"] {
        browser.run(&format!("(() => {{ view.to = {end}; draw(); }})()"));
        assert!(browser.run("labels.length").parse::<u32>().expect("a number") >= 4, "there are times up to {end}");
        assert_eq!(browser.run(outside), "0", "a time is cut off where the view ends at {end}");
        assert_eq!(browser.run(touching), "0", "two times overlap where the view ends at {end}");
    }
    browser.click("all");
}

#[test]
fn the_page_is_opened_zoomed_searched_and_read() {
    let scratch = tempfile::tempdir().expect("a scratch directory can be made");
    let page = write_page(scratch.path());
    let browser = Browser::start();
    browser.open(&page);
    check_axis(&browser);
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
