//! One binary file of a trace: packets, and the events in them.
use super::bits::Bits;
use super::decode::{Decoder, Sections};
use super::types::{EventType, Layout, Stream, Type};
use super::{CtfEvent, CtfProblem};
use crate::value::ctf::{field, number};
use crate::value::{Fields, Items, Value, int};
use rustc_hash::FxHashMap;
use std::io::Read;
use std::rc::Rc;

/// The number a packet begins with.
const MAGIC: u64 = 0xC1FC_1FC1;
/// A packet is held in memory.
const MAX_PACKET: u64 = 1 << 28;
/// As much is read to find out how long a packet is.
const HEAD: usize = 1 << 16;

/// A file that is being read.
pub struct StreamFile<R> {
    input: R,
    layout: Rc<Layout>,
    events: FxHashMap<(u64, u64), usize>,
    packet: Option<Packet>,
    /// What was read beyond the end of a packet.
    rest: Vec<u8>,
    /// Events that the tracer dropped, as the packets count them.
    pub discarded: u64,
}

struct Packet {
    bytes: Vec<u8>,
    /// How far it has been read, and up to where it goes, in bits.
    at: u64,
    end: u64,
    stream: usize,
    sections: Sections,
    ticks: u64,
}

impl<R: Read> StreamFile<R> {
    pub fn new(input: R, layout: Rc<Layout>) -> StreamFile<R> {
        let events = layout.events.iter().enumerate().map(|(at, event)| ((event.stream, event.id), at)).collect();
        StreamFile { input, layout, events, packet: None, rest: Vec::new(), discarded: 0 }
    }

    /// The next event.
    pub fn next(&mut self) -> Result<Option<CtfEvent>, CtfProblem> {
        loop {
            if let Some(mut packet) = self.packet.take()
                && packet.at < packet.end
            {
                let event = self.event(&mut packet)?;
                self.packet = Some(packet);
                return Ok(Some(event));
            }
            if !self.next_packet()? {
                return Ok(None);
            }
        }
    }

    /// Reads the next packet, if there is one.
    fn next_packet(&mut self) -> Result<bool, CtfProblem> {
        let mut bytes = std::mem::take(&mut self.rest);
        self.read_up_to(&mut bytes, HEAD as u64)?;
        if bytes.is_empty() {
            return Ok(false);
        }
        let mut packet = self.head(&bytes)?;
        let context = packet.sections.get("stream.packet.context");
        let size = |name| {
            let number = field(context?, name).map(number).and_then(int::to_time)?;
            u64::try_from(number).ok()
        };
        // Without a size, the rest of the file is one packet.
        let (whole, content) = (size("packet_size"), size("content_size"));
        let length = whole.or(content).unwrap_or(MAX_PACKET * 8).div_ceil(8);
        if length > MAX_PACKET {
            return Err(CtfProblem::TooLarge);
        }
        let known = whole.or(content).is_some();
        self.discarded = size("events_discarded").unwrap_or(self.discarded);
        self.read_up_to(&mut bytes, if known { length } else { length + 1 })?;
        if (known && (bytes.len() as u64) < length) || (!known && bytes.len() as u64 > MAX_PACKET) {
            return Err(CtfProblem::CutOff);
        }
        self.rest = bytes.split_off(bytes.len().min(length as usize));
        let length = bytes.len() as u64 * 8;
        packet.end = content.unwrap_or(length).min(length);
        if length <= packet.at && packet.end < packet.at {
            return Err(CtfProblem::CutOff);
        }
        packet.bytes = bytes;
        self.packet = Some(packet);
        Ok(true)
    }

    fn read_up_to(&mut self, bytes: &mut Vec<u8>, length: u64) -> Result<(), CtfProblem> {
        let missing = length.saturating_sub(bytes.len() as u64);
        self.input.by_ref().take(missing).read_to_end(bytes)?;
        Ok(())
    }

    /// The header and context of a packet.
    fn head(&mut self, bytes: &[u8]) -> Result<Packet, CtfProblem> {
        let layout = self.layout.clone();
        let mut bits = Bits::new(bytes, u64::MAX);
        let (mut sections, mut ticks) = (Sections::default(), 0);
        let mut stream = 0;
        if let Some(ty) = &layout.packet_header {
            let header = self.section(&mut bits, &mut ticks, &sections, ty)?;
            let read = |name| field(&header, name).and_then(int::to_time);
            if read("magic").is_some_and(|magic| magic != u128::from(MAGIC)) {
                return Err(CtfProblem::NotAPacket);
            }
            let id = read("stream_id").unwrap_or(u128::from(layout.streams[0].id));
            let at = layout.streams.iter().position(|stream| u128::from(stream.id) == id);
            stream = at.ok_or(CtfProblem::NoStream(id))?;
            sections.set("trace.packet.header", header);
        }
        if let Some(ty) = &layout.streams[stream].packet_context {
            let context = self.section(&mut bits, &mut ticks, &sections, ty)?;
            let begin = field(&context, "timestamp_begin").and_then(int::to_time);
            ticks = begin.map_or(0, |begin| begin as u64);
            sections.set("stream.packet.context", context);
        }
        Ok(Packet { bytes: Vec::new(), at: bits.at(), end: 0, stream, sections, ticks })
    }

    fn section(
        &self,
        bits: &mut Bits<'_>,
        ticks: &mut u64,
        sections: &Sections,
        ty: &Type,
    ) -> Result<Value, CtfProblem> {
        Decoder::new(bits, self.layout.order, ticks, sections).value(ty)
    }

    /// The next event of a packet.
    fn event(&self, packet: &mut Packet) -> Result<CtfEvent, CtfProblem> {
        let stream = &self.layout.streams[packet.stream];
        let mut bits = Bits::new(&packet.bytes, packet.end);
        bits.resume(packet.at);
        let mut parts = [const { None }; 4];
        let event = self.header(&mut bits, packet.stream, &mut packet.ticks, &mut packet.sections, &mut parts[0])?;
        let sections = [
            ("stream.event.context", &stream.event_context),
            ("event.context", &event.context),
            ("event.fields", &event.fields),
        ];
        for (part, (name, ty)) in parts[1..].iter_mut().zip(sections) {
            if let Some(ty) = ty {
                let value = self.section(&mut bits, &mut packet.ticks, &packet.sections, ty)?;
                packet.sections.set(name, value.clone());
                *part = Some(value);
            }
        }
        if bits.at() == packet.at {
            return Err(CtfProblem::NoBits(event.name.to_string()));
        }
        packet.at = bits.at();
        let context = packet.sections.get("stream.packet.context").cloned();
        Ok(CtfEvent { time: self.time(packet.ticks)?, name: event.name.clone(), value: joined(parts, context) })
    }

    /// The header of an event, which says what kind of event it is.
    fn header(
        &self,
        bits: &mut Bits<'_>,
        stream: usize,
        ticks: &mut u64,
        sections: &mut Sections,
        part: &mut Option<Value>,
    ) -> Result<&EventType, CtfProblem> {
        let Stream { id: stream, event_header, .. } = &self.layout.streams[stream];
        let mut id = None;
        if let Some(ty) = event_header {
            let header = self.section(bits, ticks, sections, ty)?;
            id = event_id(&header);
            sections.set("stream.event.header", header.clone());
            *part = Some(header);
        }
        let id = id.unwrap_or(0);
        let at = self.events.get(&(*stream, id)).ok_or(CtfProblem::NoEvent { stream: *stream, id })?;
        Ok(&self.layout.events[*at])
    }

    /// Nanoseconds since the clock's origin.
    fn time(&self, ticks: u64) -> Result<u128, CtfProblem> {
        let clock = &self.layout.clock;
        let ticks = i128::from(ticks) + i128::from(clock.offset);
        let nanoseconds = ticks * 1_000_000_000 / i128::from(clock.frequency);
        let time = nanoseconds + i128::from(clock.offset_seconds) * 1_000_000_000;
        u128::try_from(time).map_err(|_| CtfProblem::BeforeTime)
    }
}

/// The number of an event: the last field `id` of its header, which may be inside a variant.
fn event_id(header: &Value) -> Option<u64> {
    let Value::Fields(fields) = header else { return None };
    let own = field(header, "id").map(number).and_then(int::to_time).and_then(|id| u64::try_from(id).ok());
    fields.items.iter().find_map(event_id).or(own)
}

/// An event as a value: its parts by the names that `CTF.getInt` has for them.
fn joined([header, stream_context, event_context, fields]: [Option<Value>; 4], packet: Option<Value>) -> Value {
    let context = both(stream_context, event_context.clone());
    let names = ["context", "eventcontext", "eventheader", "fields", "packetcontext"];
    let parts = [context, event_context, header, fields, packet];
    let given = names.into_iter().zip(parts).filter_map(|(name, part)| Some((name.into(), part?)));
    record(given.collect())
}

/// The fields of two structures as one.
fn both(first: Option<Value>, second: Option<Value>) -> Option<Value> {
    if first.is_none() && second.is_none() {
        return None;
    }
    let fields = [first, second].into_iter().flatten().flat_map(|part| match part {
        Value::Fields(fields) => {
            let names = fields.names.iter().flat_map(|names| names.iter().cloned());
            names.zip(fields.items.iter().cloned()).collect::<Vec<_>>()
        }
        _ => Vec::new(),
    });
    Some(record(fields.collect()))
}

fn record(fields: Vec<(Rc<str>, Value)>) -> Value {
    let (names, items): (Vec<Rc<str>>, Vec<Value>) = fields.into_iter().unzip();
    Value::Fields(Rc::new(Fields { names: Some(names.into()), items: Items::from(items) }))
}
