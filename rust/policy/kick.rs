// SPDX-License-Identifier: GPL-2.0

//! What an event asks of the caller.
//!
//! Source: ours; CFQ ran its queue by itself.

/// Whether the caller has to run the hardware queues, asynchronously, after it dropped the lock.
#[must_use = "a kick that is not passed on leaves requests waiting"]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kick {
    /// Nothing to do.
    None,
    /// Run them: dispatch was refusing and no longer is.
    Run,
}

impl Kick {
    /// Joins the kicks of two events.
    #[inline]
    pub fn or(self, other: Kick) -> Kick {
        if self == Kick::Run {
            self
        } else {
            other
        }
    }
}
