//! The sink: what is written down, and where. A thread has a stream of records and a table of lines here.

pub mod lines;
pub mod places;
pub mod recording;
pub mod stamp;
pub mod stream;
