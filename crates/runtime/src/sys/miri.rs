//! System calls under Miri, which executes no inline assembly: memory can be mapped, and nothing else is there.

use super::Result;
use core::ffi::c_void;

/// A call of anybody's.
pub unsafe fn any_call(number: i64, args: [u64; 6]) -> Result<u64> {
    let place = core::ptr::with_exposed_provenance_mut::<c_void>(args[0] as usize);
    match number {
        libc::SYS_mmap => {
            const SUPPORTED: i32 = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            // SAFETY: as the caller says.
            let at = unsafe { libc::mmap(place, args[1] as usize, args[2] as i32, args[3] as i32 & SUPPORTED, -1, 0) };
            if at == libc::MAP_FAILED { Err(libc::ENOMEM) } else { Ok(at.expose_provenance() as u64) }
        }
        libc::SYS_munmap => {
            // SAFETY: as the caller says.
            let result = unsafe { libc::munmap(place, args[1] as usize) };
            if result == 0 { Ok(0) } else { Err(libc::EINVAL) }
        }
        _ => Err(libc::ENOSYS),
    }
}
