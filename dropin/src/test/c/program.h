/* SPDX-License-Identifier: Apache-2.0 */
/* What the test programs share. They are linked with the library like any program of rdma-core, against its abi.h. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include "abi.h"
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Prints what failed and ends the program. */
#define CHECK(condition) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "%s:%d: failed: %s (errno %d, %s)\n", __FILE__, __LINE__, #condition, errno, strerror(errno)); \
			exit(1); \
		} \
	} while (0)

enum {
	LOCAL_WRITE = 1, REMOTE_WRITE = 2, REMOTE_READ = 4, REMOTE_ATOMIC = 8,
	RC = 2, UD = 4, RESET = 0, INIT = 1, RTR = 2, RTS = 3, ERR = 6,
	OP_WRITE = 0, OP_WRITE_IMM = 1, OP_SEND = 2, OP_SEND_IMM = 3, OP_READ = 4, OP_FETCH_ADD = 6,
	TIMESTAMP = 128, ON_DEMAND = 64, REREG_TRANSLATION = 1, REREG_PD = 2, REREG_ACCESS = 4, PREFETCH = 0, PREFETCH_WRITE = 1, PREFETCH_NO_FAULT = 2,
	FENCE = 1, SIGNALED = 2, SOLICITED = 4, INLINE = 8
};

struct ibv_qp_attr {
	int32_t qp_state, cur_qp_state, path_mtu, path_mig_state;
	uint32_t qkey, rq_psn, sq_psn, dest_qp_num, qp_access_flags;
	struct ibv_qp_cap cap;
	struct ibv_ah_attr ah_attr, alt_ah_attr;
	uint16_t pkey_index, alt_pkey_index;
	uint8_t en_sqd_async_notify, sq_draining, max_rd_atomic, max_dest_rd_atomic, min_rnr_timer, port_num, timeout, retry_cnt, rnr_retry;
	uint8_t alt_port_num, alt_timeout;
	uint32_t rate_limit;
};

struct ibv_device **ibv_get_device_list(int *);
void ibv_free_device_list(struct ibv_device **);
const char *ibv_get_device_name(struct ibv_device *);
struct ibv_context *ibv_open_device(struct ibv_device *);
int ibv_close_device(struct ibv_context *);
int ibv_query_device(struct ibv_context *, void *);
int ibv_query_gid(struct ibv_context *, uint8_t, int, union ibv_gid *);
ssize_t _ibv_query_gid_table(struct ibv_context *, struct ibv_gid_entry *, size_t, uint32_t, size_t);
struct ibv_pd *ibv_alloc_pd(struct ibv_context *);
int ibv_dealloc_pd(struct ibv_pd *);
struct ibv_mr *ibv_reg_mr(struct ibv_pd *, void *, size_t, int);
int ibv_rereg_mr(struct ibv_mr *, int, struct ibv_pd *, void *, size_t, int);
int ibv_dereg_mr(struct ibv_mr *);
struct ibv_context *ibv_import_device(int);
struct ibv_pd *ibv_import_pd(struct ibv_context *, uint32_t);
void ibv_unimport_pd(struct ibv_pd *);
struct ibv_mr *ibv_import_mr(struct ibv_pd *, uint32_t);
void ibv_unimport_mr(struct ibv_mr *);
struct ibv_dm *ibv_import_dm(struct ibv_context *, uint32_t);
void ibv_unimport_dm(struct ibv_dm *);
struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *);
int ibv_destroy_comp_channel(struct ibv_comp_channel *);
struct ibv_cq *ibv_create_cq(struct ibv_context *, int, void *, struct ibv_comp_channel *, int);
int ibv_destroy_cq(struct ibv_cq *);
int ibv_get_cq_event(struct ibv_comp_channel *, struct ibv_cq **, void **);
void ibv_ack_cq_events(struct ibv_cq *, unsigned);
int ibv_get_async_event(struct ibv_context *, struct ibv_async_event *);
void ibv_ack_async_event(struct ibv_async_event *);
struct ibv_srq *ibv_create_srq(struct ibv_pd *, struct ibv_srq_init_attr *);
int ibv_modify_srq(struct ibv_srq *, struct ibv_srq_attr *, int);
int ibv_destroy_srq(struct ibv_srq *);
struct ibv_qp *ibv_create_qp(struct ibv_pd *, struct ibv_qp_init_attr *);
struct ibv_qp_ex *ibv_qp_to_qp_ex(struct ibv_qp *);
int ibv_modify_qp(struct ibv_qp *, struct ibv_qp_attr *, int);
int ibv_query_qp(struct ibv_qp *, struct ibv_qp_attr *, int, struct ibv_qp_init_attr *);
int ibv_destroy_qp(struct ibv_qp *);
struct ibv_ah *ibv_create_ah(struct ibv_pd *, struct ibv_ah_attr *);
int ibv_destroy_ah(struct ibv_ah *);

static inline struct verbs_context *verbs_of(struct ibv_context *c) { return (struct verbs_context *) ((char *) c - offsetof(struct verbs_context, context)); }
static inline int poll_cq(struct ibv_cq *cq, int n, struct ibv_wc *wc) { return cq->context->ops.poll_cq(cq, n, wc); }
static inline int notify(struct ibv_cq *cq, int solicited) { return cq->context->ops.req_notify_cq(cq, solicited); }
static inline int post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad) { return qp->context->ops.post_send(qp, wr, bad); }
static inline int post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad) { return qp->context->ops.post_recv(qp, wr, bad); }

/* --- one queue pair with its queue and memory; what a test does not want stays NULL --- */

enum { BUFFER = 8192, WRS = 16 };

struct station {
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	union ibv_gid gid;
	char buffer[BUFFER];
};

static inline void open_first(struct station *s)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	CHECK(list && list[0]);
	CHECK((s->context = ibv_open_device(list[0])));
	ibv_free_device_list(list);
	CHECK(!ibv_query_gid(s->context, 1, 0, &s->gid));
}

static inline void open_station(struct station *s, bool events)
{
	if (!s->context)
		open_first(s);
	CHECK((s->pd = ibv_alloc_pd(s->context)));
	CHECK((s->mr = ibv_reg_mr(s->pd, s->buffer, BUFFER, LOCAL_WRITE | REMOTE_WRITE | REMOTE_READ | REMOTE_ATOMIC)));
	if (events)
		CHECK((s->channel = ibv_create_comp_channel(s->context)));
	CHECK((s->cq = ibv_create_cq(s->context, 4 * WRS, s, s->channel, 0)));
	struct ibv_qp_init_attr init = {
		.send_cq = s->cq, .recv_cq = s->cq, .qp_type = RC, .cap = { WRS, WRS, 2, 2, 64 }
	};
	CHECK((s->qp = ibv_create_qp(s->pd, &init)));
}

static inline void connect_to(struct station *s, uint32_t qpn, const union ibv_gid *gid)
{
	struct ibv_qp_attr init = { .qp_state = INIT, .port_num = 1, .qp_access_flags = REMOTE_WRITE | REMOTE_READ | REMOTE_ATOMIC };
	CHECK(!ibv_modify_qp(s->qp, &init, 0x1 | 0x8 | 0x10 | 0x20));
	struct ibv_qp_attr rtr = {
		.qp_state = RTR, .path_mtu = 3, .dest_qp_num = qpn, .rq_psn = 7, .max_dest_rd_atomic = 4, .min_rnr_timer = 12,
		.ah_attr = { .grh = { .dgid = *gid, .hop_limit = 1 }, .is_global = 1, .port_num = 1 }
	};
	CHECK(!ibv_modify_qp(s->qp, &rtr, 0x1 | 0x80 | 0x100 | 0x1000 | 0x8000 | 0x20000 | 0x100000));
	struct ibv_qp_attr rts = { .qp_state = RTS, .timeout = 14, .retry_cnt = 7, .rnr_retry = 7, .sq_psn = 7, .max_rd_atomic = 4 };
	CHECK(!ibv_modify_qp(s->qp, &rts, 0x1 | 0x200 | 0x400 | 0x800 | 0x2000 | 0x10000));
}

static inline void receive(struct station *s, uint64_t id, size_t offset, uint32_t length)
{
	struct ibv_sge sge = { (uintptr_t) s->buffer + offset, length, s->mr->lkey };
	struct ibv_recv_wr wr = { .wr_id = id, .sg_list = &sge, .num_sge = 1 }, *bad;
	CHECK(!post_recv(s->qp, &wr, &bad));
}

static inline void transfer(struct station *s, int opcode, uint64_t id, size_t offset, uint32_t length, const struct ibv_mr *remote, unsigned flags)
{
	struct ibv_sge sge = { (uintptr_t) s->buffer + offset, length, s->mr->lkey };
	struct ibv_send_wr wr = { .wr_id = id, .sg_list = &sge, .num_sge = 1, .opcode = opcode, .send_flags = flags | SIGNALED }, *bad;
	if (remote) {
		wr.wr.rdma.remote_addr = (uintptr_t) remote->addr;
		wr.wr.rdma.rkey = remote->rkey;
	}
	CHECK(!post_send(s->qp, &wr, &bad));
}

/* Polls until a completion comes. */
static inline struct ibv_wc completion(struct ibv_cq *cq)
{
	struct ibv_wc wc;
	int count;
	while (!(count = poll_cq(cq, 1, &wc)))
		;
	CHECK(count == 1);
	return wc;
}

static inline void close_station(struct station *s)
{
	CHECK(!ibv_destroy_qp(s->qp));
	CHECK(!ibv_destroy_cq(s->cq));
	CHECK(!s->channel || !ibv_destroy_comp_channel(s->channel));
	CHECK(!ibv_dereg_mr(s->mr));
	CHECK(!ibv_dealloc_pd(s->pd));
	CHECK(!ibv_close_device(s->context));
}

#endif
