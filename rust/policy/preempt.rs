// SPDX-License-Identifier: GPL-2.0

//! Whether a new request ends the slice of the active queue in favour of its own queue.
//!
//! Source: CFQ 5.5 and 5.6, without the rules for close cooperators (12 and 13).

use super::ioprio::Class;
use super::memory::Memory;
use super::queue::Queue;
use super::scheduler::Scheduler;
use super::service::Kind;
use super::stats::Stats;
use super::time::Time;

impl<R, M: Memory<R>> Scheduler<R, M> {
    /// Lets queue `new`, which got a request, preempt the active queue if that is due.
    #[inline]
    pub(super) fn maybe_preempt(&mut self, now: Time, new: u32, sync: bool, prio: bool) {
        let Some(active) = self.queues.at(self.active) else {
            return;
        };
        let Some(queue) = self.queues.at(new) else {
            return;
        };
        let due = if self.tunables.is_flash() {
            queue.class() < active.class()
        } else {
            self.should_preempt(now, queue, active, sync, prio)
        };
        if due {
            let other_kind = self.kind_of(active) != self.kind_of(queue);
            self.preempt(now, new, other_kind);
        }
    }

    /// The rules, in order; the first that decides wins (5.5).
    fn should_preempt(
        &self,
        now: Time,
        new: &Queue,
        active: &Queue,
        sync: bool,
        prio: bool,
    ) -> bool {
        let real_time = |queue: &Queue| queue.class() == Class::RealTime;
        if new.class() == Class::Idle {
            return false;
        }
        if active.class() == Class::Idle {
            return true;
        }
        if real_time(active) && !real_time(new) {
            return false;
        }
        if sync && !active.sync && !self.slice.must_dispatch {
            return true;
        }
        if self.slice.is_used(now) || (real_time(new) && !real_time(active)) {
            return true;
        }
        let both_noidle = self.workload.kind == Kind::SyncNoidle
            && self.kind_of(new) == Kind::SyncNoidle
            && active.is_empty();
        both_noidle
            || (prio && active.prio_pending == 0)
            || (active.is_empty() && !self.is_worth_waiting())
    }

    /// Ends the active slice as timed out, so that unused time is not lost, and puts `new` first
    /// (5.6).
    fn preempt(&mut self, now: Time, new: u32, other_kind: bool) {
        Stats::bump(&mut self.stats.preemptions);
        self.expire(now, true);
        if self.tunables.is_flash() {
            // The class order alone finds the new queue.
            return;
        }
        if other_kind {
            self.workload.cut();
        }
        self.place_in_front(now, new);
    }
}
