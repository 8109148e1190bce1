// SPDX-License-Identifier: GPL-2.0

//! Every knob: name, unit, range, default, and how text becomes a value.
//!
//! Values are held in the units that the policy computes with (times in nanoseconds, distances in
//! sectors); [`KNOBS`] describes them for users, so that a file system of knobs can be driven by
//! the table. Source: CFQ section 2. Bad input is refused here, where CFQ clamps it.

use super::request::Disk;
use super::time::Span;

/// Largest number that a knob takes, in the unit of its file.
const MAX: u64 = u32::MAX as u64;

/// The unit of a knob's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A number of requests, or a factor.
    Count,
    /// 0 or 1.
    Flag,
    /// Units of 1024 bytes.
    Kibibytes,
    /// Milliseconds; knobs of this unit may have a twin in microseconds.
    Milliseconds,
}

/// Which of a knob's two files is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// The file with the knob's own name.
    Plain,
    /// Its twin with `_us` at the end.
    Micro,
}

/// Why a write was refused. The old value stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// Not an unsigned decimal number, or no such file (`EINVAL`).
    Invalid,
    /// A number outside the knob's range (`ERANGE`).
    OutOfRange,
}

/// The knobs. What each one means stands at the field of [`Tunables`] with its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Knob {
    /// See [`Tunables::quantum`].
    Quantum,
    /// See [`Tunables::fifo_expire_sync`].
    FifoExpireSync,
    /// See [`Tunables::fifo_expire_async`].
    FifoExpireAsync,
    /// See [`Tunables::back_seek_max`].
    BackSeekMax,
    /// See [`Tunables::back_seek_penalty`].
    BackSeekPenalty,
    /// See [`Tunables::slice_sync`].
    SliceSync,
    /// See [`Tunables::slice_async`].
    SliceAsync,
    /// See [`Tunables::slice_async_rq`].
    SliceAsyncRq,
    /// See [`Tunables::slice_idle`].
    SliceIdle,
    /// See [`Tunables::group_idle`].
    GroupIdle,
    /// See [`Tunables::low_latency`].
    LowLatency,
    /// See [`Tunables::target_latency`].
    TargetLatency,
    /// See [`Tunables::patience`].
    Patience,
    /// See [`Tunables::slice_idle_auto`].
    SliceIdleAuto,
}

/// What a user has to know about one knob.
#[derive(Clone, Copy, Debug)]
pub struct KnobInfo {
    /// The knob.
    pub knob: Knob,
    /// The name of its file.
    pub name: &'static str,
    /// The unit of that file.
    pub unit: Unit,
    /// The smallest number that the file, and its twin, takes.
    pub min: u64,
    /// The largest number that the file, and its twin, takes.
    pub max: u64,
    /// The name of the twin in microseconds, if there is one.
    pub us_twin: Option<&'static str>,
}

macro_rules! knobs {
    ($($knob:ident $name:literal $unit:ident $min:literal $max:expr, $twin:expr;)+) => {
        /// All knobs: those of CFQ in the order of its documentation, then ours.
        pub const KNOBS: [KnobInfo; [$($name),+].len()] = [
            $(KnobInfo {
                knob: Knob::$knob,
                name: $name,
                unit: Unit::$unit,
                min: $min,
                max: $max,
                us_twin: $twin,
            }),+
        ];

        impl Knob {
            /// Returns the description of the knob.
            pub const fn info(self) -> KnobInfo {
                match self {
                    $(Knob::$knob => KnobInfo {
                        knob: Knob::$knob,
                        name: $name,
                        unit: Unit::$unit,
                        min: $min,
                        max: $max,
                        us_twin: $twin,
                    }),+
                }
            }
        }
    };
}

knobs! {
    Quantum         "quantum"           Count        1 MAX, None;
    FifoExpireSync  "fifo_expire_sync"  Milliseconds 1 MAX, None;
    FifoExpireAsync "fifo_expire_async" Milliseconds 1 MAX, None;
    BackSeekMax     "back_seek_max"     Kibibytes    0 MAX, None;
    BackSeekPenalty "back_seek_penalty" Count        1 MAX, None;
    SliceSync       "slice_sync"        Milliseconds 1 MAX, Some("slice_sync_us");
    SliceAsync      "slice_async"       Milliseconds 1 MAX, Some("slice_async_us");
    SliceAsyncRq    "slice_async_rq"    Count        1 MAX, None;
    SliceIdle       "slice_idle"        Milliseconds 0 MAX, Some("slice_idle_us");
    GroupIdle       "group_idle"        Milliseconds 0 MAX, Some("group_idle_us");
    LowLatency      "low_latency"       Flag         0 1,   None;
    TargetLatency   "target_latency"    Milliseconds 1 MAX, Some("target_latency_us");
    Patience        "patience"          Milliseconds 0 MAX, None;
    SliceIdleAuto   "slice_idle_auto"   Flag         0 1,   None;
}

/// The values of all knobs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tunables {
    /// Requests that one queue may have in the driver; on flash, requests per turn.
    pub quantum: u32,
    /// Deadline of sync requests, also what counts as late for them.
    pub fifo_expire_sync: Span,
    /// Deadline of async requests.
    pub fifo_expire_async: Span,
    /// Farthest backward distance that is not treated as a wrap, in KiB.
    pub back_seek_max: u32,
    /// What one sector backward costs, in sectors forward.
    pub back_seek_penalty: u32,
    /// Slice of a sync queue of the middle level.
    pub slice_sync: Span,
    /// Slice of an async queue of the middle level.
    pub slice_async: Span,
    /// Base of the number of async requests per slice.
    pub slice_async_rq: u32,
    /// How long to wait for the next request of a queue; zero means never (flash mode).
    pub slice_idle: Span,
    /// How long to wait for the next request of a group; without effect until there are groups.
    pub group_idle: Span,
    /// Whether slices shrink to keep [`target_latency`](Self::target_latency), and async depth
    /// gives way to sync requests.
    pub low_latency: bool,
    /// Length of a round to aim at.
    pub target_latency: Span,
    /// How long a class, or the async requests of one, may wait while better ones keep the device
    /// busy; zero for ever.
    ///
    /// Then one request of the class is served, or a few of the async ones, oldest first, and it
    /// waits again. A holder of locks in a low class thus makes progress. Much shorter and
    /// `ionice` would lose its meaning; much longer and the tasks that wait for those locks look
    /// hung.
    pub patience: Span,
    /// Whether idling stops on a disk that calls itself rotational but was seen not to seek.
    pub slice_idle_auto: bool,
}

impl Tunables {
    /// Returns the defaults for a disk: as in CFQ, no idling where seeking costs nothing.
    pub const fn for_disk(disk: Disk) -> Self {
        Tunables {
            quantum: 8,
            fifo_expire_sync: Span::from_ms(125),
            fifo_expire_async: Span::from_ms(250),
            back_seek_max: 16 * 1024,
            back_seek_penalty: 2,
            slice_sync: Span::from_ms(100),
            slice_async: Span::from_ms(40),
            slice_async_rq: 2,
            slice_idle: if disk.rotational {
                Span::from_ms(8)
            } else {
                Span::ZERO
            },
            // CFQ's default without group scheduling.
            group_idle: Span::ZERO,
            low_latency: true,
            target_latency: Span::from_ms(300),
            patience: Span::from_ms(1_000),
            slice_idle_auto: true,
        }
    }

    /// Returns the number that the knob's file shows; parts of a unit are cut off.
    pub const fn get(&self, knob: Knob, view: View) -> u64 {
        match knob {
            // CAST: widening; `From` is not available in a `const fn`.
            Knob::Quantum => self.quantum as u64,
            Knob::FifoExpireSync => show(self.fifo_expire_sync, view),
            Knob::FifoExpireAsync => show(self.fifo_expire_async, view),
            Knob::BackSeekMax => self.back_seek_max as u64,
            Knob::BackSeekPenalty => self.back_seek_penalty as u64,
            Knob::SliceSync => show(self.slice_sync, view),
            Knob::SliceAsync => show(self.slice_async, view),
            Knob::SliceAsyncRq => self.slice_async_rq as u64,
            Knob::SliceIdle => show(self.slice_idle, view),
            Knob::GroupIdle => show(self.group_idle, view),
            Knob::LowLatency => self.low_latency as u64,
            Knob::TargetLatency => show(self.target_latency, view),
            Knob::Patience => show(self.patience, view),
            Knob::SliceIdleAuto => self.slice_idle_auto as u64,
        }
    }

    /// Sets a knob from the number written to its file.
    ///
    /// # Errors
    ///
    /// [`Refused`], and nothing changes.
    pub fn set(&mut self, knob: Knob, view: View, value: u64) -> Result<(), Refused> {
        let info = knob.info();
        if view == View::Micro && info.us_twin.is_none() {
            return Err(Refused::Invalid);
        }
        if value < info.min || value > info.max {
            return Err(Refused::OutOfRange);
        }
        let count = u32::try_from(value).map_err(|_| Refused::OutOfRange)?;
        let span = match view {
            View::Plain => Span::from_ms(value),
            View::Micro => Span::from_us(value),
        };
        match knob {
            Knob::Quantum => self.quantum = count,
            Knob::FifoExpireSync => self.fifo_expire_sync = span,
            Knob::FifoExpireAsync => self.fifo_expire_async = span,
            Knob::BackSeekMax => self.back_seek_max = count,
            Knob::BackSeekPenalty => self.back_seek_penalty = count,
            Knob::SliceSync => self.slice_sync = span,
            Knob::SliceAsync => self.slice_async = span,
            Knob::SliceAsyncRq => self.slice_async_rq = count,
            Knob::SliceIdle => self.slice_idle = span,
            Knob::GroupIdle => self.group_idle = span,
            Knob::LowLatency => self.low_latency = count == 1,
            Knob::TargetLatency => self.target_latency = span,
            Knob::Patience => self.patience = span,
            Knob::SliceIdleAuto => self.slice_idle_auto = count == 1,
        }
        Ok(())
    }

    /// Sets a knob from text: an unsigned decimal number, with or without a newline at its end.
    ///
    /// # Errors
    ///
    /// [`Refused`], and nothing changes.
    pub fn store(&mut self, knob: Knob, view: View, text: &[u8]) -> Result<(), Refused> {
        self.set(knob, view, parse(text)?)
    }

    /// Returns whether queues wait for nothing and turns are counted in requests (CFQ 13).
    #[inline]
    pub const fn is_flash(&self) -> bool {
        self.slice_idle.is_zero()
    }

    /// Returns the deadline distance for sync or async requests.
    #[inline]
    pub(super) const fn fifo_expire(&self, sync: bool) -> Span {
        if sync {
            self.fifo_expire_sync
        } else {
            self.fifo_expire_async
        }
    }
}

/// Returns a duration in the unit of a file.
const fn show(span: Span, view: View) -> u64 {
    match view {
        View::Plain => span.as_ns() / 1_000_000,
        View::Micro => span.as_ns() / 1_000,
    }
}

/// Reads an unsigned decimal number; like `kstrtoull()` it takes one newline at the end, which
/// `echo` adds.
fn parse(text: &[u8]) -> Result<u64, Refused> {
    let digits = text.strip_suffix(b"\n").unwrap_or(text);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(Refused::Invalid);
    }
    digits.iter().try_fold(0u64, |value, digit| {
        value
            .checked_mul(10)
            .and_then(|tens| tens.checked_add(u64::from(digit.wrapping_sub(b'0'))))
            .ok_or(Refused::OutOfRange)
    })
}

#[cfg_attr(
    CONFIG_RCFQ_KUNIT_TEST,
    kernel::macros::kunit_tests(rcfq_policy_tunables)
)]
#[cfg(any(test, CONFIG_RCFQ_KUNIT_TEST))]
mod tests {
    use super::*;

    const DISK: Disk = Disk {
        rotational: true,
        depth: 32,
    };

    #[test]
    fn defaults_are_those_of_cfq() {
        let values = Tunables::for_disk(DISK);
        let expected = [8, 125, 250, 16384, 2, 100, 40, 2, 8, 0, 1, 300, 1000, 1];
        for (info, expected) in KNOBS.iter().zip(expected) {
            assert_eq!(values.get(info.knob, View::Plain), expected);
        }
        let flash = Tunables::for_disk(Disk {
            rotational: false,
            depth: 32,
        });
        assert!(flash.is_flash());
        assert!(!values.is_flash());
    }

    #[test]
    fn bad_input_changes_nothing() {
        let mut values = Tunables::for_disk(DISK);
        let before = values.clone();
        for text in [
            "", "\n", "abc", "-1", "+1", "0x10", "1 2", "7a", " 7", "7 ", "\n7", "7\n\n", "7\r\n",
        ] {
            let result = values.store(Knob::Quantum, View::Plain, text.as_bytes());
            assert_eq!(result, Err(Refused::Invalid));
        }
        for text in ["0", "4294967296", "99999999999999999999999"] {
            let result = values.store(Knob::Quantum, View::Plain, text.as_bytes());
            assert_eq!(result, Err(Refused::OutOfRange));
        }
        assert_eq!(
            values.set(Knob::LowLatency, View::Plain, 2),
            Err(Refused::OutOfRange)
        );
        assert_eq!(
            values.set(Knob::Quantum, View::Micro, 2),
            Err(Refused::Invalid)
        );
        assert_eq!(values, before);
    }

    #[test]
    fn twins_show_one_value() {
        let mut values = Tunables::for_disk(DISK);
        assert_eq!(values.store(Knob::SliceIdle, View::Micro, b"800\n"), Ok(()));
        assert_eq!(values.get(Knob::SliceIdle, View::Plain), 0);
        assert_eq!(values.get(Knob::SliceIdle, View::Micro), 800);
        assert!(!values.is_flash());
        assert_eq!(values.store(Knob::SliceIdle, View::Plain, b"3"), Ok(()));
        assert_eq!(values.get(Knob::SliceIdle, View::Micro), 3000);
    }

    #[test]
    fn every_knob_keeps_what_was_written() {
        let mut values = Tunables::for_disk(DISK);
        for info in &KNOBS {
            assert_eq!(values.set(info.knob, View::Plain, info.max), Ok(()));
            assert_eq!(values.get(info.knob, View::Plain), info.max);
            assert_eq!(values.set(info.knob, View::Plain, info.min), Ok(()));
            assert_eq!(values.get(info.knob, View::Plain), info.min);
            assert_eq!(info.knob.info().name, info.name);
        }
    }
}
