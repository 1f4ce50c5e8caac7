/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ibv_cq_ex and ibv_qp_ex. Their functions read and write arrays of struct ibv_wc and struct ibv_send_wr here. Java is
 * called once for up to POLL_BATCH completions, and once in wr_complete for all requests since wr_start.
 */
#include "rdma4j.h"
#include <string.h>

/* --- completions --- */

static struct cq *cq_of(struct ibv_cq_ex *ex) { return CONTAINER(ex, struct cq, ex); }
static const struct polled *current_entry(struct ibv_cq_ex *ex) { return &cq_of(ex)->polled[cq_of(ex)->next - 1]; }
static const struct ibv_wc *current(struct ibv_cq_ex *ex) { return &current_entry(ex)->wc; }

enum { DISCARDED = -1 };

/* Makes the next completion the current one; ENOENT if there is none. */
static int next_poll(struct ibv_cq_ex *ex)
{
	struct cq *cq = cq_of(ex);
	do {
		if (cq->next == cq->count) {
			int count = poll_array(cq, POLL_BATCH, sizeof *cq->polled, cq->polled);
			cq->next = 0;
			cq->count = count > 0 ? count : 0;
			if (count <= 0)
				return count ? -count : ENOENT;
		}
		ex->wr_id = cq->polled[cq->next].wc.wr_id;
		ex->status = cq->polled[cq->next++].wc.status;
	} while (ex->status == DISCARDED);
	return 0;
}

void discard_polled(struct ibv_cq *base, uint32_t qp_num)
{
	struct cq *cq = base ? CONTAINER(base, struct cq, ex.base) : NULL;
	for (int i = 0; cq && i < POLL_BATCH; i++)
		if (cq->polled[i].wc.qp_num == qp_num)
			cq->polled[i].wc.status = DISCARDED;
}

/* The program may read some completions of a batch now and the others after another start_poll. */
static int start_poll(struct ibv_cq_ex *ex, struct ibv_poll_cq_attr *attributes)
{
	return attributes->comp_mask ? EINVAL : next_poll(ex);
}

static void end_poll(struct ibv_cq_ex *ex) { (void) ex; }
static int32_t read_opcode(struct ibv_cq_ex *ex) { return current(ex)->opcode; }
static uint32_t read_vendor_err(struct ibv_cq_ex *ex) { return current(ex)->vendor_err; }
static uint32_t read_byte_len(struct ibv_cq_ex *ex) { return current(ex)->byte_len; }
static uint32_t read_imm_data(struct ibv_cq_ex *ex) { return current(ex)->imm_data; }
static uint32_t read_qp_num(struct ibv_cq_ex *ex) { return current(ex)->qp_num; }
static uint32_t read_src_qp(struct ibv_cq_ex *ex) { return current(ex)->src_qp; }
static unsigned read_wc_flags(struct ibv_cq_ex *ex) { return current(ex)->wc_flags; }
static uint32_t read_slid(struct ibv_cq_ex *ex) { return current(ex)->slid; }
static uint8_t read_sl(struct ibv_cq_ex *ex) { return current(ex)->sl; }
static uint8_t read_dlid_path_bits(struct ibv_cq_ex *ex) { return current(ex)->dlid_path_bits; }
static uint64_t read_completion_ts(struct ibv_cq_ex *ex) { return current_entry(ex)->timestamp; }

void set_cq_ex_functions(struct cq *cq)
{
	struct ibv_cq_ex *ex = &cq->ex;
#define SET(function) ex->function = function
	SET(start_poll), SET(next_poll), SET(end_poll), SET(read_opcode), SET(read_vendor_err), SET(read_byte_len);
	SET(read_imm_data);
	SET(read_qp_num), SET(read_src_qp), SET(read_wc_flags), SET(read_slid), SET(read_sl), SET(read_dlid_path_bits);
	SET(read_completion_ts);
}

/* --- requests --- */

enum {
	OP_WRITE, OP_WRITE_IMM, OP_SEND, OP_SEND_IMM, OP_READ, OP_CMP_SWP, OP_FETCH_ADD, OP_LOCAL_INV, OP_BIND_MW,
	OP_SEND_INV, OP_TSO, OP_FLUSH = 14, OP_ATOMIC_WRITE = 15, INLINE = 8
};

/* The requests since wr_start. The thread that called wr_start holds the lock until wr_complete or wr_abort. */
struct send_batch {
	pthread_mutex_t lock;
	unsigned capacity, max_sge, max_inline, count;
	int error; /* the first one; wr_complete reports it and posts nothing */
	struct ibv_sge *sge; /* max_sge for each request */
	uint8_t *inline_data; /* max_inline bytes for each request */
	struct ibv_send_wr wr[]; /* one more than the capacity; then the other arrays */
};

static struct send_batch *batch_of(struct ibv_qp_ex *ex) { return CONTAINER(ex, struct qp, ex)->batch; }

/* A request that nothing reads, for calls after an error. */
static struct ibv_send_wr *fail(struct send_batch *batch, int error)
{
	if (!batch->error)
		batch->error = error;
	memset(&batch->wr[batch->capacity], 0, sizeof *batch->wr);
	return &batch->wr[batch->capacity];
}

static struct ibv_send_wr *latest(struct send_batch *batch)
{
	return batch->error || !batch->count ? fail(batch, EINVAL) : &batch->wr[batch->count - 1];
}

static void add(struct ibv_qp_ex *ex, struct ibv_send_wr request)
{
	struct send_batch *batch = batch_of(ex);
	if (batch->count == batch->capacity) {
		fail(batch, ENOMEM);
		return;
	}
	struct ibv_send_wr *wr = &batch->wr[batch->count];
	*wr = request;
	wr->wr_id = ex->wr_id;
	wr->send_flags = ex->wr_flags & ~INLINE;
	wr->sg_list = &batch->sge[batch->count * batch->max_sge];
	if (batch->count++)
		wr[-1].next = wr;
}

typedef uint64_t __attribute__((aligned(1), may_alias)) unaligned_u64;

/* The functions that begin a request, and the members that they set. */
#define QP_EX struct ibv_qp_ex *ex
#define REMOTE QP_EX, uint32_t rkey, uint64_t address
#define REQUEST(name, parameters, ...) \
	static void name parameters { add(ex, (struct ibv_send_wr) { __VA_ARGS__ }); }
REQUEST(wr_send, (QP_EX), .opcode = OP_SEND)
REQUEST(wr_send_imm, (QP_EX, uint32_t immediate), .opcode = OP_SEND_IMM, .imm_data = immediate)
REQUEST(wr_send_inv, (QP_EX, uint32_t rkey), .opcode = OP_SEND_INV, .imm_data = rkey)
REQUEST(wr_local_inv, (QP_EX, uint32_t key), .opcode = OP_LOCAL_INV, .imm_data = key)
REQUEST(wr_rdma_read, (REMOTE), .opcode = OP_READ, .wr.rdma = { address, rkey })
REQUEST(wr_rdma_write, (REMOTE), .opcode = OP_WRITE, .wr.rdma = { address, rkey })
REQUEST(wr_rdma_write_imm, (REMOTE, uint32_t immediate),
	.opcode = OP_WRITE_IMM, .imm_data = immediate, .wr.rdma = { address, rkey })
REQUEST(wr_atomic_cmp_swp, (REMOTE, uint64_t compare, uint64_t swap),
	.opcode = OP_CMP_SWP, .wr.atomic = { address, compare, swap, rkey })
REQUEST(wr_atomic_fetch_add, (REMOTE, uint64_t operand),
	.opcode = OP_FETCH_ADD, .wr.atomic = { address, operand, 0, rkey })
REQUEST(wr_bind_mw, (QP_EX, struct ibv_mw *mw, uint32_t rkey, const struct ibv_mw_bind_info *info),
	.opcode = OP_BIND_MW, .bind_mw = { mw, rkey, *info })
REQUEST(wr_send_tso, (QP_EX, void *header, uint16_t header_size, uint16_t mss),
	.opcode = OP_TSO, .tso = { header, header_size, mss })
/* These two are not in struct ibv_send_wr: the operands of an atomic carry value, length, placement and level. */
REQUEST(wr_flush, (REMOTE, size_t length, uint8_t type, uint8_t level),
	.opcode = OP_FLUSH, .wr.atomic = { address, length, type | (uint64_t) level << 8, rkey })
REQUEST(wr_atomic_write, (REMOTE, const void *value),
	.opcode = OP_ATOMIC_WRITE, .wr.atomic = { address, *(const unaligned_u64 *) value, 0, rkey })

static void wr_set_ud_addr(struct ibv_qp_ex *ex, struct ibv_ah *ah, uint32_t qpn, uint32_t qkey)
{
	struct ibv_send_wr *wr = latest(batch_of(ex));
	wr->wr.ud.ah = ah;
	wr->wr.ud.remote_qpn = qpn;
	wr->wr.ud.remote_qkey = qkey;
}

static void wr_set_xrc_srqn(struct ibv_qp_ex *ex, uint32_t number)
{
	latest(batch_of(ex))->qp_type.xrc.remote_srqn = number;
}

static void wr_set_sge_list(struct ibv_qp_ex *ex, size_t count, const struct ibv_sge *list)
{
	struct send_batch *batch = batch_of(ex);
	struct ibv_send_wr *wr = latest(batch);
	if (batch->error)
		return;
	if (count > batch->max_sge) {
		fail(batch, EINVAL);
		return;
	}
	memcpy(wr->sg_list, list, count * sizeof *list);
	wr->num_sge = (int32_t) count;
}

static void wr_set_sge(struct ibv_qp_ex *ex, uint32_t lkey, uint64_t address, uint32_t length)
{
	wr_set_sge_list(ex, 1, &(struct ibv_sge) { .addr = address, .length = length, .lkey = lkey });
}

/* The program may change the data after the call: they are copied, and become one inline element. */
static void wr_set_inline_data_list(struct ibv_qp_ex *ex, size_t count, const struct ibv_data_buf *list)
{
	struct send_batch *batch = batch_of(ex);
	struct ibv_send_wr *wr = latest(batch);
	if (batch->error)
		return;
	uint8_t *data = batch->inline_data + (size_t) (batch->count - 1) * batch->max_inline;
	size_t length = 0;
	for (size_t i = 0; i < count; i++) {
		if (list[i].length > batch->max_inline - length) {
			fail(batch, EINVAL);
			return;
		}
		memcpy(data + length, list[i].addr, list[i].length);
		length += list[i].length;
	}
	wr->sg_list[0] = (struct ibv_sge) { .addr = (uintptr_t) data, .length = (uint32_t) length };
	wr->num_sge = length > 0;
	wr->send_flags |= INLINE;
}

static void wr_set_inline_data(struct ibv_qp_ex *ex, void *address, size_t length)
{
	wr_set_inline_data_list(ex, 1, &(struct ibv_data_buf) { .addr = address, .length = length });
}

static void wr_start(struct ibv_qp_ex *ex)
{
	struct send_batch *batch = batch_of(ex);
	pthread_mutex_lock(&batch->lock);
	batch->count = 0;
	batch->error = 0;
}

static int wr_complete(struct ibv_qp_ex *ex)
{
	struct send_batch *batch = batch_of(ex);
	struct ibv_send_wr *bad;
	int error = batch->error;
	if (!error && batch->count)
		error = ex->base.context->ops.post_send(&ex->base, batch->wr, &bad);
	pthread_mutex_unlock(&batch->lock);
	return error;
}

static void wr_abort(struct ibv_qp_ex *ex) { pthread_mutex_unlock(&batch_of(ex)->lock); }

int set_qp_ex_functions(struct qp *qp, const struct ibv_qp_cap *cap)
{
	struct ibv_qp_ex *ex = &qp->ex;
	SET(wr_start), SET(wr_complete), SET(wr_abort), SET(wr_send), SET(wr_send_imm), SET(wr_send_inv), SET(wr_send_tso);
	SET(wr_rdma_read), SET(wr_rdma_write), SET(wr_rdma_write_imm), SET(wr_atomic_cmp_swp), SET(wr_atomic_fetch_add);
	SET(wr_atomic_write), SET(wr_flush);
	SET(wr_bind_mw), SET(wr_local_inv), SET(wr_set_ud_addr), SET(wr_set_xrc_srqn);
	SET(wr_set_sge), SET(wr_set_sge_list), SET(wr_set_inline_data), SET(wr_set_inline_data_list);
	unsigned max_sge = cap->max_send_sge ? cap->max_send_sge : 1; /* inline data use one */
	size_t wr_bytes = ((size_t) cap->max_send_wr + 1) * sizeof(struct ibv_send_wr);
	size_t sge_bytes = (size_t) cap->max_send_wr * max_sge * sizeof(struct ibv_sge);
	struct send_batch *batch = qp->batch =
		calloc(1, sizeof *batch + wr_bytes + sge_bytes + (size_t) cap->max_send_wr * cap->max_inline_data);
	if (!batch)
		return ENOMEM;
	batch->capacity = cap->max_send_wr;
	batch->max_sge = max_sge;
	batch->max_inline = cap->max_inline_data;
	batch->sge = (struct ibv_sge *) ((char *) batch->wr + wr_bytes);
	batch->inline_data = (uint8_t *) batch->sge + sge_bytes;
	return 0;
}
