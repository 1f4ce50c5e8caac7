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
			int count = poll_extended(&ex->base, POLL_BATCH, cq->polled);
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
	struct ibv_send_wr *wr;
	struct ibv_sge *sge; /* max_sge for each request */
	uint8_t *inline_data; /* max_inline bytes for each request */
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

static struct ibv_send_wr *add(struct ibv_qp_ex *ex, int opcode)
{
	struct send_batch *batch = batch_of(ex);
	if (batch->count == batch->capacity)
		return fail(batch, ENOMEM);
	struct ibv_send_wr *wr = &batch->wr[batch->count];
	memset(wr, 0, sizeof *wr);
	wr->wr_id = ex->wr_id;
	wr->send_flags = ex->wr_flags & ~INLINE;
	wr->opcode = opcode;
	wr->sg_list = &batch->sge[batch->count * batch->max_sge];
	if (batch->count)
		batch->wr[batch->count - 1].next = wr;
	batch->count++;
	return wr;
}

static struct ibv_send_wr *latest(struct send_batch *batch)
{
	return batch->error || !batch->count ? fail(batch, EINVAL) : &batch->wr[batch->count - 1];
}

static struct ibv_send_wr *add_rdma(struct ibv_qp_ex *ex, int opcode, uint32_t rkey, uint64_t address)
{
	struct ibv_send_wr *wr = add(ex, opcode);
	wr->wr.rdma.remote_addr = address;
	wr->wr.rdma.rkey = rkey;
	return wr;
}

static struct ibv_send_wr *add_atomic(
	struct ibv_qp_ex *ex, int opcode, uint32_t rkey, uint64_t address, uint64_t operand)
{
	struct ibv_send_wr *wr = add(ex, opcode);
	wr->wr.atomic.remote_addr = address;
	wr->wr.atomic.rkey = rkey;
	wr->wr.atomic.compare_add = operand;
	return wr;
}

static void wr_send(struct ibv_qp_ex *ex) { add(ex, OP_SEND); }
static void wr_send_imm(struct ibv_qp_ex *ex, uint32_t immediate) { add(ex, OP_SEND_IMM)->imm_data = immediate; }
static void wr_send_inv(struct ibv_qp_ex *ex, uint32_t rkey) { add(ex, OP_SEND_INV)->imm_data = rkey; }
static void wr_local_inv(struct ibv_qp_ex *ex, uint32_t key) { add(ex, OP_LOCAL_INV)->imm_data = key; }
static void wr_rdma_read(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t address)
{
	add_rdma(ex, OP_READ, rkey, address);
}
static void wr_rdma_write(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t address)
{
	add_rdma(ex, OP_WRITE, rkey, address);
}

static void wr_rdma_write_imm(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t address, uint32_t immediate)
{
	add_rdma(ex, OP_WRITE_IMM, rkey, address)->imm_data = immediate;
}

static void wr_atomic_cmp_swp(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t address, uint64_t compare, uint64_t swap)
{
	add_atomic(ex, OP_CMP_SWP, rkey, address, compare)->wr.atomic.swap = swap;
}

static void wr_atomic_fetch_add(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t address, uint64_t operand)
{
	add_atomic(ex, OP_FETCH_ADD, rkey, address, operand);
}

/* These two are not in struct ibv_send_wr: the operands of an atomic carry value, length, placement and level. */
static void wr_atomic_write(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t address, const void *value)
{
	uint64_t operand;
	memcpy(&operand, value, sizeof operand);
	add_atomic(ex, OP_ATOMIC_WRITE, rkey, address, operand);
}

static void wr_flush(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t address, size_t length, uint8_t type, uint8_t level)
{
	add_atomic(ex, OP_FLUSH, rkey, address, length)->wr.atomic.swap = type | (uint64_t) level << 8;
}

static void wr_bind_mw(struct ibv_qp_ex *ex, struct ibv_mw *mw, uint32_t rkey, const struct ibv_mw_bind_info *info)
{
	struct ibv_send_wr *wr = add(ex, OP_BIND_MW);
	wr->bind_mw.mw = mw;
	wr->bind_mw.rkey = rkey;
	wr->bind_mw.bind_info = *info;
}

static void wr_send_tso(struct ibv_qp_ex *ex, void *header, uint16_t header_size, uint16_t mss)
{
	struct ibv_send_wr *wr = add(ex, OP_TSO);
	wr->tso.hdr = header;
	wr->tso.hdr_sz = header_size;
	wr->tso.mss = mss;
}

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

void free_send_batch(struct qp *qp)
{
	struct send_batch *batch = qp->batch;
	if (!batch)
		return;
	free(batch->wr);
	free(batch->sge);
	free(batch->inline_data);
	free(batch);
	qp->batch = NULL;
}

static int new_send_batch(struct qp *qp, const struct ibv_qp_cap *cap)
{
	struct send_batch *batch = qp->batch = calloc(1, sizeof *batch);
	if (!batch)
		return ENOMEM;
	pthread_mutex_init(&batch->lock, NULL);
	batch->capacity = cap->max_send_wr;
	batch->max_sge = cap->max_send_sge ? cap->max_send_sge : 1; /* inline data use one */
	batch->max_inline = cap->max_inline_data;
	batch->wr = calloc((size_t) batch->capacity + 1, sizeof *batch->wr);
	batch->sge = calloc((size_t) batch->capacity * batch->max_sge + 1, sizeof *batch->sge);
	batch->inline_data = calloc((size_t) batch->capacity * batch->max_inline + 1, 1);
	return batch->wr && batch->sge && batch->inline_data ? 0 : ENOMEM;
}

int set_qp_ex_functions(struct qp *qp, const struct ibv_qp_cap *cap)
{
	struct ibv_qp_ex *ex = &qp->ex;
	SET(wr_start), SET(wr_complete), SET(wr_abort), SET(wr_send), SET(wr_send_imm), SET(wr_send_inv), SET(wr_send_tso);
	SET(wr_rdma_read), SET(wr_rdma_write), SET(wr_rdma_write_imm), SET(wr_atomic_cmp_swp), SET(wr_atomic_fetch_add);
	SET(wr_atomic_write), SET(wr_flush);
	SET(wr_bind_mw), SET(wr_local_inv), SET(wr_set_ud_addr), SET(wr_set_xrc_srqn);
	SET(wr_set_sge), SET(wr_set_sge_list), SET(wr_set_inline_data), SET(wr_set_inline_data_list);
	return new_send_batch(qp, cap);
}
