/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the texts and rates of the library. */
#include <stdio.h>

const char *ibv_wc_status_str(int);
const char *ibv_event_type_str(int);
const char *ibv_node_type_str(int);
int ibv_rate_to_mult(int);
int ibv_rate_to_mbps(int);
int mult_to_ibv_rate(int);
int mbps_to_ibv_rate(int);

int main(void)
{
	for (int i = -1; i < 32; i++) {
		printf("status %d %s\n", i, ibv_wc_status_str(i));
		printf("event %d %s\n", i, ibv_event_type_str(i));
		printf("node %d %s\n", i, ibv_node_type_str(i));
		if (mult_to_ibv_rate(ibv_rate_to_mult(i)) == i && mbps_to_ibv_rate(ibv_rate_to_mbps(i)) == i)
			printf("rate %d %d %d\n", i, ibv_rate_to_mult(i), ibv_rate_to_mbps(i));
	}
	return 0;
}
