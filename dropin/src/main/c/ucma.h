/* SPDX-License-Identifier: Apache-2.0 */
/* The file of rdma_cm. */
#ifndef RDMA4J_UCMA_H
#define RDMA4J_UCMA_H

#include <sys/types.h>

/* Opens a channel; -1 and errno. */
int open_cm_file(int flags);
/* The number of the device file, as the kernel has it if rdma_cm is loaded; else 0. */
dev_t cm_device_number(void);

/* Around fork(): no other thread is within the lock that the child needs, too. */
void lock_cm_files(void);
void unlock_cm_files(void);

#endif
