//! What can go wrong while events are processed.
/// A timestamp. Seconds followed by twenty digits of nanoseconds, as some tracers write, exceed 64 bits.
pub type Time = u128;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    #[error("time goes backwards: an event at {found} after one at {now}")]
    Backwards { now: Time, found: Time },
    #[error("`{stream}` has two events at time {time}")]
    Twice { stream: String, time: Time },
    #[error("`{stream}` asks for a delay of {amount} at time {time}; a delay must be positive")]
    Delay { stream: String, amount: String, time: Time },
}
