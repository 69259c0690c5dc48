//! What programs say about their wait loops: `foretrace-llvm` puts this call before waits.

use crate::thread::tls::tls;

exported! {
    /// The next wait of this thread is in a loop that checks a condition under the lock.
    fn __foretrace_wait_in_loop() {
        tls().in_wait_loop.set(true);
    }
}
