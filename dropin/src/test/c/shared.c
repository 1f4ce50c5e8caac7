/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the program on a device that another process serves: shared DEVICE moved|refused. */
#include "program.h"
#include <sys/mman.h>

enum { PAGE = 4096, ALL = LOCAL_WRITE | REMOTE_WRITE | REMOTE_READ | REMOTE_ATOMIC };

/* The buffers begin anywhere in a page, and share pages. */
static struct station a, b;

static void open_named(struct station *s, const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	CHECK(list);
	for (int i = 0; list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			CHECK((s->context = ibv_open_device(list[i])));
	CHECK(s->context && !ibv_query_gid(s->context, 1, 0, &s->gid));
	ibv_free_device_list(list);
}

static void write_to(const struct ibv_mr *mr, const char *text)
{
	strcpy(a.buffer, text);
	transfer(&a, OP_WRITE, 1, 0, strlen(text) + 1, mr, 0);
	CHECK(completion(a.cq).status == 0 && !strcmp(mr->addr, text));
}

/* Regions of the heap that overlap, also after one of them is gone, and a region that is registered again. */
static void test_overlap(void)
{
	char *heap = malloc(5 * PAGE);
	for (int i = 0; i < 5 * PAGE; i++)
		heap[i] = (char) (i * 7);
	struct ibv_mr *first = ibv_reg_mr(b.pd, heap + 100, PAGE, ALL);
	struct ibv_mr *second = ibv_reg_mr(b.pd, heap + PAGE, 3 * PAGE, ALL);
	CHECK(first && second);
	for (int i = 0; i < 5 * PAGE; i++)
		CHECK(heap[i] == (char) (i * 7)); /* what the regions do not have is as before, too */
	write_to(first, "first");
	write_to(second, "second");
	CHECK(!ibv_dereg_mr(first));
	write_to(second, "second, after the first one");
	CHECK((first = ibv_reg_mr(b.pd, heap, 5 * PAGE, ALL)));
	write_to(first, "again");
	write_to(second, "second, after the registration");
	CHECK(!ibv_rereg_mr(second, REREG_TRANSLATION, NULL, heap + 2 * PAGE, PAGE, 0));
	write_to(second, "moved");
	CHECK(!ibv_dereg_mr(second) && !ibv_dereg_mr(first));
	free(heap);
}

static void test_atomics(void)
{
	uint64_t *counter = calloc(2, sizeof *counter);
	counter[0] = 40;
	struct ibv_mr *mr = ibv_reg_mr(b.pd, counter, sizeof *counter, ALL);
	struct ibv_sge sge = { (uintptr_t) a.buffer, 8, a.mr->lkey };
	struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = 1, .opcode = OP_FETCH_ADD, .send_flags = SIGNALED }, *bad;
	CHECK(mr);
	wr.wr.atomic.remote_addr = (uintptr_t) counter;
	wr.wr.atomic.rkey = mr->rkey;
	wr.wr.atomic.compare_add = 2;
	CHECK(!post_send(a.qp, &wr, &bad) && completion(a.cq).status == 0);
	CHECK(counter[0] == 42 && *(uint64_t *) a.buffer == 40 && counter[1] == 0);
	CHECK(!ibv_dereg_mr(mr));
	free(counter);
}

static void test_refusals(void)
{
	char stack[64];
	CHECK(!ibv_reg_mr(b.pd, stack, sizeof stack, ALL) && errno == EOPNOTSUPP);
	char *constant = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(!ibv_reg_mr(b.pd, constant, PAGE, 0) && errno == EOPNOTSUPP);
}

/* The regions of a context that is closed use no pages any more, and others can use the pages. */
static void open_again(const char *name)
{
	CHECK(!ibv_destroy_qp(a.qp));
	open_named(&b, name);
	open_station(&b, false);
	struct ibv_qp_init_attr init = {
		.send_cq = a.cq, .recv_cq = a.cq, .qp_type = RC, .cap = { WRS, WRS, 2, 2, 64 }
	};
	CHECK((a.qp = ibv_create_qp(a.pd, &init)));
	connect_to(&a, b.qp->qp_num, &b.gid), connect_to(&b, a.qp->qp_num, &a.gid);
	write_to(b.mr, "opened again");
}

int main(int argc, char **argv)
{
	CHECK(argc == 3);
	open_named(&a, argv[1]);
	if (!strcmp(argv[2], "refused")) {
		CHECK((a.pd = ibv_alloc_pd(a.context)));
		CHECK(!ibv_reg_mr(a.pd, a.buffer, BUFFER, ALL) && errno == EOPNOTSUPP);
		printf("passed\n");
		return 0;
	}
	open_named(&b, argv[1]);
	open_station(&a, false), open_station(&b, false);
	connect_to(&a, b.qp->qp_num, &b.gid), connect_to(&b, a.qp->qp_num, &a.gid);
	receive(&b, 1, 0, BUFFER);
	strcpy(a.buffer, "hello");
	transfer(&a, OP_SEND, 2, 0, 6, NULL, 0);
	CHECK(completion(a.cq).status == 0 && completion(b.cq).status == 0 && !strcmp(b.buffer, "hello"));
	test_overlap();
	test_atomics();
	test_refusals();
	CHECK(!ibv_close_device(b.context)); /* with its regions */
	open_again(argv[1]);
	close_station(&a), close_station(&b);
	printf("passed\n");
	return 0;
}
