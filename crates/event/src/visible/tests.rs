use super::{OpKind, Operation};

fn op(kind: OpKind) -> Operation {
    Operation::new(kind, 64)
}

fn conflict(a: OpKind, b: OpKind) -> bool {
    let (there, back) = (op(a).conflicts_with(&op(b)), op(b).conflicts_with(&op(a)));
    assert_eq!(there, back, "{a:?} {b:?}");
    there
}

#[test]
fn numbers_and_names_go_there_and_back() {
    for (number, &kind) in OpKind::ALL.iter().enumerate() {
        assert_eq!(OpKind::from_number(number as u8), Some(kind));
        assert_eq!(OpKind::from_name(kind.name()), Some(kind));
    }
    assert_eq!(OpKind::from_number(OpKind::ALL.len() as u8), None);
}

#[test]
fn locks() {
    use OpKind::{Lock, LockFailed, ReadLock, ReadUnlock, TryLock, Unlock};
    assert!(conflict(Lock, Lock) && conflict(Lock, Unlock) && conflict(TryLock, Lock) && conflict(LockFailed, Unlock));
    assert!(!conflict(LockFailed, LockFailed));
    assert!(conflict(ReadLock, Lock) && conflict(ReadUnlock, Lock) && conflict(ReadUnlock, LockFailed));
    assert!(!conflict(ReadLock, ReadLock) && !conflict(ReadLock, ReadUnlock));
    assert!(!op(Lock).conflicts_with(&Operation::new(Lock, 65)));
}

#[test]
fn a_wait_uses_two_objects() {
    let wait = Operation::new(OpKind::Wait, 8).and(64);
    assert!(op(OpKind::Lock).conflicts_with(&wait));
    assert!(Operation::new(OpKind::Signal, 8).conflicts_with(&wait));
    assert!(!Operation::new(OpKind::Signal, 64 + 8).conflicts_with(&wait));
    let rewake = Operation::new(OpKind::Rewake, 8).and(64);
    assert!(op(OpKind::Lock).conflicts_with(&rewake));
    assert!(!Operation::new(OpKind::Signal, 8).conflicts_with(&rewake));
    assert!(Operation::new(OpKind::Signal, 8).conflicts_with(&Operation::new(OpKind::LeftWait, 8).and(64)));
}

#[test]
fn memory_overlaps() {
    use OpKind::{Load, PlainWrite, Store};
    let at = |kind, address, bytes| Operation::new(kind, address).with(bytes);
    assert!(at(Store, 8, 4).conflicts_with(&at(Load, 8, 1)));
    assert!(at(Store, 8, 4).conflicts_with(&at(Load, 11, 1)));
    assert!(at(Load, 11, 1).conflicts_with(&at(PlainWrite, 8, 4)));
    assert!(!at(Store, 8, 4).conflicts_with(&at(Load, 12, 1)));
    assert!(!at(Load, 8, 4).conflicts_with(&at(Load, 8, 4)));
    assert!(at(Store, 8, 4).conflicts_with(&Operation::new(OpKind::Spin, 0)));
}

#[test]
fn arrivals_of_one_generation_commute() {
    let arrive = |generation, missing| op(OpKind::BarrierArrive).with(Operation::arrival(generation, missing));
    assert!(!arrive(0, 2).conflicts_with(&arrive(0, 1)));
    assert!(!arrive(0, 2).conflicts_with(&arrive(0, 2)));
    assert!(arrive(0, 1).conflicts_with(&arrive(0, 1)), "the other would be in the next generation");
    assert!(arrive(0, 2).conflicts_with(&arrive(1, 2)));
}

#[test]
fn exit_conflicts_with_everything() {
    assert!(Operation::new(OpKind::Exit, 0).conflicts_with(&op(OpKind::Yield)));
    assert!(!op(OpKind::Yield).conflicts_with(&op(OpKind::Yield)));
    assert!(!Operation::new(OpKind::Create, 0).conflicts_with(&Operation::new(OpKind::Start, 0)));
}
