// SPDX-License-Identifier: GPL-2.0

//! Nothing but tests: see the folder `tests`.
