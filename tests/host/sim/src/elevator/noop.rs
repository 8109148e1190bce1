// SPDX-License-Identifier: GPL-2.0

//! First come, first served.

use super::Elevator;
use crate::io::Rq;
use std::collections::VecDeque;

/// One list.
#[derive(Debug, Default)]
pub struct Noop {
    list: VecDeque<usize>,
}

impl Elevator for Noop {
    fn insert(&mut self, _now: u64, rq: &Rq) -> bool {
        if rq.io.head {
            self.list.push_front(rq.id);
        } else {
            self.list.push_back(rq.id);
        }
        true
    }

    fn dispatch(&mut self, _now: u64) -> Option<usize> {
        self.list.pop_front()
    }

    fn queued(&self) -> usize {
        self.list.len()
    }
}
