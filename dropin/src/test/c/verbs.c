/* SPDX-License-Identifier: Apache-2.0 */
/* Verbs between two queue pairs of one process. Without an argument all cases run; each prints its name. */
#include "program.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>

static struct station a, b;

static void open_pair(bool events)
{
	b.context = NULL;
	memset(&a, 0, offsetof(struct station, buffer));
	memset(&b, 0, offsetof(struct station, buffer));
	open_first(&a);
	b.context = a.context;
	b.gid = a.gid;
	open_station(&a, events);
	open_station(&b, events);
	connect_to(&a, b.qp->qp_num, &b.gid);
	connect_to(&b, a.qp->qp_num, &a.gid);
}

/* Closes both; also shows that nothing is left in use. */
static void close_pair(void)
{
	CHECK(!ibv_destroy_qp(b.qp) && !ibv_destroy_cq(b.cq));
	CHECK(!b.channel || !ibv_destroy_comp_channel(b.channel));
	CHECK(!ibv_dereg_mr(b.mr) && !ibv_dealloc_pd(b.pd));
	close_station(&a);
}

static void lists_are_posted_up_to_the_wrong_request(void)
{
	open_pair(false);
	for (int i = 0; i < 3; i++)
		receive(&b, i, 0, 64);
	struct ibv_sge sge = { (uintptr_t) a.buffer, 8, a.mr->lkey };
	struct ibv_send_wr wr[3], *bad = NULL;
	memset(wr, 0, sizeof wr);
	for (int i = 0; i < 3; i++) {
		wr[i] = (struct ibv_send_wr) { .wr_id = 10 + i, .sg_list = &sge, .num_sge = 1, .opcode = OP_SEND, .send_flags = SIGNALED };
		wr[i].next = i < 2 ? &wr[i + 1] : NULL;
	}
	CHECK(!post_send(a.qp, wr, &bad));
	for (int i = 0; i < 3; i++)
		CHECK(completion(a.cq).wr_id == 10u + i);
	receive(&b, 3, 0, 64);
	wr[1].opcode = 77;
	CHECK(post_send(a.qp, wr, &bad) == EINVAL);
	CHECK(bad == &wr[1]);
	CHECK(completion(a.cq).wr_id == 10);
	struct ibv_sge many[64] = { { 0 } };
	struct ibv_recv_wr r[2] = { { .wr_id = 1, .next = &r[1] }, { .wr_id = 2, .sg_list = many, .num_sge = 64 } }, *bad_receive = NULL;
	CHECK(post_recv(b.qp, r, &bad_receive) == EINVAL);
	CHECK(bad_receive == &r[1]);
	close_pair();
}

static void every_operation_moves_its_data(void)
{
	open_pair(false);
	strcpy(a.buffer, "of a");
	strcpy(b.buffer, "of b");
	receive(&b, 1, 100, 64);
	struct ibv_sge two[2] = { { (uintptr_t) a.buffer, 2, 0 }, { (uintptr_t) a.buffer + 2, 3, 0 } };
	struct ibv_send_wr wr = {
		.wr_id = 2, .sg_list = two, .num_sge = 2, .opcode = OP_SEND_IMM, .imm_data = htonl(0x12345678), .send_flags = SIGNALED | INLINE
	}, *bad;
	CHECK(!post_send(a.qp, &wr, &bad));
	memset(a.buffer, 'x', 5); /* inline data were copied */
	CHECK(completion(a.cq).wr_id == 2);
	struct ibv_wc wc = completion(b.cq);
	CHECK(wc.status == 0 && wc.opcode == 128 && wc.byte_len == 5 && wc.imm_data == htonl(0x12345678) && (wc.wc_flags & 2));
	CHECK(!strcmp(b.buffer + 100, "of a"));
	transfer(&a, OP_READ, 3, 200, 5, b.mr, 0);
	wc = completion(a.cq);
	CHECK(wc.status == 0 && wc.opcode == 2 && !strcmp(a.buffer + 200, "of b"));
	transfer(&a, OP_WRITE, 4, 200, 5, b.mr, 0);
	CHECK(completion(a.cq).opcode == 1);
	uint64_t *counter = (uint64_t *) b.buffer;
	*counter = 41;
	struct ibv_sge eight = { (uintptr_t) a.buffer + 208, 8, a.mr->lkey };
	struct ibv_send_wr atomic = { .wr_id = 5, .sg_list = &eight, .num_sge = 1, .opcode = OP_FETCH_ADD, .send_flags = SIGNALED };
	atomic.wr.atomic.remote_addr = (uintptr_t) b.buffer;
	atomic.wr.atomic.rkey = b.mr->rkey;
	atomic.wr.atomic.compare_add = 1;
	CHECK(!post_send(a.qp, &atomic, &bad));
	CHECK(completion(a.cq).status == 0 && *counter == 42 && *(uint64_t *) (a.buffer + 208) == 41);
	transfer(&a, OP_READ, 6, 0, 8, &(struct ibv_mr) { .addr = b.buffer, .rkey = b.mr->rkey ^ 1 }, 0);
	CHECK(completion(a.cq).status == 10); /* remote access error */
	struct ibv_qp_attr attributes;
	struct ibv_qp_init_attr init;
	CHECK(!ibv_query_qp(a.qp, &attributes, 1, &init) && attributes.qp_state == ERR && a.qp->state == ERR && init.send_cq == a.cq);
	close_pair();
}

/* Returns the number of requests that the send queue of the first one takes. */
static unsigned open_extended_pair(struct ibv_cq_ex **cq)
{
	open_first(&a);
	struct ibv_cq_init_attr_ex queue = { .cqe = 64, .wc_flags = 0x7F | TIMESTAMP };
	CHECK((*cq = verbs_of(a.context)->create_cq_ex(a.context, &queue)));
	open_station(&a, false);
	b.context = a.context;
	b.gid = a.gid;
	open_station(&b, false);
	CHECK(!ibv_destroy_qp(a.qp));
	struct ibv_qp_init_attr_ex init = {
		.send_cq = &(*cq)->base, .recv_cq = &(*cq)->base, .cap = { WRS, WRS, 2, 2, 64 }, .qp_type = RC,
		.comp_mask = 1 | 64, .pd = a.pd, .send_ops_flags = 1 | 4 | 8 | 16 | 4096 /* WRITE, SEND, SEND_IMM, READ, ATOMIC_WRITE */
	};
	CHECK((a.qp = verbs_of(a.context)->create_qp_ex(a.context, &init)));
	connect_to(&a, b.qp->qp_num, &b.gid);
	connect_to(&b, a.qp->qp_num, &a.gid);
	return init.cap.max_send_wr;
}

static void close_extended_pair(struct ibv_cq_ex *cq)
{
	CHECK(!ibv_destroy_qp(a.qp) && !ibv_destroy_cq(&cq->base));
	struct ibv_qp_init_attr init = { .send_cq = a.cq, .recv_cq = a.cq, .qp_type = RC, .cap = { 1, 1, 1, 1, 0 } };
	CHECK((a.qp = ibv_create_qp(a.pd, &init)));
	close_pair();
}

static void extended_queues_post_and_poll_in_batches(void)
{
	struct ibv_cq_ex *cq;
	memset(&a, 0, sizeof a);
	memset(&b, 0, sizeof b);
	unsigned capacity = open_extended_pair(&cq);
	CHECK(!ibv_qp_to_qp_ex(b.qp));
	struct ibv_qp_ex *qp = ibv_qp_to_qp_ex(a.qp);
	CHECK(qp);
	receive(&b, 1, 0, 64);
	strcpy(a.buffer, "written");
	qp->wr_start(qp);
	qp->wr_id = 5;
	qp->wr_flags = SIGNALED;
	qp->wr_rdma_write(qp, b.mr->rkey, (uintptr_t) b.buffer + 1000);
	qp->wr_set_sge(qp, a.mr->lkey, (uintptr_t) a.buffer, 8);
	qp->wr_id = 6;
	qp->wr_send_imm(qp, htonl(9));
	char text[] = "inline";
	qp->wr_set_inline_data(qp, text, sizeof text);
	memset(text, 0, sizeof text);
	CHECK(!qp->wr_complete(qp));
	CHECK(completion(b.cq).imm_data == htonl(9));
	CHECK(!strcmp(b.buffer, "inline") && !strcmp(b.buffer + 1000, "written"));
	struct ibv_poll_cq_attr none = { 0 };
	int error;
	while ((error = cq->start_poll(cq, &none)) == ENOENT)
		;
	CHECK(!error && cq->wr_id == 5 && cq->status == 0 && cq->read_opcode(cq) == 1 && cq->read_qp_num(cq) == a.qp->qp_num);
	uint64_t earlier = cq->read_completion_ts(cq);
	while ((error = cq->next_poll(cq)) == ENOENT)
		;
	CHECK(!error && cq->wr_id == 6 && cq->read_opcode(cq) == 0);
	CHECK(earlier && cq->read_completion_ts(cq) >= earlier);
	cq->end_poll(cq);
	CHECK(cq->start_poll(cq, &none) == ENOENT);
	uint64_t value = 77;
	qp->wr_start(qp);
	qp->wr_atomic_write(qp, b.mr->rkey, (uintptr_t) b.buffer, &value);
	CHECK(!qp->wr_complete(qp));
	while ((error = cq->start_poll(cq, &none)) == ENOENT)
		;
	CHECK(!error && cq->status == 0 && cq->read_opcode(cq) == 9 && *(uint64_t *) b.buffer == 77);
	qp->wr_start(qp); /* an operation that was not asked for at creation */
	qp->wr_atomic_fetch_add(qp, b.mr->rkey, (uintptr_t) b.buffer, 1);
	qp->wr_set_sge(qp, a.mr->lkey, (uintptr_t) a.buffer, 8);
	CHECK(qp->wr_complete(qp));
	qp->wr_start(qp); /* a batch that is too long posts nothing */
	for (unsigned i = 0; i <= capacity; i++)
		qp->wr_send(qp);
	CHECK(qp->wr_complete(qp) == ENOMEM);
	qp->wr_start(qp);
	qp->wr_send(qp);
	qp->wr_abort(qp);
	receive(&b, 2, 0, 64);
	qp->wr_start(qp);
	qp->wr_send(qp);
	CHECK(!qp->wr_complete(qp));
	CHECK(completion(b.cq).byte_len == 0); /* the first message since */
	close_extended_pair(cq);
}

static bool is_readable(int fd) { return poll(&(struct pollfd) { .fd = fd, .events = POLLIN }, 1, 0) == 1; }

static void wait_readable(int fd) { CHECK(poll(&(struct pollfd) { .fd = fd, .events = POLLIN }, 1, 20000) == 1); }

static void a_channel_is_a_descriptor_to_poll(void)
{
	struct ibv_cq *cq;
	void *context;
	open_pair(true);
	CHECK(!fcntl(b.channel->fd, F_SETFL, O_NONBLOCK));
	CHECK(ibv_get_cq_event(b.channel, &cq, &context) == -1 && errno == EAGAIN);
	receive(&b, 1, 0, 64);
	receive(&b, 2, 0, 64);
	CHECK(!notify(b.cq, 0));
	transfer(&a, OP_SEND, 3, 0, 8, NULL, 0);
	wait_readable(b.channel->fd);
	CHECK(!ibv_get_cq_event(b.channel, &cq, &context) && cq == b.cq && context == &b);
	CHECK(!is_readable(b.channel->fd));
	ibv_ack_cq_events(cq, 1);
	CHECK(completion(b.cq).wr_id == 1);
	CHECK(!notify(b.cq, 1)); /* solicited ones only */
	transfer(&a, OP_SEND, 4, 0, 8, NULL, SOLICITED);
	wait_readable(b.channel->fd);
	/* The program never fetches this event: destroying the queue drops it. */
	CHECK(!ibv_destroy_qp(b.qp) && !ibv_destroy_cq(b.cq));
	CHECK(!is_readable(b.channel->fd));
	CHECK((b.cq = ibv_create_cq(b.context, 1, NULL, b.channel, 0)));
	CHECK(ibv_destroy_comp_channel(b.channel) == EBUSY);
	struct ibv_qp_init_attr init = { .send_cq = b.cq, .recv_cq = b.cq, .qp_type = RC, .cap = { 1, 1, 1, 1, 0 } };
	CHECK((b.qp = ibv_create_qp(b.pd, &init)));
	close_pair();
}

/* Of many polls of an empty queue some do not call Java; the first one after a pause or a request for an event does. */
static void polls_of_an_idle_queue_lose_nothing(void)
{
	enum { POLLS = 1001 };
	struct ibv_cq *cq;
	struct ibv_wc wc;
	void *context;
	open_pair(true);
	for (int with_event = 0; with_event < 2; with_event++) {
		receive(&b, 1, 0, 64);
		for (int i = 0; i < POLLS; i++)
			CHECK(poll_cq(b.cq, 1, &wc) == 0);
		CHECK(!with_event || !notify(b.cq, 0));
		transfer(&a, OP_SEND, 3, 0, 8, NULL, 0);
		CHECK(completion(a.cq).status == 0);
		if (with_event) {
			CHECK(!ibv_get_cq_event(b.channel, &cq, &context));
			ibv_ack_cq_events(cq, 1);
		} else {
			usleep(1);
		}
		CHECK(poll_cq(b.cq, 1, &wc) == 1 && wc.wr_id == 1);
	}
	close_pair();
}

static void *acknowledge_later(void *cq)
{
	usleep(50000);
	ibv_ack_cq_events(cq, 1);
	return NULL;
}

static void destroying_waits_for_acknowledgements(void)
{
	struct ibv_cq *cq;
	void *context;
	pthread_t thread;
	open_pair(true);
	receive(&b, 1, 0, 64);
	CHECK(!notify(b.cq, 0));
	transfer(&a, OP_SEND, 3, 0, 8, NULL, 0);
	CHECK(!ibv_get_cq_event(b.channel, &cq, &context));
	CHECK(ibv_destroy_cq(b.cq) == EBUSY); /* the queue pair uses it */
	CHECK(!ibv_destroy_qp(b.qp));
	CHECK(!pthread_create(&thread, NULL, acknowledge_later, cq));
	CHECK(!ibv_destroy_cq(b.cq));
	CHECK(!pthread_join(thread, NULL));
	CHECK((b.cq = ibv_create_cq(b.context, 1, NULL, b.channel, 0)));
	struct ibv_qp_init_attr init = { .send_cq = b.cq, .recv_cq = b.cq, .qp_type = RC, .cap = { 1, 1, 1, 1, 0 } };
	CHECK((b.qp = ibv_create_qp(b.pd, &init)));
	close_pair();
}

static void asynchronous_events_name_their_object(void)
{
	struct ibv_async_event event;
	open_pair(false);
	CHECK(!fcntl(a.context->async_fd, F_SETFL, O_NONBLOCK));
	CHECK(ibv_get_async_event(a.context, &event) == -1 && errno == EAGAIN);
	struct ibv_srq_init_attr init = { .attr = { .max_wr = 8, .max_sge = 1 } };
	struct ibv_srq *srq = ibv_create_srq(a.pd, &init);
	CHECK(srq && init.attr.max_wr >= 8);
	/* Sizes of the receive queue are garbage where a shared one is used. */
	struct ibv_qp_init_attr qp_init = { .send_cq = b.cq, .recv_cq = b.cq, .srq = srq, .qp_type = RC, .cap = { 1, 0xFFFFFFFF, 1, 0xFFFFFFFF, 0 } };
	CHECK(!ibv_destroy_qp(b.qp) && (b.qp = ibv_create_qp(a.pd, &qp_init)));
	connect_to(&b, a.qp->qp_num, &a.gid);
	CHECK(!ibv_modify_qp(a.qp, &(struct ibv_qp_attr) { .qp_state = RESET }, 1));
	connect_to(&a, b.qp->qp_num, &b.gid);
	struct ibv_sge sge = { (uintptr_t) a.buffer, 64, a.mr->lkey };
	struct ibv_recv_wr wr = { .wr_id = 7, .sg_list = &sge, .num_sge = 1 }, *bad;
	for (int i = 0; i < 2; i++)
		CHECK(!a.context->ops.post_srq_recv(srq, &wr, &bad));
	CHECK(!ibv_modify_srq(srq, &(struct ibv_srq_attr) { .srq_limit = 2 }, 2));
	transfer(&a, OP_SEND, 3, 512, 8, NULL, 0);
	CHECK(completion(b.cq).wr_id == 7);
	wait_readable(a.context->async_fd);
	int found = 0;
	while (!ibv_get_async_event(a.context, &event)) {
		if (event.event_type == 15) { /* SRQ_LIMIT_REACHED */
			CHECK(event.element.object == srq);
			found++;
		}
		ibv_ack_async_event(&event);
	}
	CHECK(found == 1 && errno == EAGAIN);
	CHECK(!ibv_destroy_qp(b.qp) && !ibv_destroy_srq(srq));
	struct ibv_qp_init_attr last = { .send_cq = b.cq, .recv_cq = b.cq, .qp_type = RC, .cap = { 1, 1, 1, 1, 0 } };
	CHECK((b.qp = ibv_create_qp(b.pd, &last)));
	close_pair();
}

static void garbage_in_ignored_bits_is_dropped(void)
{
	memset(&a, 0, sizeof a);
	open_first(&a);
	open_station(&a, false);
	struct ibv_qp_attr init = { .qp_state = INIT, .port_num = 1 };
	CHECK(!ibv_modify_qp(a.qp, &init, 0x1 | 0x8 | 0x10 | 0x20));
	struct ibv_qp_attr rtr = {
		.qp_state = RTR, .path_mtu = 3, .dest_qp_num = 0xFF000011, .rq_psn = 0xFF000007, .max_dest_rd_atomic = 1, .min_rnr_timer = 12,
		.ah_attr = { .grh = { .dgid = a.gid, .hop_limit = 1, .flow_label = 0xFFFFFFFF }, .is_global = 1, .port_num = 1, .src_path_bits = 0xFF }
	};
	CHECK(!ibv_modify_qp(a.qp, &rtr, 0x1 | 0x80 | 0x100 | 0x1000 | 0x8000 | 0x20000 | 0x100000));
	struct ibv_qp_attr now;
	struct ibv_qp_init_attr ignored;
	CHECK(!ibv_query_qp(a.qp, &now, 0xFFFF, &ignored));
	CHECK(now.dest_qp_num == 0x11 && now.rq_psn == 7 && now.ah_attr.grh.flow_label == 0xFFFFF && now.ah_attr.is_global);
	CHECK(ibv_modify_qp(a.qp, &init, 1 << 30) == EINVAL); /* no attribute at all */
	struct ibv_ah_attr path = rtr.ah_attr;
	struct ibv_ah *ah = ibv_create_ah(a.pd, &path);
	CHECK(ah && !ibv_destroy_ah(ah));
	close_station(&a);
}

static void windows_and_device_memory_work(void)
{
	enum { MW_BIND = 16 };
	open_pair(false);
	struct ibv_mr *mr = ibv_reg_mr(b.pd, b.buffer, 64, LOCAL_WRITE | MW_BIND);
	struct ibv_mw *mw = b.context->ops.alloc_mw(b.pd, 1);
	CHECK(mr && mw);
	/* Programs ask for local writes, too, which is no right of a window. */
	struct ibv_mw_bind bind = { .wr_id = 4, .send_flags = SIGNALED, .bind_info = { mr, (uintptr_t) b.buffer, 64, LOCAL_WRITE | REMOTE_WRITE } };
	CHECK(!b.context->ops.bind_mw(b.qp, mw, &bind));
	CHECK(completion(b.cq).status == 0);
	strcpy(a.buffer, "by window");
	transfer(&a, OP_WRITE, 5, 0, 10, &(struct ibv_mr) { .addr = b.buffer, .rkey = mw->rkey }, 0);
	CHECK(completion(a.cq).status == 0 && !strcmp(b.buffer, "by window"));
	CHECK(ibv_dereg_mr(mr) == EBUSY);
	CHECK(!b.context->ops.dealloc_mw(mw) && !ibv_dereg_mr(mr));
	struct verbs_context *verbs = verbs_of(a.context);
	struct ibv_dm *dm = verbs->alloc_dm(a.context, &(struct ibv_alloc_dm_attr) { .length = 128 });
	CHECK(dm && !dm->memcpy_to_dm(dm, 4, "abcdefg", 8) && !dm->memcpy_from_dm(a.buffer, dm, 8, 4) && !strcmp(a.buffer, "efg"));
	CHECK(dm->memcpy_to_dm(dm, 2, "abcd", 4) == EINVAL && dm->memcpy_to_dm(dm, 128, "abcd", 4) == EINVAL);
	CHECK((mr = verbs->reg_dm_mr(a.pd, dm, 0, 128, LOCAL_WRITE | 32)) && !ibv_dereg_mr(mr) && !verbs->free_dm(dm)); /* zero-based */
	close_pair();
}

static void registrations_change_and_keep_their_keys(void)
{
	open_pair(false);
	struct ibv_pd *other = ibv_alloc_pd(b.context);
	uint32_t key = b.mr->rkey;
	CHECK(other && !ibv_rereg_mr(b.mr, REREG_PD | REREG_ACCESS, other, NULL, 0, LOCAL_WRITE | REMOTE_READ) && b.mr->pd == other && b.mr->rkey == key);
	transfer(&a, OP_READ, 1, 0, 8, b.mr, 0);
	CHECK(completion(a.cq).status == 10); /* another protection domain than that of the queue pair */
	CHECK(!ibv_rereg_mr(b.mr, REREG_PD, b.pd, NULL, 0, 0) && !ibv_dealloc_pd(other) && b.mr->rkey == key);
	/* Completions of a queue pair leave the completion queue at its reset, also those that ibv_start_poll holds. */
	receive(&a, 2, 0, 8);
	CHECK(!ibv_modify_qp(a.qp, &(struct ibv_qp_attr) { .qp_state = RESET }, 1) && !ibv_modify_qp(b.qp, &(struct ibv_qp_attr) { .qp_state = RESET }, 1));
	struct ibv_wc wc;
	CHECK(!poll_cq(a.cq, 1, &wc));
	connect_to(&a, b.qp->qp_num, &b.gid);
	connect_to(&b, a.qp->qp_num, &a.gid);
	strcpy(b.buffer + 500, "again");
	transfer(&a, OP_READ, 3, 0, 8, &(struct ibv_mr) { .addr = b.buffer + 500, .rkey = key }, 0);
	CHECK(completion(a.cq).status == 0 && !strcmp(a.buffer, "again"));
	CHECK(!ibv_rereg_mr(b.mr, REREG_TRANSLATION, NULL, b.buffer, 100, 0) && b.mr->rkey != key && b.mr->length == 100);
	close_pair();
}

static void completions_that_were_polled_ahead_end_with_a_reset(void)
{
	struct ibv_cq_ex *cq;
	struct ibv_poll_cq_attr none = { 0 };
	memset(&a, 0, sizeof a);
	memset(&b, 0, sizeof b);
	open_extended_pair(&cq);
	struct ibv_qp_attr to_error = { .qp_state = ERR }, to_reset = { .qp_state = RESET };
	receive(&a, 1, 0, 8);
	receive(&a, 2, 0, 8);
	CHECK(!ibv_modify_qp(a.qp, &to_error, 1));
	while (cq->start_poll(cq, &none))
		;
	CHECK(cq->wr_id == 1 && cq->status == 5);
	CHECK(!ibv_modify_qp(a.qp, &to_reset, 1));
	CHECK(cq->read_qp_num(cq) == a.qp->qp_num && cq->next_poll(cq) == ENOENT);
	cq->end_poll(cq);
	close_extended_pair(cq);
}

static void domains_have_parents_and_threads(void)
{
	memset(&a, 0, sizeof a);
	open_first(&a);
	struct verbs_context *verbs = verbs_of(a.context);
	struct ibv_pd *pd = ibv_alloc_pd(a.context);
	struct ibv_td *td = verbs->alloc_td(a.context, &(struct ibv_td_init_attr) { 0 });
	CHECK(pd && td && !verbs->alloc_td(a.context, &(struct ibv_td_init_attr) { .comp_mask = 1 }) && errno == EINVAL);
	struct ibv_parent_domain_init_attr wanted = { .pd = pd, .td = td, .comp_mask = 4 };
	CHECK(!verbs->alloc_parent_domain(a.context, &wanted) && errno == EINVAL);
	wanted.comp_mask = 0;
	struct ibv_pd *parent = verbs->alloc_parent_domain(a.context, &wanted);
	CHECK(parent && ibv_dealloc_pd(pd) == EBUSY && verbs->dealloc_td(td) == EBUSY);
	CHECK(!verbs->alloc_parent_domain(a.context, &(struct ibv_parent_domain_init_attr) { .pd = parent }) && errno == EINVAL);
	struct ibv_cq_init_attr_ex queue = { .cqe = 1, .comp_mask = 2, .parent_domain = parent };
	struct ibv_cq_ex *cq = verbs->create_cq_ex(a.context, &queue);
	queue.parent_domain = pd;
	CHECK(cq && !verbs->create_cq_ex(a.context, &queue) && errno == EINVAL);
	/* Regions of the protection domain are those of the parent domain. */
	struct ibv_qp_init_attr init = { .send_cq = &cq->base, .recv_cq = &cq->base, .qp_type = RC, .cap = { 1, 1, 1, 1, 0 } };
	CHECK((a.qp = ibv_create_qp(parent, &init)) && a.qp->pd == parent);
	CHECK((a.mr = ibv_reg_mr(pd, a.buffer, BUFFER, LOCAL_WRITE | REMOTE_WRITE)));
	connect_to(&a, a.qp->qp_num, &a.gid);
	strcpy(a.buffer, "parent");
	transfer(&a, OP_WRITE, 1, 0, 8, &(struct ibv_mr) { .addr = a.buffer + 64, .rkey = a.mr->rkey }, 0);
	CHECK(completion(&cq->base).status == 0 && !strcmp(a.buffer + 64, "parent"));
	CHECK(!ibv_destroy_qp(a.qp) && !ibv_destroy_cq(&cq->base) && !ibv_dereg_mr(a.mr));
	CHECK(!ibv_dealloc_pd(parent) && !verbs->dealloc_td(td) && !ibv_dealloc_pd(pd) && !ibv_close_device(a.context));
}

static void objects_are_imported_by_file_descriptor_and_handle(void)
{
	memset(&a, 0, sizeof a);
	open_first(&a);
	open_station(&a, false);
	struct verbs_context *verbs = verbs_of(a.context);
	CHECK(!ibv_import_device(1) && errno == EOPNOTSUPP);
	struct ibv_context *second = ibv_import_device(dup(a.context->cmd_fd));
	CHECK(second && second->device == a.context->device && second->async_fd != a.context->async_fd);
	struct ibv_pd *pd = ibv_import_pd(second, a.pd->handle);
	CHECK(pd && pd->context == second && !ibv_import_pd(second, a.cq->handle) && errno == EINVAL);
	struct ibv_mr *mr = ibv_import_mr(pd, a.mr->handle);
	CHECK(mr && !mr->addr && mr->length == BUFFER && mr->lkey == a.mr->lkey && mr->rkey == a.mr->rkey);
	struct ibv_dm *dm = verbs->alloc_dm(a.context, &(struct ibv_alloc_dm_attr) { .length = 64 });
	struct ibv_dm *same = ibv_import_dm(second, dm->handle);
	char text[8];
	CHECK(dm && same && !dm->memcpy_to_dm(dm, 0, "shared", 8) && !same->memcpy_from_dm(text, same, 0, 8) && !strcmp(text, "shared"));
	/* Events of a queue go to the context that it was created with. */
	struct ibv_cq *cq = ibv_create_cq(second, 4, NULL, NULL, 0);
	struct ibv_qp_init_attr init = { .send_cq = cq, .recv_cq = cq, .qp_type = RC, .cap = { 4, 4, 1, 1, 0 } };
	struct ibv_qp *qp = ibv_create_qp(pd, &init);
	CHECK(cq && qp);
	connect_to(&(struct station) { .context = second, .qp = qp }, a.qp->qp_num, &a.gid);
	connect_to(&a, qp->qp_num, &a.gid);
	transfer(&a, OP_READ, 1, 0, 8, &(struct ibv_mr) { .addr = a.buffer, .rkey = mr->rkey ^ 1 }, 0);
	CHECK(completion(a.cq).status == 10);
	struct ibv_async_event event;
	wait_readable(second->async_fd);
	CHECK(!ibv_get_async_event(second, &event) && event.element.object == qp);
	ibv_ack_async_event(&event);
	CHECK(!ibv_destroy_qp(qp) && !ibv_destroy_cq(cq));
	ibv_unimport_dm(same), ibv_unimport_mr(mr), ibv_unimport_pd(pd);
	CHECK(!verbs->free_dm(dm));
	/* The objects stay as long as one of the contexts. */
	CHECK(!ibv_close_device(a.context));
	pd = ibv_import_pd(second, a.pd->handle);
	CHECK(pd && ibv_dealloc_pd(pd) == EBUSY && !ibv_close_device(second));
}

static void pages_are_faulted_in_by_use_or_by_advice(void)
{
	open_pair(false);
	struct verbs_context *verbs = verbs_of(a.context);
	uint32_t attributes[100];
	CHECK(!verbs->query_device_ex(a.context, NULL, (struct ibv_device_attr *) attributes, sizeof attributes));
	CHECK(attributes[60] == 1 && attributes[62] == 0x3F); /* odp_caps: general, RC */
	size_t page = (size_t) sysconf(_SC_PAGESIZE);
	unsigned char present[2];
	char *memory = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(memory != MAP_FAILED && !munmap(memory + 2 * page, page));
	CHECK(!ibv_reg_mr(b.pd, memory, 3 * page, LOCAL_WRITE | ON_DEMAND) && errno == EFAULT);
	struct ibv_mr *mr = ibv_reg_mr(b.pd, memory, 2 * page, LOCAL_WRITE | REMOTE_WRITE | ON_DEMAND);
	CHECK(mr && !mincore(memory, 2 * page, present) && !present[0] && !present[1]);
	strcpy(a.buffer, "demand");
	transfer(&a, OP_WRITE, 1, 0, 8, mr, 0);
	CHECK(completion(a.cq).status == 0 && !strcmp(memory, "demand"));
	struct ibv_sge sge = { (uintptr_t) memory, (uint32_t) (2 * page), mr->lkey };
	CHECK(!verbs->advise_mr(b.pd, PREFETCH_NO_FAULT, 0, &sge, 1) && !mincore(memory, 2 * page, present) && !present[1]);
	CHECK(!verbs->advise_mr(b.pd, PREFETCH_WRITE, 1, &sge, 1) && !mincore(memory, 2 * page, present) && present[1]);
	CHECK(verbs->advise_mr(b.pd, 9, 0, &sge, 1) == EOPNOTSUPP);
	sge.length++;
	CHECK(verbs->advise_mr(b.pd, PREFETCH, 0, &sge, 1) == EFAULT);
	sge = (struct ibv_sge) { (uintptr_t) b.buffer, 8, b.mr->lkey };
	CHECK(verbs->advise_mr(b.pd, PREFETCH, 0, &sge, 1) == EINVAL); /* its pages are there */
	sge.lkey ^= 1;
	CHECK(verbs->advise_mr(b.pd, PREFETCH, 0, &sge, 1) == ENOENT);
	CHECK(!ibv_dereg_mr(mr));
	close_pair();
}

static void memory_that_is_not_there_is_refused(void)
{
	memset(&a, 0, sizeof a);
	open_first(&a);
	open_station(&a, false);
	long page = sysconf(_SC_PAGESIZE);
	char *memory = mmap(NULL, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(memory != MAP_FAILED && !munmap(memory + 2 * page, page) && !mprotect(memory + 3 * page, page, PROT_READ));
	struct ibv_mr *mr;
	CHECK((mr = ibv_reg_mr(a.pd, memory, 2 * page, LOCAL_WRITE)) && !ibv_dereg_mr(mr));
	CHECK(!ibv_reg_mr(a.pd, memory, 3 * page, LOCAL_WRITE) && errno == EFAULT);
	CHECK(!ibv_reg_mr(a.pd, memory + 2 * page, 1, 0) && errno == EFAULT);
	CHECK(!ibv_reg_mr(a.pd, memory + 3 * page, page, LOCAL_WRITE) && errno == EFAULT);
	CHECK((mr = ibv_reg_mr(a.pd, memory + 3 * page, page, REMOTE_READ)) && !ibv_dereg_mr(mr));
	close_station(&a);
}

static void closing_a_device_destroys_what_is_left(void)
{
	open_pair(true);
	receive(&b, 1, 0, 64);
	CHECK(!notify(b.cq, 0));
	transfer(&a, OP_SEND, 3, 0, 8, NULL, 0);
	wait_readable(b.channel->fd);
	CHECK(ibv_dealloc_pd(a.pd) == EBUSY);
	CHECK(!ibv_close_device(a.context));
}

static void numbers_that_programs_trust(void)
{
	open_first(&a);
	uint32_t attributes[100];
	CHECK(!ibv_query_device(a.context, attributes));
	CHECK(attributes[24] != 0); /* vendor_id */
	CHECK(*(uint64_t *) &attributes[18] != 0); /* sys_image_guid */
	static const int positive[] = { 27, 28, 30, 31, 32, 33, 34, 35, 36, 50, 53 }; /* max_qp, max_qp_wr, max_sge, max_cq ... max_ah, max_srq */
	for (size_t i = 0; i < sizeof positive / sizeof *positive; i++)
		CHECK((int32_t) attributes[positive[i]] > 0);
	CHECK(!verbs_of(a.context)->query_device_ex(a.context, NULL, (void *) attributes, 400));
	CHECK(attributes[99] == ((uint8_t *) attributes)[227]); /* phys_port_cnt_ex, phys_port_cnt */
	struct ibv_gid_entry entries[64];
	ssize_t count = _ibv_query_gid_table(a.context, entries, 64, 0, sizeof *entries);
	CHECK(count > 0 && entries[0].gid_type == 2 && entries[0].port_num == 1);
	CHECK(_ibv_query_gid_table(a.context, entries, count - 1, 0, sizeof *entries) == -EINVAL);
	CHECK(_ibv_query_gid_table(a.context, entries, 64, 0, 8) == -EINVAL);
	CHECK(!ibv_close_device(a.context));
}

int main(void)
{
	static const struct { const char *name; void (*run)(void); } cases[] = {
#define CASE(function) { #function, function }
		CASE(lists_are_posted_up_to_the_wrong_request), CASE(every_operation_moves_its_data),
		CASE(extended_queues_post_and_poll_in_batches), CASE(a_channel_is_a_descriptor_to_poll),
		CASE(polls_of_an_idle_queue_lose_nothing),
		CASE(destroying_waits_for_acknowledgements), CASE(asynchronous_events_name_their_object),
		CASE(garbage_in_ignored_bits_is_dropped), CASE(memory_that_is_not_there_is_refused), CASE(windows_and_device_memory_work),
		CASE(registrations_change_and_keep_their_keys), CASE(completions_that_were_polled_ahead_end_with_a_reset),
		CASE(domains_have_parents_and_threads), CASE(objects_are_imported_by_file_descriptor_and_handle),
		CASE(pages_are_faulted_in_by_use_or_by_advice),
		CASE(closing_a_device_destroys_what_is_left), CASE(numbers_that_programs_trust),
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		cases[i].run();
		printf("passed: %s\n", cases[i].name);
		fflush(stdout);
	}
	return 0;
}
