// SPDX-License-Identifier: GPL-2.0

//! Dispatch: the head list first, then the queue whose turn it is, or a refusal.
//!
//! Source: CFQ 6.1, 6.2, 8.5.

use super::id::NIL;
use super::memory::Memory;
use super::scheduler::{
    Decision,
    Refusal,
    Scheduler, //
};
use super::stats::Stats;
use super::time::Time;

impl<R, M: Memory<R>> Scheduler<R, M> {
    /// Decides what to do now.
    #[inline]
    pub(super) fn decide(&mut self, now: Time) -> Decision<R> {
        if self.device.at_head > 0 {
            if let Some((rq, id)) = self.give_head() {
                return Decision::Dispatch { rq, id };
            }
        }
        if self.device.queued == 0 {
            Stats::bump(&mut self.stats.dispatch_nothing);
            return Decision::Nothing;
        }
        let given = if self.tunables.is_flash() {
            self.next_on_flash(now)
        } else {
            self.next_by_slices(now)
        };
        match given {
            Some((rq, id)) => Decision::Dispatch { rq, id },
            None => self.refused(),
        }
    }

    /// Words a refusal.
    fn refused(&mut self) -> Decision<R> {
        if self.idle_until == Time::NEVER {
            Stats::bump(&mut self.stats.dispatch_nothing);
            Decision::Nothing
        } else {
            Stats::bump(&mut self.stats.dispatch_idle);
            Decision::Idle {
                until: self.idle_until,
            }
        }
    }

    /// Takes the next request by the rules for disks that seek.
    fn next_by_slices(&mut self, now: Time) -> Option<(R, super::id::RqId)> {
        self.refusal = Refusal::None;
        if !self.keep_active(now) {
            return None;
        }
        if self.active == NIL && self.choose(now) == NIL {
            return None;
        }
        let Some(rq) = self.may_give(now) else {
            self.refusal = Refusal::Completion;
            return None;
        };
        let given = self.give(rq);
        self.after_dispatch(now);
        given
    }

    /// Decides about the active queue (6.2): expires it, or keeps it. False means to wait for it.
    fn keep_active(&mut self, now: Time) -> bool {
        let Some(queue) = self.queues.at(self.active) else {
            return true;
        };
        if self.slice.is_used(now) && !self.slice.must_dispatch {
            self.expire(now, false);
            return true;
        }
        if !queue.is_empty() {
            return true;
        }
        let waiting = self.idle_until != Time::NEVER;
        if waiting || (queue.dispatched > 0 && self.is_worth_waiting()) {
            self.refusal = Refusal::Arrival;
            return false;
        }
        self.expire(now, false);
        true
    }

    /// Ends the slice early where one request, or a few, are enough (8.5).
    fn after_dispatch(&mut self, now: Time) {
        self.slice.dispatched = self.slice.dispatched.saturating_add(1);
        self.slice.must_dispatch = false;
        let Some(queue) = self.queues.at(self.active) else {
            return;
        };
        let limit = if queue.class() == super::ioprio::Class::Idle {
            1
        } else {
            self.shares.of(queue.sync, queue.ioprio.level).limit
        };
        let enough = self.device.busy > 1 && self.slice.dispatched >= limit;
        if enough || self.slice.favour {
            self.expire(now, false);
        }
    }
}
