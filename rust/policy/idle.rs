// SPDX-License-Identifier: GPL-2.0

//! Waiting for the next request of the active queue, or not.
//!
//! Source: CFQ 5.3 (without seeks), 5.4, 7. Ours: any request of the awaited queue ends the wait,
//! and a wait never outlasts the slice.

use super::ioprio::Class;
use super::memory::Memory;
use super::scheduler::{
    Kick,
    Refusal,
    Scheduler, //
};
use super::stats::Stats;
use super::time::Time;

/// Requests of more sectors than this are larger than a page.
const PAGE_SECTORS: u32 = 8;

impl<R, M: Memory<R>> Scheduler<R, M> {
    /// Returns whether it pays to wait for the next request of the active queue (7.1).
    pub(super) fn is_worth_waiting(&self) -> bool {
        let Some(queue) = self.queues.at(self.active) else {
            return false;
        };
        if self.tunables.is_flash() || queue.class() == Class::Idle {
            return false;
        }
        if queue.idle_window && !self.disk.is_parallel() {
            return true;
        }
        let Some(tree) = self.group.tree(queue.tree) else {
            return false;
        };
        queue.sync && tree.tree.len() == 1 && !tree.think.is_longer_than(self.tunables.slice_idle)
    }

    /// Starts to wait for the active queue, which has just run dry, if that pays (7.2).
    pub(super) fn arm_idle(&mut self, now: Time) {
        if self.idle_until != Time::NEVER || self.disk.is_parallel() || !self.is_worth_waiting() {
            return;
        }
        let Some(queue) = self.queues.at(self.active) else {
            return;
        };
        if queue.dispatched > 0 {
            return;
        }
        let process = self.processes.find(self.active_process.handle());
        let Some(process) = process.and_then(|index| self.processes.at(index)) else {
            return;
        };
        let left = self.slice.left(now);
        if process.think.mean().is_some_and(|mean| left < mean) {
            return;
        }
        self.idle_until = now
            .saturating_add(self.tunables.slice_idle)
            .min(self.slice.end());
        self.refusal = Refusal::Arrival;
        Stats::bump(&mut self.stats.idle_armed);
    }

    /// Ends the wait because a request of the active queue has come (5.4).
    pub(super) fn wait_hit(&mut self, sectors: u32) {
        if self.idle_until != Time::NEVER {
            self.idle_until = Time::NEVER;
            Stats::bump(&mut self.stats.idle_hit);
            let large = sectors > PAGE_SECTORS;
            let busy = self.device.busy > 1;
            if large {
                Stats::bump(&mut self.stats.kick_large);
            }
            if busy {
                Stats::bump(&mut self.stats.kick_busy);
            }
            // Whatever the depth rules say, what was waited for is served.
            self.slice.must_dispatch = !large && !busy;
        }
        if self.refusal == Refusal::Arrival {
            self.refusal = Refusal::None;
        }
    }

    /// Ends the wait if it is over at `now` (7.3).
    pub(super) fn wait_over(&mut self, now: Time) -> Kick {
        if self.idle_until == Time::NEVER || now < self.idle_until {
            return Kick::None;
        }
        let was = self.refusal;
        self.idle_until = Time::NEVER;
        Stats::bump(&mut self.stats.idle_expired);
        self.expire(now, false);
        self.settle(was)
    }

    /// Takes a new request of a sync queue into account: does waiting pay still? (5.1, 5.3)
    pub(super) fn update_idling(&mut self, now: Time, index: u32, process: u32, noidle: bool) {
        let cap = self.tunables.slice_idle;
        let Some(queue) = self.queues.at_mut(index) else {
            return;
        };
        if let Some(tree) = self.group.tree_mut(queue.tree) {
            tree.think.came(now, cap);
        }
        let Some(process) = self.processes.at_mut(process) else {
            return;
        };
        process.think.came(now, cap);
        if noidle || queue.class() == Class::Idle {
            queue.idle_window = false;
        } else if let Some(mean) = process.think.mean() {
            queue.idle_window = mean <= cap;
        }
    }
}
