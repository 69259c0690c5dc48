//! The parts of `std::map`, `std::set`, `std::list` and hash tables that are in the library's own code.

use crate::cxx::Name;
use crate::cxx::notes::{Arguments, Note};
use crate::op::access::{reads, writes};
use Name::Is;

/// A node of a tree.
#[repr(C)]
struct Node {
    colour: usize,
    parent: *const Self,
    left: *const Self,
    right: *const Self,
}

/// A node of a list.
#[repr(C)]
struct Link {
    next: *const Self,
    previous: *const Self,
}

unsafe fn inserts([left, new, parent, ..]: &Arguments, pc: usize) {
    let (new, parent) = (*new as *const Node, *parent as *const Node);
    writes(pc, new, size_of::<Node>());
    // SAFETY: the tree passes nodes of its own.
    let place = unsafe { if *left as u8 != 0 { &raw const (*parent).left } else { &raw const (*parent).right } };
    writes(pc, place, size_of::<usize>());
}

unsafe fn erases([old, head, ..]: &Arguments, pc: usize) {
    let (old, head) = (*old as *const Node, *head as *const Node);
    // SAFETY: the tree passes nodes of its own.
    unsafe {
        let parent = (*old).parent;
        let place = match () {
            () if (*head).parent == old => &raw const (*head).parent,
            () if (*parent).left == old => &raw const (*parent).left,
            () => &raw const (*parent).right,
        };
        writes(pc, place, size_of::<usize>());
    }
}

/// Goes to the next node to one side, as the library does, and reads what it reads.
unsafe fn walks(
    pc: usize,
    from: *const Node,
    side: fn(*const Node) -> *const *const Node,
    back: fn(*const Node) -> *const *const Node,
) {
    /// No tree is deeper; one that others change meanwhile may have a circle.
    const DEEPEST: usize = 128;
    let follow = |place: *const *const Node| {
        reads(pc, place, size_of::<usize>());
        // SAFETY: the tree passes nodes of its own, and what they lead to are others.
        unsafe { *place }
    };
    let mut node = follow(side(from));
    let mut steps = 0;
    if !node.is_null() {
        while !node.is_null() && steps < DEEPEST {
            (node, steps) = (follow(back(node)), steps + 1);
        }
        return;
    }
    // SAFETY: as above.
    let parent_of = |node: *const Node| unsafe { &raw const (*node).parent };
    let mut node = from;
    let mut parent = follow(parent_of(node));
    while !parent.is_null() && follow(side(parent)) == node && steps < DEEPEST {
        (node, parent, steps) = (parent, follow(parent_of(parent)), steps + 1);
    }
}

fn left(node: *const Node) -> *const *const Node {
    // SAFETY: an address is computed, nothing is read.
    unsafe { &raw const (*node).left }
}

fn right(node: *const Node) -> *const *const Node {
    // SAFETY: an address is computed, nothing is read.
    unsafe { &raw const (*node).right }
}

unsafe fn increments([node, ..]: &Arguments, pc: usize) {
    // SAFETY: the tree passes a node of its own.
    unsafe { walks(pc, *node as *const Node, right, left) };
}

unsafe fn decrements([node, ..]: &Arguments, pc: usize) {
    // SAFETY: the tree passes a node of its own.
    unsafe { walks(pc, *node as *const Node, left, right) };
}

unsafe fn hooks([new, before, ..]: &Arguments, pc: usize) {
    let (new, before) = (*new as *const Link, *before as *const Link);
    writes(pc, new, size_of::<Link>());
    // SAFETY: the list passes nodes of its own.
    unsafe {
        writes(pc, &raw const (*before).previous, size_of::<usize>());
        writes(pc, &raw const (*(*before).previous).next, size_of::<usize>());
    }
}

unsafe fn unhooks([old, ..]: &Arguments, pc: usize) {
    let old = *old as *const Link;
    // SAFETY: the list passes a node of its own.
    unsafe {
        reads(pc, old, size_of::<Link>());
        writes(pc, &raw const (*(*old).previous).next, size_of::<usize>());
        writes(pc, &raw const (*(*old).next).previous, size_of::<usize>());
    }
}

/// The nodes from one to another, which is not among them, move before a third.
unsafe fn transfers([before, first, last, ..]: &Arguments, pc: usize) {
    let nodes = [before, first, last].map(|node| *node as *const Link);
    if nodes[0] == nodes[2] {
        return;
    }
    for node in nodes {
        // SAFETY: the list passes nodes of its own.
        unsafe {
            writes(pc, &raw const (*(*node).previous).next, size_of::<usize>());
            writes(pc, &raw const (*node).previous, size_of::<usize>());
        }
    }
}

unsafe fn reverses([list, ..]: &Arguments, pc: usize) {
    /// One that others change meanwhile may have a circle that does not lead back.
    const LONGEST: usize = 1 << 16;
    let first = *list as *const Link;
    let mut node = first;
    for _ in 0..LONGEST {
        writes(pc, node, size_of::<Link>());
        // SAFETY: the list passes a node of its own, and what it leads to are others.
        node = unsafe { (*node).next };
        if node == first || node.is_null() {
            return;
        }
    }
}

/// Two lists exchange their nodes.
unsafe fn swaps([one, other, ..]: &Arguments, pc: usize) {
    for list in [one, other].map(|list| *list as *const Link) {
        writes(pc, list, size_of::<Link>());
        // SAFETY: the caller passes lists.
        unsafe {
            writes(pc, &raw const (*(*list).previous).next, size_of::<usize>());
            writes(pc, &raw const (*(*list).next).previous, size_of::<usize>());
        }
    }
}

unsafe fn hashes([bytes, length, ..]: &Arguments, pc: usize) {
    reads(pc, *bytes as *const u8, *length);
}

pub const TABLE: [(Name, Note); 12] = [
    (Is(b"_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_"), inserts),
    (Is(b"_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_"), erases),
    (Is(b"_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base"), increments),
    (Is(b"_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base"), increments),
    (Is(b"_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base"), decrements),
    (Is(b"_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base"), decrements),
    (Is(b"_ZNSt8__detail15_List_node_base7_M_hookEPS0_"), hooks),
    (Is(b"_ZNSt8__detail15_List_node_base9_M_unhookEv"), unhooks),
    (Is(b"_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_"), transfers),
    (Is(b"_ZNSt8__detail15_List_node_base10_M_reverseEv"), reverses),
    (Is(b"_ZNSt8__detail15_List_node_base4swapERS0_S1_"), swaps),
    (Is(b"_ZSt11_Hash_bytesPKvmm"), hashes),
];
