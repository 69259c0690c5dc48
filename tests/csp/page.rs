//! The page of `--html` in a real browser: results are searched, a counterexample is read, a process is explored.

use crate::browser::Browser;
use std::process::Command;

const SCRIPT: &str = "channel coin, choc, tea : {0..2}
SHOP = coin?x -> (choc!x -> SHOP |~| tea!x -> SHOP)
THRIFTY = coin.0 -> choc.0 -> THRIFTY
BROKEN = coin.0 -> choc.1 -> STOP
assert SHOP [T= THRIFTY
assert SHOP [T= BROKEN
assert SHOP [F= STOP
assert SHOP :[deterministic]
print card(Events)
";

#[test]
fn results_are_searched_and_processes_explored() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let (script, page) = (scratch.path().join("shop.csp"), scratch.path().join("page.html"));
    std::fs::write(&script, SCRIPT).expect("the script can be written");
    let tool = env!("CARGO_BIN_EXE_foretrace");
    let output = Command::new(tool).arg("csp").arg(&script).arg("--html").arg(&page).output();
    assert_eq!(output.expect("foretrace can be run").status.code(), Some(1));
    let browser = Browser::start();
    browser.open(&page.canonicalize().expect("the page was written"));
    assert_eq!(browser.text("count"), "4 assertion(s)");
    assert_eq!(browser.run("results.textContent.includes('card(Events) = 9')"), "true");
    // The search leaves the assertions whose text, counterexamples included, has the word.
    browser.type_into("search", "broken");
    assert_eq!(browser.text("count"), "1 assertion(s)");
    let shown = "results.querySelector('details:not([hidden])')";
    browser.run(&format!("{shown}.querySelector('summary').click()"));
    assert_eq!(browser.run(&format!("{shown}.open")), "true");
    // Specification and implementation side by side: the row that shows the difference.
    let bad = format!("[...{shown}.querySelector('tr.bad').cells].map(c => c.textContent).join(' | ')");
    assert_eq!(browser.run(&bad), "2 | {choc.0, tea.0} | choc.1");
    // A process is chosen; its graph has as many circles as states, and a search marks steps.
    browser.run(
        "(chosen.value = graphs.findIndex(g => g.process === 'THRIFTY'), chosen.dispatchEvent(new Event('change')))",
    );
    assert_eq!(browser.text("size"), "2 state(s), 2 step(s)");
    assert_eq!(browser.run("document.querySelectorAll('#drawing circle').length"), "2");
    browser.click("find");
    browser.type_into("find", "choc");
    assert_eq!(browser.run("document.querySelectorAll('#steps tbody tr.hit').length"), "1");
    assert_eq!(browser.run("document.querySelector('#steps tbody tr').cells[1].textContent"), "choc.0");
}
