//! Any text as a schedule: what is read is written as it was read.
#![no_main]

use foretrace_finding::ScheduleText;

libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Ok(Ok(schedule)) = text.parse::<ScheduleText>().map(|read| read.of(|_| 12)) {
        let again = schedule.to_string().parse::<ScheduleText>().expect("what was written reads");
        assert_eq!(again.of(|_| 12).expect("the same steps"), schedule);
    }
});
