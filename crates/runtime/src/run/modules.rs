//! The module map: which file is mapped where, so that places can be named off line.
//!
//! It is written when the recording begins, and again when instrumented code or a new thread shows that more has been
//! loaded since. `dlopen` is not interposed: it looks at its caller to resolve paths.

use crate::{axes, sys};
use core::ffi::{CStr, c_int, c_void};
use core::sync::atomic::{AtomicU64, Ordering};
use libc::dl_phdr_info;

unsafe extern "C" {
    fn dl_iterate_phdr(
        callback: unsafe extern "C" fn(*mut dl_phdr_info, usize, *mut c_void) -> c_int,
        data: *mut c_void,
    ) -> c_int;
}

/// How many modules had been loaded when the map was last written, and one.
static WRITTEN: AtomicU64 = AtomicU64::new(0);

/// Brings the map up to date.
pub fn write() {
    let mut loaded = 0u64;
    // SAFETY: the callback gets a pointer to `loaded`, which outlives the call.
    unsafe { dl_iterate_phdr(count_loaded, (&raw mut loaded).cast()) };
    if WRITTEN.swap(loaded + 1, Ordering::Relaxed) == loaded + 1 {
        return;
    }
    let Some(mut fd) = axes::side_file(b"modules") else { return };
    // SAFETY: the callback gets a pointer to `fd`, which outlives the call.
    unsafe { dl_iterate_phdr(write_module, (&raw mut fd).cast()) };
    sys::close(fd);
}

unsafe extern "C" fn count_loaded(info: *mut dl_phdr_info, _size: usize, loaded: *mut c_void) -> c_int {
    // SAFETY: `write` passes a counter; the loader passes the information.
    unsafe { *loaded.cast::<u64>() = (*info).dlpi_adds };
    1
}

unsafe extern "C" fn write_module(info: *mut dl_phdr_info, _size: usize, fd: *mut c_void) -> c_int {
    // SAFETY: `write` passes a descriptor; the loader passes the information.
    let (info, fd) = unsafe { (&*info, *fd.cast::<c_int>()) };
    let mut line = Line::new();
    let (start, end) = extent(info);
    for number in [start, end, info.dlpi_addr] {
        line.hex(number);
        line.put(b" ");
    }
    match build_id(info) {
        Some(id) => id.iter().for_each(|byte| line.hex_byte(*byte)),
        None => line.put(b"-"),
    }
    line.put(b" ");
    // SAFETY: the loader's names end with zero; the main program's is empty.
    let name = unsafe { CStr::from_ptr(info.dlpi_name) }.to_bytes();
    if name.is_empty() {
        line.put_executable()
    } else {
        line.put(name)
    }
    line.put(b"\n");
    if start < end {
        sys::write(fd, line.bytes());
    }
    0
}

fn segments(info: &dl_phdr_info) -> &[libc::Elf64_Phdr] {
    // SAFETY: the loader's table has that many headers.
    unsafe { core::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum as usize) }
}

/// The addresses a module takes.
fn extent(info: &dl_phdr_info) -> (u64, u64) {
    let loads = || segments(info).iter().filter(|segment| segment.p_type == libc::PT_LOAD);
    let start = loads().map(|segment| segment.p_vaddr).min().unwrap_or(0);
    let end = loads().map(|segment| segment.p_vaddr.wrapping_add(segment.p_memsz)).max().unwrap_or(0);
    (info.dlpi_addr.wrapping_add(start), info.dlpi_addr.wrapping_add(end))
}

/// The build id among a module's notes.
fn build_id(info: &dl_phdr_info) -> Option<&[u8]> {
    const GNU_BUILD_ID: u32 = 3;
    for segment in segments(info).iter().filter(|segment| segment.p_type == libc::PT_NOTE) {
        let start = info.dlpi_addr.wrapping_add(segment.p_vaddr) as *const u8;
        // SAFETY: a note segment is mapped with the module.
        let mut notes = unsafe { core::slice::from_raw_parts(start, segment.p_memsz as usize) };
        while let Some((header, rest)) = notes.split_at_checked(12) {
            let word = |at: usize| u32::from_ne_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
            let (name, size) = ((word(0) as usize).next_multiple_of(4), word(4) as usize);
            let content = rest.get(name..name + size)?;
            if word(8) == GNU_BUILD_ID && rest.starts_with(b"GNU\0") {
                return Some(content);
            }
            notes = rest.get(name + size.next_multiple_of(4)..)?;
        }
    }
    None
}

/// A line under construction.
struct Line {
    bytes: [u8; 4608],
    used: usize,
}

impl Line {
    const fn new() -> Self {
        Self { bytes: [0; 4608], used: 0 }
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes[..self.used]
    }

    fn put(&mut self, part: &[u8]) {
        let room = self.bytes.len() - self.used;
        let part = &part[..part.len().min(room)];
        self.bytes[self.used..self.used + part.len()].copy_from_slice(part);
        self.used += part.len();
    }

    fn hex(&mut self, number: u64) {
        let digits = (64 - number.leading_zeros()).div_ceil(4).max(1);
        for digit in (0..digits).rev() {
            self.put(&[b"0123456789abcdef"[(number >> (4 * digit) & 15) as usize]]);
        }
    }

    fn hex_byte(&mut self, byte: u8) {
        self.hex(u64::from(byte >> 4));
        self.hex(u64::from(byte & 15));
    }

    /// The path of the running program.
    fn put_executable(&mut self) {
        self.used += sys::read_link(b"/proc/self/exe\0", &mut self.bytes[self.used..4500]);
    }
}
