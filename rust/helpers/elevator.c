// SPDX-License-Identifier: GPL-2.0

#include <linux/blk-mq.h>
#include <linux/blkdev.h>
#include <trace/events/block.h>

#include "blk.h"
#include "blk-mq-sched.h"
#include "blk-wbt.h"
#include "elevator.h"

__rust_helper sector_t rust_helper_blk_rq_pos(const struct request *rq)
{
	return blk_rq_pos(rq);
}

__rust_helper unsigned int rust_helper_blk_rq_bytes(const struct request *rq)
{
	return blk_rq_bytes(rq);
}

__rust_helper unsigned int rust_helper_blk_rq_sectors(const struct request *rq)
{
	return blk_rq_sectors(rq);
}

__rust_helper bool rust_helper_rq_mergeable(struct request *rq)
{
	return rq_mergeable(rq);
}

__rust_helper bool rust_helper_blk_discard_mergable(struct request *rq)
{
	return blk_discard_mergable(rq);
}

__rust_helper unsigned short rust_helper_req_get_ioprio(struct request *rq)
{
	return req_get_ioprio(rq);
}

__rust_helper sector_t rust_helper_bio_end_sector(struct bio *bio)
{
	return bio_end_sector(bio);
}

__rust_helper unsigned int rust_helper_bio_sectors(struct bio *bio)
{
	return bio_sectors(bio);
}

__rust_helper bool rust_helper_op_is_sync(blk_opf_t opf)
{
	return op_is_sync(opf);
}

__rust_helper bool rust_helper_op_is_write(blk_opf_t opf)
{
	return op_is_write(opf);
}

__rust_helper bool rust_helper_blk_queue_rot(struct request_queue *q)
{
	return blk_queue_rot(q);
}

__rust_helper unsigned int
rust_helper_blk_mq_default_nr_requests(struct blk_mq_tag_set *set)
{
	return blk_mq_default_nr_requests(set);
}

__rust_helper void
rust_helper_blk_mq_set_min_shallow_depth(struct request_queue *q,
					 unsigned int depth)
{
	blk_mq_set_min_shallow_depth(q, depth);
}

__rust_helper void rust_helper_wbt_disable_default(struct gendisk *disk)
{
	wbt_disable_default(disk);
}

__rust_helper void rust_helper_wbt_enable_default(struct gendisk *disk)
{
	wbt_enable_default(disk);
}

/*
 * Is the current task in the middle of blk_mq_submit_bio(), about to leave a
 * single request to the elevator? Requests that were held in a plug are inserted
 * while the plug is still set, and a task that flushes its plug because it is
 * going to sleep is the one case that must not run the queue.
 */
__rust_helper bool rust_helper_elv_is_direct(struct blk_mq_hw_ctx *hctx)
{
	return !current->plug && !(hctx->flags & BLK_MQ_F_BLOCKING) &&
	       !test_bit(BLK_MQ_S_STOPPED, &hctx->state) && !in_interrupt() &&
	       !irqs_disabled();
}

/*
 * blk_mq_submit_bio() and the requeue work hold the queue by nothing but the
 * requests that they leave to the elevator, which may be completed before the
 * elevator has returned: the queue is held for that long, as blk_mq_dispatch_list()
 * does. The requests being inserted make the first call legal.
 */
__rust_helper void rust_helper_elv_hold(struct request_queue *q)
{
	percpu_ref_get(&q->q_usage_counter);
}

__rust_helper void rust_helper_elv_release(struct request_queue *q)
{
	percpu_ref_put(&q->q_usage_counter);
}

__rust_helper u64 rust_helper_blk_time_get_ns(void)
{
	return blk_time_get_ns();
}

__rust_helper void rust_helper_trace_block_rq_insert(struct request *rq)
{
	trace_block_rq_insert(rq);
}

/*
 * With kCFI, the type of a C function called through a pointer must match up to
 * the name of every enum in it, and Rust code outside the kernel tree cannot
 * give an argument the encoding of `enum elv_merge` (the feature cfi_encoding is
 * not available to it). So elevator_mq_ops::request_merged points at this
 * function, which has the right type by construction, and the Rust function
 * behind it takes a plain integer. It is found through the elevator's data,
 * which rust/elevator/instance.rs lays out to begin with this pointer.
 */
struct rust_elevator_head {
	void (*request_merged)(struct request_queue *q, struct request *rq,
			       unsigned int type);
};

__rust_helper void rust_helper_elv_request_merged(struct request_queue *q,
						  struct request *rq,
						  enum elv_merge type)
{
	struct rust_elevator_head *head = q->elevator->elevator_data;

	head->request_merged(q, rq, type);
}
