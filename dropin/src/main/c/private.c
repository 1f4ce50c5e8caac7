/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions without behaviour. First the private names of libibverbs, for its plug-ins. Programs that link libmlx5 or
 * libefa do not load unless the names are there, under the version node of the release that they were built with. The
 * plug-ins drive adapters and get no device here.
 */
#include "rdma4j.h"

__attribute__((used)) static int rdma4j_unsupported(void) { return EOPNOTSUPP; }
__attribute__((used)) static void *rdma4j_no_object(void) { errno = EOPNOTSUPP; return NULL; }
__attribute__((used)) static void rdma4j_nothing(void) { } /* constructors of plug-ins register themselves */

#define EXPORT(name, function, node) \
	__asm__(".type rdma4j_" #name "_" #node ",@function\n.globl rdma4j_" #name "_" #node "\n" \
		".set rdma4j_" #name "_" #node "," #function "\n.symver rdma4j_" #name "_" #node "," #name \
		"@IBVERBS_PRIVATE_" #node);
#define PRIVATE(name, function) EXPORT(name, function, 34) EXPORT(name, function, 59) EXPORT(name, function, 64)
#define X(name) PRIVATE(name, rdma4j_unsupported)

#define COMMANDS \
	X(__ioctl_final_num_attrs) X(execute_ioctl) X(ibv_cmd_advise_mr) X(ibv_cmd_alloc_dm) X(ibv_cmd_alloc_mw) \
	X(ibv_cmd_alloc_pd) X(ibv_cmd_attach_mcast) X(ibv_cmd_close_xrcd) X(ibv_cmd_create_ah) X(ibv_cmd_create_counters) \
	X(ibv_cmd_create_cq) X(ibv_cmd_create_cq_ex) X(ibv_cmd_create_flow) X(ibv_cmd_create_flow_action_esp) \
	X(ibv_cmd_create_qp) X(ibv_cmd_create_qp_ex) X(ibv_cmd_create_qp_ex2) X(ibv_cmd_create_rwq_ind_table) \
	X(ibv_cmd_create_srq) X(ibv_cmd_create_srq_ex) X(ibv_cmd_create_wq) X(ibv_cmd_dealloc_mw) X(ibv_cmd_dealloc_pd) \
	X(ibv_cmd_dereg_mr) X(ibv_cmd_destroy_ah) X(ibv_cmd_destroy_counters) X(ibv_cmd_destroy_cq) \
	X(ibv_cmd_destroy_flow) X(ibv_cmd_destroy_flow_action) X(ibv_cmd_destroy_qp) X(ibv_cmd_destroy_rwq_ind_table) \
	X(ibv_cmd_destroy_srq) X(ibv_cmd_destroy_wq) X(ibv_cmd_detach_mcast) X(ibv_cmd_free_dm) X(ibv_cmd_get_context) \
	X(ibv_cmd_modify_cq) X(ibv_cmd_modify_flow_action_esp) X(ibv_cmd_modify_qp) X(ibv_cmd_modify_qp_ex) \
	X(ibv_cmd_modify_srq) X(ibv_cmd_modify_wq) X(ibv_cmd_open_qp) X(ibv_cmd_open_xrcd) X(ibv_cmd_poll_cq) \
	X(ibv_cmd_post_recv) X(ibv_cmd_post_send) X(ibv_cmd_post_srq_recv) X(ibv_cmd_query_context) \
	X(ibv_cmd_query_device_any) X(ibv_cmd_query_mr) X(ibv_cmd_query_port) X(ibv_cmd_query_qp) X(ibv_cmd_query_srq) \
	X(ibv_cmd_read_counters) X(ibv_cmd_reg_dm_mr) X(ibv_cmd_reg_dmabuf_mr) X(ibv_cmd_reg_mr) X(ibv_cmd_req_notify_cq) \
	X(ibv_cmd_rereg_mr) X(ibv_cmd_resize_cq) X(verbs_allow_disassociate_destroy)
COMMANDS

PRIVATE(verbs_open_device, rdma4j_no_object)
PRIVATE(_verbs_init_and_alloc_context, rdma4j_no_object)
PRIVATE(verbs_set_ops, rdma4j_nothing)
PRIVATE(verbs_uninit_context, rdma4j_nothing)
PRIVATE(__verbs_log, rdma4j_nothing)
PRIVATE(verbs_init_cq, rdma4j_nothing)
EXPORT(verbs_register_driver_34, rdma4j_nothing, 34)
EXPORT(verbs_register_driver_59, rdma4j_nothing, 59)
EXPORT(verbs_register_driver_64, rdma4j_nothing, 64)

/* For ibv_devinfo and pyverbs: 0 is InfiniBand or RoCE v1, 1 is RoCE v2. */
__attribute__((used)) static int gid_type(struct ibv_context *context, uint8_t port, unsigned index, int *type)
{
	enum { ROCE_V2 = 2 };
	struct ibv_gid_entry entry;
	int error = query_gid(context, port, index, &entry, true);
	*type = entry.gid_type == ROCE_V2;
	return error ? -1 : 0;
}

/* There is no sysfs of a device. */
__attribute__((used)) static int read_ibdev_sysfs_file(void) { return -1; }

PRIVATE(ibv_query_gid_type, gid_type)
PRIVATE(ibv_read_ibdev_sysfs_file, read_ibdev_sysfs_file)

/* --- public functions for what only a kernel's device files, another process or a plug-in can do --- */

#define REFUSE(type, name, result) PUBLIC type name(void) { return errno = EOPNOTSUPP, (type) result; }
REFUSE(void *, ibv_reg_dmabuf_mr, NULL)
REFUSE(void *, ibv_reg_mr_ex, NULL)
REFUSE(void *, ibv_alloc_buf, NULL)
REFUSE(int, ibv_query_ece, EOPNOTSUPP)
REFUSE(int, ibv_set_ece, EOPNOTSUPP)
REFUSE(int, ibv_query_port_speed, EOPNOTSUPP)
REFUSE(int, ibv_resolve_eth_l2_from_gid, -1)

PUBLIC void ibv_register_driver(void *name, void *init) { (void) name, (void) init; }
