/* SPDX-License-Identifier: Apache-2.0 */
/* Completion queues, shared receive queues and queue pairs. */
#include "rdma4j.h"
#include <string.h>
#include <time.h>

/* --- data path: one call of Java for a list of requests, or for an array of completions --- */

/* A clock whose reading costs little, in about half a nanosecond on x86-64, else in nanoseconds. */
static uint64_t ticks(void)
{
#ifdef __x86_64__
	return __builtin_ia32_rdtsc();
#else
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
#endif
}

/*
 * After many empty polls only one of POLLS_PER_CALL calls Java, which drives the device, as long as the program polls
 * without a pause. A poll after a pause, or after a request for an event, always does.
 */
static bool is_idle(struct cq *cq)
{
	enum { EMPTY_POLLS = 64, POLLS_PER_CALL = 4, PAUSE = 2000 };
	if (cq->empty_polls < EMPTY_POLLS)
		return false;
	uint64_t before = cq->polled_at;
	cq->polled_at = ticks();
	return cq->polled_at - before < PAUSE && ++cq->empty_polls % POLLS_PER_CALL;
}

int poll_array(struct cq *cq, int entries, size_t size, void *array)
{
	int error = enter_java();
	if (error || is_idle(cq))
		return -error;
	int count = JAVA(poll_cq, ADDRESS(cq), (uint32_t) entries | (int64_t) size << 32, ADDRESS(array));
	cq->empty_polls = count ? 0 : cq->empty_polls + 1;
	return count;
}

static int poll_cq(struct ibv_cq *cq, int entries, struct ibv_wc *wc)
{
	return poll_array(CONTAINER(cq, struct cq, ex.base), entries, sizeof *wc, wc);
}

static int req_notify_cq(struct ibv_cq *cq, int solicited_only)
{
	int error = enter_java();
	CONTAINER(cq, struct cq, ex.base)->empty_polls = 0;
	return error ? error : JAVA(req_notify_cq, ADDRESS(cq), solicited_only, 0);
}

/* A call that cannot enter Java posts nothing: the first request is the bad one. */
#define DEFINE_POST(function, queue, request) \
	static int function(struct queue *to, struct request *wr, struct request **bad) \
	{ \
		int error = enter_java(); \
		*bad = wr; \
		return error ? error : JAVA(function, ADDRESS(to), ADDRESS(wr), ADDRESS(bad)); \
	}
DEFINE_POST(post_send, ibv_qp, ibv_send_wr)
DEFINE_POST(post_recv, ibv_qp, ibv_recv_wr)
DEFINE_POST(post_srq_recv, ibv_srq, ibv_recv_wr)

/* --- completion queues --- */

static struct ibv_cq_ex *create_cq(struct ibv_context *context, const struct ibv_cq_init_attr_ex *attributes)
{
	struct cq *cq = new_object(context, sizeof *cq);
	if (!cq)
		return NULL;
	struct ibv_cq *base = &cq->ex.base;
	/* Set first: an event may be raised before Java returns. */
	base->channel = attributes->channel;
	base->cq_context = attributes->cq_context;
	set_cq_ex_functions(cq);
	cq = CREATE_AT(cq, cq, ex.base.handle, CREATE_CQ, context_of(context)->handle, attributes->cqe,
		attributes->comp_vector, (int64_t) attributes->wc_flags, attributes->flags, base->channel != NULL,
		ADDRESS(base));
	if (cq && base->channel)
		__atomic_fetch_add(&base->channel->refcnt, 1, __ATOMIC_RELAXED);
	return cq ? &cq->ex : NULL;
}

PUBLIC struct ibv_cq *ibv_create_cq(
	struct ibv_context *context, int cqe, void *cq_context, struct ibv_comp_channel *channel, int vector)
{
	enum { STANDARD_FIELDS = 0x7F };
	struct ibv_cq_ex *cq = create_cq(context, &(struct ibv_cq_init_attr_ex) {
		.cqe = cqe, .cq_context = cq_context, .channel = channel, .comp_vector = vector, .wc_flags = STANDARD_FIELDS });
	return cq ? &cq->base : NULL;
}

static struct ibv_cq_ex *create_cq_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *attributes)
{
	enum { FLAGS = 1, PARENT_DOMAIN = 2 };
	struct ibv_cq_init_attr_ex copy = *attributes;
	bool has_parent = copy.comp_mask & PARENT_DOMAIN;
	if ((copy.comp_mask & ~(FLAGS | PARENT_DOMAIN))
		|| (has_parent && !CONTAINER(copy.parent_domain, struct pd, base)->protection))
		return refused(EINVAL);
	if (!(copy.comp_mask & FLAGS))
		copy.flags = 0;
	return create_cq(context, &copy);
}

VERB(PUBLIC, ibv_resize_cq, (struct ibv_cq *cq, int cqe), RESIZE_CQ, cq->handle, cqe, ADDRESS(cq))
VERB(static, modify_cq, (struct ibv_cq *cq, struct ibv_modify_cq_attr *to), MODIFY_CQ, cq->handle, ADDRESS(to))

/* Destroys a queue, with the events that were not delivered; those that were must be acknowledged: 0 or an errno. */
static int destroy_queue(enum command command, int handle, struct ibv_context **queue, int event_type)
{
	int error = STATUS(command, handle);
	if (error)
		return error;
	drop_events(&context_of(*queue)->events, queue);
	await_acknowledged(event_type, queue);
	return 0;
}

PUBLIC int ibv_destroy_cq(struct ibv_cq *cq)
{
	int error = destroy_queue(DESTROY_CQ, cq->handle, &cq->context, CQ_ERR);
	if (error)
		return error;
	if (cq->channel) {
		drop_events(&CONTAINER(cq->channel, struct channel, base)->events, cq);
		__atomic_fetch_sub(&cq->channel->refcnt, 1, __ATOMIC_RELAXED);
	}
	await_acknowledged(COMPLETION, cq);
	free(CONTAINER(cq, struct cq, ex.base));
	return 0;
}

/* --- shared receive queues; Java writes the actual sizes into the attributes --- */

static struct ibv_srq *create_srq_ex(struct ibv_context *context, struct ibv_srq_init_attr_ex *attributes)
{
	struct ibv_srq *srq = new_object(context, sizeof(struct srq));
	if (!srq)
		return NULL;
	struct xrcd *xrcd = attributes->xrcd ? CONTAINER(attributes->xrcd, struct xrcd, base) : NULL;
	srq->srq_context = attributes->srq_context;
	srq->pd = attributes->pd;
	return CREATE_AT(srq, ibv_srq, handle, CREATE_SRQ, srq->pd ? (int) srq->pd->handle : -1, ADDRESS(attributes),
		xrcd ? xrcd->handle : -1, ADDRESS(srq));
}

PUBLIC struct ibv_srq *ibv_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *attributes)
{
	enum { TYPE = 1, PD = 2 };
	struct ibv_srq_init_attr_ex all = {
		.srq_context = attributes->srq_context, .attr = attributes->attr, .comp_mask = TYPE | PD, .pd = pd
	};
	struct ibv_srq *srq = create_srq_ex(pd->context, &all);
	if (srq)
		attributes->attr = all.attr;
	return srq;
}

VERB(PUBLIC, ibv_modify_srq, (struct ibv_srq *srq, struct ibv_srq_attr *to, int mask),
	MODIFY_SRQ, srq->handle, ADDRESS(to), mask)
VERB(PUBLIC, ibv_query_srq, (struct ibv_srq *srq, struct ibv_srq_attr *out), QUERY_SRQ, srq->handle, ADDRESS(out))
VERB(static, get_srq_num, (struct ibv_srq *srq, uint32_t *number), GET_SRQ_NUM, srq->handle, ADDRESS(number))

PUBLIC int ibv_destroy_srq(struct ibv_srq *srq)
{
	int error = destroy_queue(DESTROY_SRQ, srq->handle, &srq->context, SRQ_ERR);
	if (!error)
		free(CONTAINER(srq, struct srq, base));
	return error;
}

/* --- queue pairs --- */

enum { INIT_PD = 1, INIT_XRCD = 2, INIT_CREATE_FLAGS = 4, INIT_SEND_OPS = 64, QP_XRC_RECV = 10, STATE = 1, RESET = 0 };

static struct qp *qp_of(struct ibv_qp *base) { return CONTAINER(base, struct qp, ex.base); }

static struct ibv_qp *new_qp(struct ibv_context *context, void *qp_context, int type)
{
	struct ibv_qp *qp = new_object(context, sizeof(struct qp));
	if (qp) {
		qp->qp_context = qp_context;
		qp->qp_type = type;
	}
	return qp;
}

static struct ibv_qp *create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *attributes)
{
	if (attributes->comp_mask & ~(INIT_PD | INIT_XRCD | INIT_CREATE_FLAGS | INIT_SEND_OPS))
		return refused(EOPNOTSUPP);
	struct ibv_qp *qp = new_qp(context, attributes->qp_context, attributes->qp_type);
	if (!qp)
		return NULL;
	struct xrcd *xrcd =
		(attributes->comp_mask & INIT_XRCD) && attributes->xrcd ? CONTAINER(attributes->xrcd, struct xrcd, base) : NULL;
	qp->pd = attributes->comp_mask & INIT_PD ? attributes->pd : NULL;
	qp->send_cq = attributes->send_cq;
	qp->recv_cq = attributes->recv_cq;
	qp->srq = attributes->srq;
	qp = CREATE_AT(qp, ibv_qp, handle, CREATE_QP, context_of(context)->handle, qp->pd ? (int) qp->pd->handle : -1,
		xrcd ? xrcd->handle : -1, ADDRESS(attributes), ADDRESS(qp));
	if (qp && (attributes->comp_mask & INIT_SEND_OPS) && set_qp_ex_functions(qp_of(qp), &attributes->cap)) {
		STATUS(DESTROY_QP, qp->handle);
		errno = ENOMEM;
		return give_up(qp_of(qp));
	}
	return qp;
}

PUBLIC struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attributes)
{
	struct ibv_qp_init_attr_ex all = { .comp_mask = INIT_PD, .pd = pd };
	memcpy(&all, attributes, offsetof(struct ibv_qp_init_attr_ex, comp_mask));
	struct ibv_qp *qp = create_qp_ex(pd->context, &all);
	if (qp)
		attributes->cap = all.cap;
	return qp;
}

static struct ibv_qp *open_qp(struct ibv_context *context, struct ibv_qp_open_attr *attributes)
{
	enum { QP_NUM = 1, XRCD = 2, CONTEXT = 4, TYPE = 8 };
	uint32_t needed = QP_NUM | XRCD | TYPE;
	if ((attributes->comp_mask & needed) != needed || attributes->qp_type != QP_XRC_RECV)
		return refused(EINVAL);
	struct ibv_qp *qp = new_qp(context, attributes->comp_mask & CONTEXT ? attributes->qp_context : NULL, QP_XRC_RECV);
	return CREATE_AT(qp, ibv_qp, handle, OPEN_QP, CONTAINER(attributes->xrcd, struct xrcd, base)->handle,
		attributes->qp_num, ADDRESS(qp));
}

PUBLIC struct ibv_qp_ex *ibv_qp_to_qp_ex(struct ibv_qp *base)
{
	return qp_of(base)->batch ? &qp_of(base)->ex : NULL;
}

PUBLIC int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attributes, int mask)
{
	int error = STATUS(MODIFY_QP, qp->handle, ADDRESS(attributes), mask);
	if (error || !(mask & STATE))
		return error;
	qp->state = *(int32_t *) attributes; /* qp_state is the first member */
	if (qp->state == RESET) {
		discard_polled(qp->send_cq, qp->qp_num);
		discard_polled(qp->recv_cq, qp->qp_num);
	}
	return 0;
}

PUBLIC int ibv_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attributes, int mask, struct ibv_qp_init_attr *init)
{
	(void) mask; /* everything is answered */
	memset(init, 0, sizeof *init);
	int error = STATUS(QUERY_QP, qp->handle, ADDRESS(attributes), ADDRESS(init));
	if (error)
		return error;
	qp->state = *(int32_t *) attributes;
	init->qp_context = qp->qp_context;
	init->send_cq = qp->send_cq;
	init->recv_cq = qp->recv_cq;
	init->srq = qp->srq;
	init->qp_type = qp->qp_type;
	return 0;
}

PUBLIC int ibv_query_qp_data_in_order(void) { return 0; }

PUBLIC int ibv_destroy_qp(struct ibv_qp *qp)
{
	int error = destroy_queue(DESTROY_QP, qp->handle, &qp->context, QP_FATAL);
	if (error)
		return error;
	free(qp_of(qp)->batch);
	free(qp_of(qp));
	return 0;
}

void set_queue_functions(struct verbs_context *verbs)
{
	struct ibv_context_ops *ops = &verbs->context.ops;
#define SET(table, function) table->function = function
	SET(ops, poll_cq), SET(ops, req_notify_cq), SET(ops, post_send), SET(ops, post_recv), SET(ops, post_srq_recv);
	SET(verbs, create_cq_ex), SET(verbs, modify_cq), SET(verbs, create_srq_ex), SET(verbs, get_srq_num);
	SET(verbs, create_qp_ex), SET(verbs, open_qp);
}
