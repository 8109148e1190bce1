// SPDX-License-Identifier: GPL-2.0

//! Names of requests and processes that outside code may keep: slot number and generation.
//!
//! A name whose slot was freed never matches again (until 2^32 reuses of the same slot), so late
//! callbacks with an old name are harmless. Inside the policy plain slot numbers are used, see
//! `NIL`. Source: ours.

/// The slot number that names no slot.
pub(super) const NIL: u32 = u32::MAX;

/// Slot number and generation, packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Handle {
    pub(super) index: u32,
    /// Never 0 for a live slot, so that the packed form is never 0.
    pub(super) generation: u32,
}

impl Handle {
    /// Names nothing.
    pub(super) const NONE: Handle = Handle {
        index: NIL,
        generation: 0,
    };

    #[inline]
    const fn pack(self) -> u64 {
        // CAST: widening; `From` is not available in a `const fn`.
        ((self.generation as u64) << 32) | self.index as u64
    }

    #[inline]
    const fn unpack(raw: u64) -> Self {
        Handle {
            // CAST: the low and the high half are wanted.
            index: raw as u32,
            generation: (raw >> 32) as u32,
        }
    }
}

macro_rules! id {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name(u64);

        impl $name {
            /// Names nothing. Its raw form is 0, so zeroed memory holds it.
            pub const NONE: Self = Self(0);

            /// Returns the form for storage in a C word; never 0 for a live object.
            #[inline]
            pub const fn to_raw(self) -> u64 {
                self.0
            }

            /// Reads back what [`to_raw`](Self::to_raw) gave; any other value names nothing.
            #[inline]
            pub const fn from_raw(raw: u64) -> Self {
                Self(raw)
            }

            /// Returns whether this is [`NONE`](Self::NONE).
            #[inline]
            pub const fn is_none(self) -> bool {
                self.0 == 0
            }

            #[inline]
            pub(super) const fn new(handle: Handle) -> Self {
                Self(handle.pack())
            }

            #[inline]
            pub(super) const fn handle(self) -> Handle {
                Handle::unpack(self.0)
            }
        }
    };
}

id! {
    /// Names a request from its insertion to its completion or cancellation.
    RqId
}

impl RqId {
    /// Names every request that [passed](super::Scheduler::pass); no slot has it.
    pub const PASSED: Self = Self(u64::MAX);
}

id! {
    /// Names a process record, that is one (io context, device) pair, until it exits or is evicted.
    ProcessId
}

#[cfg_attr(CONFIG_RCFQ_KUNIT_TEST, kernel::macros::kunit_tests(rcfq_policy_id))]
#[cfg(any(test, CONFIG_RCFQ_KUNIT_TEST))]
mod tests {
    use super::*;

    #[test]
    fn raw_form_round_trips() {
        let handle = Handle {
            index: 7,
            generation: 0xffff_fffe,
        };
        let id = RqId::from_raw(RqId::new(handle).to_raw());
        assert_eq!(id.handle(), handle);
        assert!(!id.is_none());
    }

    #[test]
    fn zeroed_memory_names_nothing() {
        assert!(ProcessId::from_raw(0).is_none());
        assert_eq!(ProcessId::default(), ProcessId::NONE);
        assert_eq!(RqId::NONE.handle().generation, 0);
    }
}
