//! One syntax for the values of flags that several commands have: times, sizes, numbers of jobs.

use std::time::Duration;

/// A time: `500ms`, `30s`, `5m`, `1h 30m`, or a plain number of seconds such as `0.5`.
pub fn time(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().map(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let time = seconds.unwrap_or_else(|| humantime::parse_duration(text).ok());
    // Longer than a century, deadlines would overflow.
    let time = time.filter(|time| *time < Duration::from_secs(100 * 365 * 24 * 3600));
    time.ok_or_else(|| "not a duration: use a form such as 500ms, 30s or 5m".to_owned())
}

/// A number of bytes, with `K`, `M`, `G` or `T` for powers of 1024.
pub fn size(text: &str) -> Result<u64, String> {
    let units = ["", "K", "M", "G", "T"];
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let unit = text[digits.len()..].trim_end_matches(['B', 'b', 'i']).to_ascii_uppercase();
    let power = units.iter().position(|known| *known == unit);
    let size = digits.parse::<u64>().ok().zip(power).and_then(|(n, power)| n.checked_mul(1 << (10 * power)));
    size.ok_or_else(|| "not a size: use a form such as 500M or 2G".to_owned())
}

/// Jobs at a time, at most: a replay has a directory and a process, a search a thread and its memory.
const MOST_JOBS: usize = 256;

/// A number of jobs; 0 stands for one for each core.
pub fn jobs(text: &str) -> Result<usize, String> {
    let jobs: usize = text.parse().map_err(|_| "not a number of jobs".to_owned())?;
    (jobs <= MOST_JOBS).then_some(jobs).ok_or_else(|| format!("at most {MOST_JOBS} run at a time"))
}

/// The number of threads that a number of jobs stands for.
pub fn threads(jobs: usize) -> usize {
    match jobs {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        jobs => jobs,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        assert_eq!(time("5m"), Ok(Duration::from_secs(300)));
        assert_eq!(time("1500ms"), Ok(Duration::from_millis(1500)));
        assert_eq!(time("7"), Ok(Duration::from_secs(7)));
        assert_eq!(time("0.5"), Ok(Duration::from_millis(500)));
        assert_eq!(time("1h 30m"), Ok(Duration::from_secs(5400)));
        for wrong in ["", "soon", "-1", "nan", "inf", "1e30", "1000 years"] {
            assert!(time(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn sizes() {
        assert_eq!(size("12"), Ok(12));
        assert_eq!(size("2G"), Ok(2 << 30));
        assert_eq!(size("500MiB"), Ok(500 << 20));
        for wrong in ["", "1X", "99999999999999T", "-1"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn numbers_of_jobs() {
        assert_eq!(jobs("3"), Ok(3));
        assert!(jobs("100000").is_err() && jobs("many").is_err());
        assert!(threads(0) >= 1 && threads(3) == 3);
    }
}
