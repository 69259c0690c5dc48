//! Classic BPF as filters of system calls are written in: what would a filter say to a call? The kernel's interpreter, for
//! the instructions it allows there (`seccomp(2)`, `bpf_check_classic` and `seccomp_check_filter` in its sources).

/// An instruction, as the kernel lays it out.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Instruction {
    code: u16,
    if_true: u8,
    if_false: u8,
    value: u32,
}

/// What a filter looks at: `struct seccomp_data`, in words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Call([u32; WORDS]);

const WORDS: usize = 16;
/// `AUDIT_ARCH_X86_64`.
const ARCHITECTURE: u32 = 0xc000_003e;

impl Call {
    /// A call of this number.
    pub fn new(number: i64, arguments: [u64; 6]) -> Self {
        let mut words = [0; WORDS];
        (words[0], words[1]) = (number as u32, ARCHITECTURE);
        for (index, argument) in arguments.into_iter().enumerate() {
            (words[4 + 2 * index], words[5 + 2 * index]) = (argument as u32, (argument >> 32) as u32);
        }
        Self(words)
    }
}

/// What a filter answers to a call; `None` if it is none that the kernel would take.
pub fn run(filter: &[Instruction], call: &Call) -> Option<u32> {
    let (mut a, mut x, mut memory) = (0u32, 0u32, [0u32; 16]);
    let mut at = 0;
    // Jumps go forwards only.
    while let Some(&Instruction { code, if_true, if_false, value }) = filter.get(at) {
        at += 1;
        let operand = if code & 8 == 0 { value } else { x };
        match code & 7 {
            0 => a = load(code, value, call, &memory)?,
            1 => x = load(code, value, call, &memory)?,
            2 => *memory.get_mut(value as usize)? = a,
            3 => *memory.get_mut(value as usize)? = x,
            4 => a = calculate(code, a, operand)?,
            5 if code & 0xf0 == 0 => at = at.checked_add(value as usize)?,
            5 => at += usize::from(if holds(code, a, operand)? { if_true } else { if_false }),
            6 => return Some(if code & 0x18 == 0x10 { a } else { value }),
            _ if code & 0xf8 == 0 => x = a,
            _ => a = x,
        }
    }
    None
}

fn load(code: u16, value: u32, call: &Call, memory: &[u32; 16]) -> Option<u32> {
    match code & 0xe0 {
        0x00 => Some(value),
        0x20 if value.is_multiple_of(4) => call.0.get(value as usize / 4).copied(),
        0x60 => memory.get(value as usize).copied(),
        0x80 => Some((WORDS * 4) as u32),
        _ => None,
    }
}

fn calculate(code: u16, a: u32, operand: u32) -> Option<u32> {
    match code & 0xf0 {
        0x00 => Some(a.wrapping_add(operand)),
        0x10 => Some(a.wrapping_sub(operand)),
        0x20 => Some(a.wrapping_mul(operand)),
        // To divide by zero ends the filter with zero, which is the harshest answer.
        0x30 => a.checked_div(operand),
        0x40 => Some(a | operand),
        0x50 => Some(a & operand),
        0x60 => Some(a.checked_shl(operand).unwrap_or(0)),
        0x70 => Some(a.checked_shr(operand).unwrap_or(0)),
        0x80 => Some(a.wrapping_neg()),
        0xa0 => Some(a ^ operand),
        _ => None,
    }
}

fn holds(code: u16, a: u32, operand: u32) -> Option<bool> {
    match code & 0xf0 {
        0x10 => Some(a == operand),
        0x20 => Some(a > operand),
        0x30 => Some(a >= operand),
        0x40 => Some(a & operand != 0),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn instruction(code: u16, if_true: u8, if_false: u8, value: u32) -> Instruction {
        Instruction { code, if_true, if_false, value }
    }

    /// Refuses another architecture, call 7, and call 9 if its second argument has bit 33 set.
    const FILTER: [Instruction; 9] = [
        instruction(0x20, 0, 0, 4),
        instruction(0x15, 0, 6, ARCHITECTURE),
        instruction(0x20, 0, 0, 0),
        instruction(0x15, 4, 0, 7),
        instruction(0x15, 0, 2, 9),
        instruction(0x20, 0, 0, 16 + 8 + 4),
        instruction(0x45, 1, 0, 2),
        instruction(0x06, 0, 0, 0x7fff_0000),
        instruction(0x06, 0, 0, 0x0005_0001),
    ];

    #[test]
    fn calls_are_judged_by_number_and_arguments() {
        let answer = |number, second| run(&FILTER, &Call::new(number, [0, second, 0, 0, 0, 0]));
        assert_eq!(answer(8, 0), Some(0x7fff_0000));
        assert_eq!(answer(7, 0), Some(0x0005_0001));
        assert_eq!(answer(9, 1 << 33), Some(0x0005_0001));
        assert_eq!(answer(9, 1 << 34), Some(0x7fff_0000));
    }

    #[test]
    fn what_the_kernel_can_calculate_is_calculated() {
        // ((length + 8) ^ 5) >> 2, kept and fetched again, negated twice: 19.
        let filter = [
            instruction(0x80, 0, 0, 0),
            instruction(0x04, 0, 0, 8),
            instruction(0xa4, 0, 0, 5),
            instruction(0x74, 0, 0, 2),
            instruction(0x02, 0, 0, 3),
            instruction(0x00, 0, 0, 0),
            instruction(0x61, 0, 0, 3),
            instruction(0x87, 0, 0, 0),
            instruction(0x84, 0, 0, 0),
            instruction(0x07, 0, 0, 0),
            instruction(0x87, 0, 0, 0),
            instruction(0x84, 0, 0, 0),
            instruction(0x16, 0, 0, 0),
        ];
        assert_eq!(run(&filter, &Call::new(1, [0; 6])), Some(19));
    }

    #[test]
    fn what_is_no_filter_has_no_answer() {
        let call = Call::new(1, [0; 6]);
        for filter in [&[][..], &FILTER[..3], &[instruction(0x20, 0, 0, 64)], &[instruction(0x02, 0, 0, 16)]] {
            assert_eq!(run(filter, &call), None);
        }
    }
}
