// SPDX-License-Identifier: GPL-2.0

//! Counters that tell from outside what the policy decided.
//!
//! Names are those of the `sched/stats` file. Source: ours.

macro_rules! counters {
    ($($(#[$meta:meta])* $name:ident,)+) => {
        /// Counters since the scheduler was made; each only grows (and wraps).
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct Stats {
            $($(#[$meta])* pub $name: u64,)+
        }

        impl Stats {
            /// Number of counters.
            pub const COUNT: usize = [$(stringify!($name)),+].len();

            /// Returns all counters with their names, in the order of the file.
            pub fn each(&self) -> [(&'static str, u64); Self::COUNT] {
                [$((stringify!($name), self.$name)),+]
            }
        }
    };
}

counters! {
    /// Requests inserted in order.
    inserted,
    /// Requests inserted at the head.
    inserted_head,
    /// Requests that went to the driver without being queued; the other counts hold them too, and
    /// one that the driver gives back counts as cancelled, then as inserted anew.
    passed,
    /// Requests that grew at their front.
    merged_front,
    /// Requests that grew at their back.
    merged_back,
    /// Requests merged away into a neighbour.
    absorbed,
    /// Requests handed to the driver.
    dispatched,
    /// Requests completed.
    completed,
    /// Requests that the driver gave back.
    requeued,
    /// Requests freed without completion.
    cancelled,
    /// Times that an event asked for the hardware queues to be run.
    kicks,
    /// Waits ended by a request larger than a page.
    kick_large,
    /// Waits ended by any request, because other queues were busy too.
    kick_busy,
    /// Idle waits begun.
    idle_armed,
    /// Idle waits in which the awaited request came.
    idle_hit,
    /// Idle waits that ran out.
    idle_expired,
    /// Idle waits cut short by preemption, exit or a new setting.
    idle_cut,
    /// Active queues that had to give way to a better request.
    preemptions,
    /// Times that queues of processes on the same area were set to become one.
    coop_merges,
    /// Processes that left a shared queue.
    coop_splits,
    /// Slices of readers interrupted for a write that somebody waits for.
    interruptions,
    /// Turns given to those who had waited for longer than `patience`.
    favours,
    /// Slices begun.
    slices,
    /// Slices that used up their time, or were preempted.
    slices_timed_out,
    /// Requests dispatched out of order because their deadline had passed.
    fifo_expired,
    /// Times that dispatch chose to wait.
    dispatch_idle,
    /// Times that dispatch had nothing to give.
    dispatch_nothing,
    /// Process records made.
    processes_created,
    /// Process records taken from a process that was idle.
    processes_evicted,
    /// Requests put on the fallback queue.
    fallback_used,
}

impl Stats {
    /// Adds one to a counter.
    #[inline(always)]
    pub(super) fn bump(counter: &mut u64) {
        *counter = counter.wrapping_add(1);
    }
}

#[cfg_attr(CONFIG_RCFQ_KUNIT_TEST, kernel::macros::kunit_tests(rcfq_policy_stats))]
#[cfg(any(test, CONFIG_RCFQ_KUNIT_TEST))]
mod tests {
    use super::*;

    #[test]
    fn every_counter_is_listed_by_its_name() {
        let mut stats = Stats::default();
        Stats::bump(&mut stats.kick_busy);
        let shown = stats.each();
        assert_eq!(shown.first(), Some(&("inserted", 0)));
        assert_eq!(shown.last(), Some(&("fallback_used", 0)));
        assert_eq!(shown.iter().filter(|line| line.1 == 1).count(), 1);
        assert!(shown.contains(&("kick_busy", 1)));
    }
}
