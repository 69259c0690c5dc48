//! Variables by how often they took part in conflicts lately: a binary heap that knows where each variable is.

#[derive(Default, Debug)]
pub struct Heap {
    heap: Vec<u32>,
    place: Vec<Option<u32>>,
}

impl Heap {
    pub fn insert(&mut self, var: usize, activity: &[f64]) {
        if self.place.len() <= var {
            self.place.resize(var + 1, None);
        }
        if self.place[var].is_none() {
            self.place[var] = Some(self.heap.len() as u32);
            self.heap.push(var as u32);
            self.up(self.heap.len() - 1, activity);
        }
    }

    pub fn raised(&mut self, var: usize, activity: &[f64]) {
        if let Some(Some(place)) = self.place.get(var) {
            self.up(*place as usize, activity);
        }
    }

    pub fn pop(&mut self, activity: &[f64]) -> Option<usize> {
        let top = *self.heap.first()? as usize;
        let last = self.heap.pop()? as usize;
        self.place[top] = None;
        if last != top {
            self.heap[0] = last as u32;
            self.place[last] = Some(0);
            self.down(0, activity);
        }
        Some(top)
    }

    fn up(&mut self, mut at: usize, activity: &[f64]) {
        let var = self.heap[at];
        while at > 0 {
            let parent = (at - 1) / 2;
            if activity[self.heap[parent] as usize] >= activity[var as usize] {
                break;
            }
            self.set(at, self.heap[parent]);
            at = parent;
        }
        self.set(at, var);
    }

    fn down(&mut self, mut at: usize, activity: &[f64]) {
        let var = self.heap[at];
        loop {
            let (left, right) = (2 * at + 1, 2 * at + 2);
            if left >= self.heap.len() {
                break;
            }
            let of = |child: usize| activity[self.heap[child] as usize];
            let child = if right < self.heap.len() && of(right) > of(left) { right } else { left };
            if of(child) <= activity[var as usize] {
                break;
            }
            self.set(at, self.heap[child]);
            at = child;
        }
        self.set(at, var);
    }

    fn set(&mut self, at: usize, var: u32) {
        self.heap[at] = var;
        self.place[var as usize] = Some(at as u32);
    }
}
