//! The ends of pipes, of pairs of sockets, and eventfds: what they are, and new ones in their place.

use super::{file_kind, own_call, read_link};

/// What a descriptor stands for.
#[derive(Clone, Copy)]
pub enum EndKind {
    /// An end of an empty pipe.
    Pipe {
        /// It is read from.
        reads: bool,
    },
    /// One of a pair of sockets of this type, with nothing to be read.
    Socket(i32),
    /// An eventfd with this count.
    Event(u64),
    /// It waits for others.
    Waiter,
}

/// A name of a descriptor in `/proc`, with a zero at the end.
fn name(prefix: &[u8], fd: i32, room: &mut [u8; 40]) -> usize {
    room[..prefix.len()].copy_from_slice(prefix);
    let (mut at, mut divisor) = (prefix.len(), 1);
    while fd / divisor > 9 {
        divisor *= 10;
    }
    while divisor > 0 {
        room[at] = b'0' + (fd / divisor % 10) as u8;
        (at, divisor) = (at + 1, divisor / 10);
    }
    room[at] = 0;
    at + 1
}

/// What the descriptor stands for; none, if it is something else, or has something to be read.
pub fn end_kind(fd: i32) -> Option<EndKind> {
    let mut waiting = 0i32;
    let is_empty =
        |waiting: &mut i32| call!(SYS_ioctl, fd, libc::FIONREAD, core::ptr::from_mut(waiting)).is_ok() && *waiting == 0;
    match file_kind(fd).ok()?.0 {
        libc::S_IFIFO => {
            let flags = call!(SYS_fcntl, fd, libc::F_GETFL).ok()? as i32;
            let reads = flags & libc::O_ACCMODE == libc::O_RDONLY;
            is_empty(&mut waiting).then_some(EndKind::Pipe { reads })
        }
        libc::S_IFSOCK if is_empty(&mut waiting) => socket_kind(fd).map(EndKind::Socket),
        0 => {
            let (mut path, mut target) = ([0; 40], [0; 32]);
            name(b"/proc/self/fd/", fd, &mut path);
            let length = read_link(&path, &mut target).min(target.len());
            match &target[..length] {
                b"anon_inode:[eventfd]" => event_count(fd).map(EndKind::Event),
                b"anon_inode:[eventpoll]" => Some(EndKind::Waiter),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The type of a socket that is one of a pair.
fn socket_kind(fd: i32) -> Option<i32> {
    let option = |name: i32| {
        let (mut value, mut length) = (0i32, size_of::<i32>() as u32);
        let (to, size) = (core::ptr::from_mut(&mut value), core::ptr::from_mut(&mut length));
        call!(SYS_getsockopt, fd, libc::SOL_SOCKET, name, to, size).ok().map(|_| value)
    };
    (option(libc::SO_DOMAIN)? == libc::AF_UNIX).then(|| option(libc::SO_TYPE)).flatten()
}

/// The count of an eventfd, as its description says it: `eventfd-count:                3`.
fn event_count(fd: i32) -> Option<u64> {
    let (mut path, mut text) = ([0; 40], [0u8; 256]);
    let length = name(b"/proc/self/fdinfo/", fd, &mut path);
    let file = super::open(&path[..length], libc::O_RDONLY, 0).ok()?;
    let read = super::read(file, &mut text);
    super::close(file);
    let text = core::str::from_utf8(&text[..read]).ok()?;
    let count = text.lines().find_map(|line| line.strip_prefix("eventfd-count:"))?;
    u64::from_str_radix(count.trim(), 16).ok()
}

/// Two new ends, or an eventfd and a copy.
pub fn make_ends(kind: EndKind) -> Option<[i32; 2]> {
    let mut ends = [0i32; 2];
    let to = ends.as_mut_ptr();
    match kind {
        EndKind::Pipe { .. } => call!(SYS_pipe2, to, 0).ok()?,
        EndKind::Socket(kind) => call!(SYS_socketpair, libc::AF_UNIX, kind, 0, to).ok()?,
        EndKind::Event(count) => {
            let event = call!(SYS_eventfd2, count, 0).ok()?;
            ends = [event as i32, call!(SYS_dup, event).ok()? as i32];
            0
        }
        EndKind::Waiter => return None,
    };
    Some(ends)
}

/// Puts a new end in the place of a descriptor, the one with this number of those that stand for the same.
pub fn put_end(ends: [i32; 2], kind: EndKind, number: usize, fd: i32) {
    let end = match kind {
        EndKind::Pipe { reads } => ends[usize::from(!reads)],
        _ => ends[number % 2],
    };
    let flags = |what: i32| call!(SYS_fcntl, fd, what).unwrap_or(0) as i32;
    let (status, descriptor) = (flags(libc::F_GETFL), flags(libc::F_GETFD));
    if call!(SYS_dup3, end, fd, if descriptor & libc::FD_CLOEXEC != 0 { libc::O_CLOEXEC } else { 0 }).is_ok() {
        let _ = call!(SYS_fcntl, fd, libc::F_SETFL, status & libc::O_NONBLOCK);
    }
}
