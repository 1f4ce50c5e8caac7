/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that waits for WRITEs of its peer by reading its memory, and calls no verb meanwhile: spin writer|target.
 * Both print their address, and read that of the other one.
 */
#include "program.h"

enum { ROUNDS = 100 };

static struct station s;

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	open_station(&s, false);
	printf("address %u %016lx %016lx %lu %u\n", s.qp->qp_num, s.gid.half[0], s.gid.half[1],
			(unsigned long) s.buffer, s.mr->rkey);
	fflush(stdout);
	unsigned qpn;
	unsigned long address;
	union ibv_gid gid;
	struct ibv_mr remote = { 0 };
	CHECK(scanf("%u %lx %lx %lu %u", &qpn, &gid.half[0], &gid.half[1], &address, &remote.rkey) == 5);
	remote.addr = (void *) address;
	connect_to(&s, qpn, &gid);
	printf("ready\n");
	fflush(stdout);
	char word[8];
	CHECK(scanf("%7s", word) == 1);
	volatile uint64_t *value = (void *) s.buffer;
	if (!strcmp(argv[1], "target")) {
		while (*value < ROUNDS)
			;
	} else {
		for (*value = 1; *value <= ROUNDS; ++*value) {
			transfer(&s, OP_WRITE, 1, 0, sizeof *value, &remote, 0);
			CHECK(completion(s.cq).status == 0);
		}
	}
	printf("done\n");
	fflush(stdout);
	CHECK(scanf("%7s", word) == 1); /* the peer has all acknowledgements */
	close_station(&s);
	return 0;
}
