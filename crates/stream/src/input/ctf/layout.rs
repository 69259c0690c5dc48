//! The blocks of metadata: `trace`, `clock`, `stream`, `event`.
use super::CtfProblem;
use super::lexer::Token;
use super::parser::{Parser, Setting, number_of, order_of};
use super::types::{Clock, EventType, Layout, Order, Stream, Type};
use rustc_hash::FxHashMap;

/// A block: what is set with `=`, and the types given with `:=`.
#[derive(Default)]
struct Block {
    settings: Vec<Setting>,
    types: FxHashMap<String, Type>,
}

impl Layout {
    /// Reads the text of metadata.
    pub fn parse(text: &str) -> Result<Layout, CtfProblem> {
        let mut parser = Parser::new(text)?;
        let mut layout = Layout {
            order: Order::Little,
            packet_header: None,
            clock: Clock { frequency: 1_000_000_000, offset_seconds: 0, offset: 0 },
            streams: Vec::new(),
            events: Vec::new(),
        };
        let (mut has_trace, mut clocks) = (false, 0);
        while parser.peek().is_some() {
            if parser.definition()? {
                continue;
            }
            let kind = parser.word()?;
            let block = block(&mut parser)?;
            parser.expect(";")?;
            has_trace |= &*kind == "trace";
            clocks += u32::from(&*kind == "clock");
            if clocks > 1 {
                return Err(parser.wrong("a trace with several clocks is not read"));
            }
            layout.add(&kind, block, &parser)?;
        }
        if layout.streams.is_empty() {
            layout.streams.push(Stream::default());
        }
        if !has_trace {
            return Err(parser.wrong("there is no `trace` block"));
        }
        Ok(layout)
    }

    fn add(&mut self, kind: &str, mut block: Block, parser: &Parser) -> Result<(), CtfProblem> {
        let id = |name| number_of(&block.settings, name).and_then(|id| u64::try_from(id).ok()).unwrap_or(0);
        match kind {
            "trace" => {
                self.order = order_of(&block.settings).ok_or_else(|| parser.wrong("`trace` needs a byte order"))?;
                self.packet_header = block.types.remove("packet.header");
            }
            "clock" => self.clock = clock(&block, parser)?,
            "stream" => self.streams.push(Stream {
                id: id("id"),
                packet_context: block.types.remove("packet.context"),
                event_header: block.types.remove("event.header"),
                event_context: block.types.remove("event.context"),
            }),
            "event" => self.events.push(EventType {
                name: event_name(&block).ok_or_else(|| parser.wrong("an event needs a name"))?,
                id: id("id"),
                stream: id("stream_id"),
                context: block.types.remove("context"),
                fields: block.types.remove("fields"),
            }),
            "env" | "callsite" => {}
            other => return Err(parser.wrong(format!("`{other}` is not a block of metadata"))),
        }
        Ok(())
    }
}

fn block(parser: &mut Parser) -> Result<Block, CtfProblem> {
    parser.expect("{")?;
    parser.scoped(|parser| {
        let mut block = Block::default();
        while !parser.eat("}") {
            if parser.definition()? {
                continue;
            }
            let name = parser.path()?.join(".");
            if parser.eat(":=") {
                let ty = parser.type_()?;
                parser.expect(";")?;
                block.types.insert(name, ty);
            } else {
                parser.expect("=")?;
                block.settings.push((name, parser.value()?));
            }
        }
        Ok(block)
    })
}

fn clock(block: &Block, parser: &Parser) -> Result<Clock, CtfProblem> {
    let number = |name, default| match number_of(&block.settings, name) {
        Some(number) => i64::try_from(number).map_err(|_| parser.wrong(format!("{number} is too large"))),
        None => Ok(default),
    };
    let frequency = number("freq", 1_000_000_000)?;
    if frequency <= 0 {
        return Err(parser.wrong("a clock has a positive frequency"));
    }
    Ok(Clock { frequency: frequency as u64, offset_seconds: number("offset_s", 0)?, offset: number("offset", 0)? })
}

/// The name of an event: a text, or words with separators between them.
fn event_name(block: &Block) -> Option<std::rc::Rc<str>> {
    let (_, words) = block.settings.iter().find(|(name, _)| name == "name")?;
    let text: String = words
        .iter()
        .map(|word| match word {
            Token::Word(word) | Token::Text(word) => word.to_string(),
            Token::Number(number) => number.to_string(),
            Token::Sign(sign) => (*sign).to_owned(),
        })
        .collect();
    Some(text.into())
}
