//! Which channel a file descriptor belongs to.
//!
//! A channel has a number above all addresses, so that it is never taken for an object in memory: bit 60, the kind from
//! bit 56, and below it what tells channels of that kind apart. Both ends of a pipe share an inode, both ends of a
//! connection a pair of ports or the path of the listening socket; what has nothing of the sort is numbered. Ports are
//! compared alone: connections to other machines have no other end here that could be confused with.

use crate::axes;
use crate::memory::arena;
use crate::memory::spin::Spin;
use crate::op::in_gate::files;
use crate::op::part;
use crate::run::sync;
use crate::sys::{self, End};
use crate::thread::tls::Section;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};
use foretrace_event::schedule::CHANGES;
use foretrace_event::wire::Op;

/// A channel's number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Channel(u64);

/// What tells channels apart.
#[derive(Clone, Copy)]
#[repr(u64)]
enum Kind {
    Numbered = 0,
    Pipe = 1,
    Connection = 2,
    Listener = 3,
    Datagrams = 4,
    Queue = 5,
    File = 6,
    Signal = 7,
    Data = 8,
    Name = 9,
    Descriptor = 10,
    Changes = CHANGES & 0xf,
}

static NEXT: AtomicU64 = AtomicU64::new(0);
/// There is a descriptor through which changes of files are reported.
static REPORTED: AtomicBool = AtomicBool::new(false);

impl Channel {
    const TAG: u64 = 1 << 60;

    const fn new(kind: Kind, key: u64) -> Self {
        Self(Self::TAG | (kind as u64) << 56 | key & 0xff_ffff_ffff_ffff)
    }

    /// One that nothing has belonged to yet.
    pub fn fresh() -> Self {
        Self::new(Kind::Numbered, NEXT.fetch_add(1, Ordering::Relaxed))
    }

    /// The pipe that the descriptor is an end of: the one it is found to be when nothing else is known of it.
    pub fn pipe(fd: i32) -> Option<Self> {
        match sys::file_kind(fd) {
            Ok((libc::S_IFIFO, inode)) => Some(Self::new(Kind::Pipe, inode)),
            _ => None,
        }
    }

    /// The locks on the file that the descriptor stands for.
    pub fn file(fd: i32) -> Option<Self> {
        sys::file_kind(fd).ok().map(|(_, inode)| Self::new(Kind::File, inode))
    }

    /// What is written in a file.
    pub fn data(inode: u64) -> Self {
        Self::new(Kind::Data, inode)
    }

    const fn is_data(self) -> bool {
        self.0 & Self::new(Kind::Numbered, 0).0 != 0 && self.0 >> 56 & 0xf == Kind::Data as u64
    }

    /// The name of a file or directory.
    pub fn name(name: &[u8]) -> Self {
        Self::new(Kind::Name, hash(name))
    }

    /// All sockets that send datagrams: who receives what is not known from the descriptor.
    pub const fn datagrams() -> Self {
        Self::new(Kind::Datagrams, 0)
    }

    /// A message queue, by its number.
    pub const fn queue(number: u64) -> Self {
        Self::new(Kind::Queue, number)
    }

    /// A message queue, by its name.
    pub fn named_queue(name: &[u8]) -> Self {
        Self::new(Kind::Queue, hash(name))
    }

    /// Changes of files, which the kernel reports through descriptors made for that.
    pub fn changes() -> Self {
        REPORTED.store(true, Ordering::Relaxed);
        Self::new(Kind::Changes, 0)
    }

    /// A signal, by its number; zero for all of them.
    pub const fn signal(number: i32) -> Self {
        Self::new(Kind::Signal, number as u64)
    }

    /// The socket that listens at this address.
    pub fn listener(address: &[u8]) -> Option<Self> {
        port(address).map(|port| Self::new(Kind::Listener, port))
    }

    /// The connection that this socket is an end of.
    pub fn connection(fd: i32) -> Option<Self> {
        let here = sys::socket_address(fd, End::Here).ok().and_then(|(address, length)| port(&address[..length]));
        let there = sys::socket_address(fd, End::There).ok().and_then(|(address, length)| port(&address[..length]));
        Self::between(here, there)
    }

    /// The connection between two addresses' ports, or to the socket that has a path.
    fn between(here: Option<u64>, there: Option<u64>) -> Option<Self> {
        match (here, there) {
            (Some(here), Some(there)) => Some(Self::new(Kind::Connection, here.min(there) << 20 ^ here.max(there))),
            (Some(one), None) | (None, Some(one)) => Some(Self::new(Kind::Connection, one)),
            (None, None) => None,
        }
    }

    /// The connection that this socket is about to get to an address.
    pub fn connection_to(fd: i32, address: &[u8]) -> Option<Self> {
        let here = sys::socket_address(fd, End::Here).ok().and_then(|(address, length)| port(&address[..length]));
        Self::between(here, port(address))
    }

    /// Everything before is visible to later [`Self::acquire`]s.
    pub fn release(self, pc: usize) {
        sync(Op::Release, self.0 as usize, 0, pc);
    }

    /// Sees what was released.
    pub fn acquire(self, pc: usize) {
        sync(Op::Acquire, self.0 as usize, 0, pc);
    }
}

fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

/// The port of an internet address, or a number for the path of a local one; none for one without a name.
fn port(address: &[u8]) -> Option<u64> {
    let family = i32::from(u16::from_ne_bytes([*address.first()?, *address.get(1)?]));
    match family {
        libc::AF_INET | libc::AF_INET6 => Some(u64::from(u16::from_be_bytes([*address.get(2)?, *address.get(3)?]))),
        libc::AF_UNIX if address.len() > 2 => {
            let path = &address[2..];
            // An abstract name begins with a zero byte and has all the bytes; a path ends at the first.
            let end = path.iter().skip(1).position(|byte| *byte == 0).map_or(path.len(), |end| end + 1);
            Some(hash(if path[0] == 0 { path } else { &path[..end] }) >> 24 | 1 << 32)
        }
        _ => None,
    }
}

/// Nothing is known of the descriptor; it is looked at when it is first used.
const UNKNOWN: u64 = 0;
/// It belongs to no channel.
const NONE: u64 = 1;

const PAGE: usize = 1024;
/// Descriptors from a million on, which the kernel gives out only if told to, belong to no channel.
const PAGES: usize = 1024;

type Page = [AtomicU64; PAGE];

static TABLE: [AtomicPtr<Page>; PAGES] = [const { AtomicPtr::new(null_mut()) }; PAGES];
static GROWING: Spin<()> = Spin::new(());

fn page(index: usize) -> Option<&'static Page> {
    // SAFETY: pages are never freed; zero bytes are a valid page.
    unsafe { TABLE.get(index)?.load(Ordering::Acquire).as_ref() }
}

fn slot(fd: i32) -> Option<&'static AtomicU64> {
    let fd = usize::try_from(fd).ok().filter(|fd| *fd < PAGE * PAGES)?;
    let page = page(fd / PAGE).or_else(|| new_page(fd / PAGE))?;
    Some(&page[fd % PAGE])
}

#[cold]
fn new_page(index: usize) -> Option<&'static Page> {
    let _section = Section::nest();
    let _growing = GROWING.lock();
    if page(index).is_none() {
        TABLE[index].store(arena::allocate(size_of::<Page>())?.cast(), Ordering::Release);
    }
    page(index)
}

/// The channel of a descriptor.
pub fn of(fd: i32) -> Option<Channel> {
    if !axes::is_live() {
        return None;
    }
    let slot = slot(fd)?;
    let mut known = slot.load(Ordering::Relaxed);
    if known == UNKNOWN {
        known = look(fd);
        slot.store(known, Ordering::Relaxed);
    }
    (known != NONE).then_some(Channel(known))
}

/// A descriptor that was not seen coming: a file, a named pipe, or one that the program got from elsewhere.
fn look(fd: i32) -> u64 {
    match sys::file_kind(fd) {
        _ if fd <= libc::STDERR_FILENO => NONE,
        Ok((libc::S_IFIFO, inode)) => Channel::new(Kind::Pipe, inode).0,
        Ok((libc::S_IFREG, inode)) => Channel::data(inode).0,
        _ => NONE,
    }
}

/// The descriptor is about to be given back. The kernel gives its number out again only after that.
pub fn give_back(fd: i32) {
    reuse(Op::Release, fd);
}

/// The program has got the descriptor. Functions that hide its number in a stream or a directory do not count: what a program
/// does next does not depend on it.
pub fn take(fd: i32) {
    reuse(Op::Acquire, fd);
}

fn reuse(op: Op, fd: i32) {
    if axes::is_replaying() && fd >= 0 {
        part::reuse(op, Channel::new(Kind::Descriptor, fd as u64).0 as usize);
    }
}

/// Sets the channel of a new descriptor. Channels are kept from the beginning, though order is recorded later.
pub fn set(fd: i32, channel: Option<Channel>) {
    take(fd);
    if axes::is_on()
        && let Some(slot) = slot(fd)
    {
        slot.store(channel.map_or(NONE, |channel| channel.0), Ordering::Relaxed);
        files::closed(fd);
    }
}

/// The descriptor is closed, or stands for another file from now on.
pub fn forget(fd: i32) {
    if let Some(page) = usize::try_from(fd).ok().and_then(|fd| page(fd / PAGE)) {
        page[fd as usize % PAGE].store(UNKNOWN, Ordering::Relaxed);
        files::closed(fd);
    }
}

/// As [`forget`], for all descriptors from `first` to `last`.
pub fn forget_range(first: u32, last: u32) {
    let last = last.min((PAGE * PAGES) as u32 - 1);
    for fd in first..=last {
        forget(fd as i32);
    }
}

/// One descriptor is made to stand for what another stands for.
pub fn copy(from: i32, to: i32) {
    take(to);
    if axes::is_on()
        && let (Some(old), Some(new)) = (slot(from), slot(to))
    {
        new.store(old.load(Ordering::Relaxed), Ordering::Relaxed);
        files::copied(from, to);
    }
}

/// Data is about to go into a descriptor.
#[inline]
pub fn release(fd: i32, pc: usize) {
    if let Some(channel) = of(fd) {
        channel.release(pc);
        if channel.is_data() {
            changing(pc);
        }
    }
}

/// A file or directory is about to change.
pub fn changing(pc: usize) {
    if REPORTED.load(Ordering::Relaxed) {
        Channel::changes().release(pc);
    }
}

/// The descriptor is about to be closed. Whoever reads a file does not see that another has closed it.
pub fn close(fd: i32, pc: usize) {
    match of(fd) {
        Some(channel) if channel.is_data() => changing(pc),
        Some(channel) => channel.release(pc),
        None => {}
    }
}

/// Data has come out of a descriptor.
#[inline]
pub fn acquire(fd: i32, pc: usize) {
    if let Some(channel) = of(fd) {
        channel.acquire(pc);
    }
}

/// In a forked child.
fn reset_locks() {
    GROWING.reset();
}
at_fork!(reset_locks);

#[cfg(test)]
mod tests {
    use super::*;

    fn local(path: &[u8]) -> Vec<u8> {
        [&[libc::AF_UNIX as u8, 0], path].concat()
    }

    #[test]
    fn both_ends_of_a_connection_are_one_channel() {
        let (client, server) = (Some(40_000), Some(80));
        assert_eq!(Channel::between(client, server), Channel::between(server, client));
        assert_ne!(Channel::between(client, server), Channel::between(Some(40_001), server));
        assert_eq!(Channel::between(None, None), None);
    }

    #[test]
    fn a_path_is_the_same_with_and_without_what_follows_its_end() {
        assert_eq!(port(&local(b"/run/x\0junk")), port(&local(b"/run/x")));
        assert_ne!(port(&local(b"/run/x\0")), port(&local(b"/run/y\0")));
        assert_ne!(port(&local(b"\0abc")), port(&local(b"\0abd")));
        assert_eq!(port(&local(b"")), None);
    }

    #[test]
    fn files_are_told_from_other_channels() {
        use foretrace_event::schedule::is_file;
        assert!(is_file(Channel::data(7).0) && is_file(Channel::name(b"lock").0));
        assert!(!is_file(Channel::fresh().0) && !is_file(Channel::new(Kind::File, 7).0));
    }

    #[test]
    fn channels_lie_above_all_addresses() {
        for channel in [Channel::fresh(), Channel::datagrams(), Channel::queue(u64::MAX), Channel::named_queue(b"/q")] {
            assert!(channel.0 >> 47 != 0 && channel.0 & Channel::TAG != 0);
        }
    }
}
