//! Comma-separated values: a header with the timestamps' column first, then one row a timestamp. An empty
//! cell is no event.
use super::error::{InputError, Problem, shown};
use super::value::parse_value;
use super::{Names, Undeclared};
use crate::engine::{Engine, Sink};
use crate::ty::Ty;
use crate::types::InputDecl;
use crate::value::Value;
use std::io::BufRead;

pub struct CsvReader<'a> {
    pub name: &'a str,
    pub undeclared: Undeclared,
}

impl CsvReader<'_> {
    /// Reads everything; returns the number of events.
    pub fn run(&self, mut input: impl BufRead, engine: &mut Engine, sink: &mut impl Sink) -> Result<u64, InputError> {
        let plan = engine.plan().clone();
        let mut columns: Option<Vec<Option<usize>>> = None;
        let mut events = 0;
        let mut buffer = Vec::new();
        for number in 1u64.. {
            let at = |problem: Problem, column: usize| self.error(number, column, problem);
            if !foretrace_file::line(&mut input, &mut buffer).map_err(|error| at(error.into(), 1))? {
                break;
            }
            let line =
                std::str::from_utf8(&buffer).map_err(|_| at(Problem::NotText, 1))?.trim_end_matches(['\r', '\n']);
            if line.trim().is_empty() {
                continue;
            }
            let cells = cells(line);
            let Some(columns) = &columns else {
                columns = Some(self.header(&cells, &plan.inputs, number)?);
                continue;
            };
            if cells.len() != columns.len() {
                return Err(at(Problem::BadRow { wanted: columns.len(), found: cells.len() }, 1));
            }
            let time = cells[0].text.trim();
            let time = time.parse().map_err(|_| at(Problem::BadTime(shown(time)), 1))?;
            engine.advance(time, sink).map_err(|error| at(error.into(), 1))?;
            for (cell, column) in cells.iter().zip(columns) {
                let Some(input) = column else { continue };
                if cell.text.is_empty() && !cell.quoted {
                    continue;
                }
                events += 1;
                let value = cell_value(cell, &plan.inputs[*input])
                    .ok_or_else(|| at(bad_value(cell, &plan.inputs[*input]), cell.column))?;
                engine.push(time, *input, value, sink).map_err(|error| at(error.into(), 1))?;
            }
        }
        Ok(events)
    }

    fn header(&self, cells: &[Cell], inputs: &[InputDecl], line: u64) -> Result<Vec<Option<usize>>, InputError> {
        let names = Names::new(inputs);
        let time = cells[0].text.trim();
        if names.find(time).is_some() || time.parse::<u128>().is_ok() {
            return Err(self.error(line, 1, Problem::BadHeader));
        }
        let mut columns = vec![None];
        for cell in &cells[1..] {
            let found = names.find(cell.text.trim());
            if found.is_none() && self.undeclared == Undeclared::Reject {
                return Err(self.error(line, cell.column, Problem::Undeclared(shown(&cell.text))));
            }
            columns.push(found);
        }
        Ok(columns)
    }

    fn error(&self, line: u64, column: usize, problem: Problem) -> InputError {
        InputError { name: self.name.to_owned(), line, column, problem: Box::new(problem) }
    }
}

struct Cell {
    text: String,
    quoted: bool,
    column: usize,
}

/// The cells of a row; quotes keep commas together and are doubled inside.
fn cells(line: &str) -> Vec<Cell> {
    let mut cells = Vec::new();
    let mut cell = Cell { text: String::new(), quoted: false, column: 1 };
    let mut open = false;
    let mut chars = line.chars().enumerate().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' if open && chars.peek().is_some_and(|(_, next)| *next == '"') => {
                chars.next();
                cell.text.push('"');
            }
            '"' => {
                open = !open;
                cell.quoted = true;
            }
            ',' if !open => {
                let next = Cell { text: String::new(), quoted: false, column: at + 2 };
                cells.push(std::mem::replace(&mut cell, next));
            }
            c => cell.text.push(c),
        }
    }
    cells.push(cell);
    cells
}

fn cell_value(cell: &Cell, input: &InputDecl) -> Option<Value> {
    match &input.ty {
        Ty::Str => Some(Value::str(&cell.text)),
        ty => parse_value(&cell.text, ty),
    }
}

fn bad_value(cell: &Cell, input: &InputDecl) -> Problem {
    Problem::BadValue { stream: input.name.to_string(), wanted: input.ty.to_string(), found: shown(&cell.text) }
}
