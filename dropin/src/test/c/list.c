/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the names of the devices, as ibv_devices does. */
#include "program.h"

int main(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	CHECK(list);
	for (int i = 0; list[i]; i++)
		printf("%s\n", ibv_get_device_name(list[i]));
	ibv_free_device_list(list);
	return 0;
}
