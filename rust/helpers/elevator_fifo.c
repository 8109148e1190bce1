// SPDX-License-Identifier: GPL-2.0

/* A second object of the same helpers: Kbuild shares no object between modules. */
#include "elevator.c"
