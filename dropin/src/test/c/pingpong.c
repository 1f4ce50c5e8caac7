/* SPDX-License-Identifier: Apache-2.0 */
/* One end of a ping-pong of two processes: prints its address, reads that of the peer, and exchanges 20 messages. pingpong first|second poll|events */
#include "program.h"

enum { ROUNDS = 20, SIZE = 4096 };

static struct station s;

static struct ibv_wc next_completion(void)
{
	struct ibv_wc wc;
	if (!s.channel)
		return completion(s.cq);
	while (!poll_cq(s.cq, 1, &wc)) {
		struct ibv_cq *cq;
		void *context;
		CHECK(!notify(s.cq, 0));
		if (poll_cq(s.cq, 1, &wc))
			return wc;
		CHECK(!ibv_get_cq_event(s.channel, &cq, &context));
		CHECK(cq == s.cq && context == &s);
		ibv_ack_cq_events(cq, 1);
	}
	return wc;
}

static void send_round(int round)
{
	memset(s.buffer, 'a' + round, SIZE);
	transfer(&s, OP_SEND, 100, 0, SIZE, NULL, 0);
}

int main(int argc, char **argv)
{
	CHECK(argc == 3);
	bool first = !strcmp(argv[1], "first");
	open_station(&s, !strcmp(argv[2], "events"));
	printf("address %u %016lx %016lx\n", s.qp->qp_num, s.gid.half[0], s.gid.half[1]);
	fflush(stdout);
	unsigned qpn;
	union ibv_gid gid;
	CHECK(scanf("%u %lx %lx", &qpn, &gid.half[0], &gid.half[1]) == 3);
	connect_to(&s, qpn, &gid);
	receive(&s, 200, SIZE, SIZE);
	printf("ready\n");
	fflush(stdout);
	char word[8];
	CHECK(scanf("%7s", word) == 1);
	if (first)
		send_round(0);
	for (int received = 0, sent = 0, round = 0; received < ROUNDS || sent < ROUNDS;) {
		struct ibv_wc wc = next_completion();
		CHECK(wc.status == 0 && wc.qp_num == s.qp->qp_num);
		if (wc.wr_id == 100) {
			sent++;
			continue;
		}
		CHECK(wc.wr_id == 200 && wc.opcode == 128 && wc.byte_len == SIZE);
		for (int i = 0; i < SIZE; i++)
			CHECK(s.buffer[SIZE + i] == 'a' + round);
		round++;
		if (++received < ROUNDS)
			receive(&s, 200, SIZE, SIZE);
		if (!first || round < ROUNDS)
			send_round(first ? round : round - 1);
	}
	printf("done\n");
	fflush(stdout);
	CHECK(scanf("%7s", word) == 1); /* the peer has all acknowledgements */
	close_station(&s);
	return 0;
}
