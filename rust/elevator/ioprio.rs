// SPDX-License-Identifier: GPL-2.0

//! I/O priorities.
//!
//! C header: [`include/uapi/linux/ioprio.h`](srctree/include/uapi/linux/ioprio.h)

/// The scheduling class of an I/O priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum IoprioClass {
    /// `IOPRIO_CLASS_NONE`: nothing was said. Also returned for classes that do not exist.
    None,
    /// `IOPRIO_CLASS_RT`.
    RealTime,
    /// `IOPRIO_CLASS_BE`.
    BestEffort,
    /// `IOPRIO_CLASS_IDLE`.
    Idle,
}

/// An I/O priority.
///
/// For a bio of a task that has set none, the block layer has filled in the one that follows from
/// the task's nice value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ioprio {
    /// The class.
    pub class: IoprioClass,
    /// The level in its class, from 0 (highest) to 7.
    pub level: u8,
}

impl Ioprio {
    /// Takes a priority apart like `IOPRIO_PRIO_CLASS()` and `IOPRIO_PRIO_LEVEL()`.
    pub(super) fn from_raw(raw: u16) -> Self {
        let class = match (raw >> 13) & 0x7 {
            1 => IoprioClass::RealTime,
            2 => IoprioClass::BestEffort,
            3 => IoprioClass::Idle,
            _ => IoprioClass::None,
        };
        Self {
            class,
            // CAST: Three bits.
            level: (raw & 0x7) as u8,
        }
    }
}
