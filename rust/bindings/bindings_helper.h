/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The headers that rust/bindings/bindgen_parameters selects from. Most of them
 * are private to the block layer and need -I$(srctree)/block.
 */

#include <linux/blk-mq.h>
#include <linux/blkdev.h>
#include <linux/iocontext.h>

#include "blk.h"
#include "blk-mq.h"
#include "blk-mq-debugfs.h"
#include "blk-mq-sched.h"
#include "blk-wbt.h"
#include "elevator.h"

/* bindgen does not see through the casts of these macros. */
const blk_insert_t RUST_CONST_HELPER_BLK_MQ_INSERT_AT_HEAD = BLK_MQ_INSERT_AT_HEAD;
const req_flags_t RUST_CONST_HELPER_RQF_STARTED = RQF_STARTED;
const req_flags_t RUST_CONST_HELPER_RQF_USE_SCHED = RQF_USE_SCHED;
const req_flags_t RUST_CONST_HELPER_RQF_HASHED = RQF_HASHED;
const blk_opf_t RUST_CONST_HELPER_REQ_OP_MASK = REQ_OP_MASK;
const blk_opf_t RUST_CONST_HELPER_REQ_SYNC = REQ_SYNC;
const blk_opf_t RUST_CONST_HELPER_REQ_META = REQ_META;
const blk_opf_t RUST_CONST_HELPER_REQ_PRIO = REQ_PRIO;
const blk_opf_t RUST_CONST_HELPER_REQ_IDLE = REQ_IDLE;
