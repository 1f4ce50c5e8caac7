/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The public ABI of libibverbs, as far as programs see it: structures that they allocate or read, and the tables of
 * functions that the inline functions of <infiniband/verbs.h> call. AbiTest compares the layouts with the installed
 * headers.
 */
#ifndef RDMA4J_ABI_H
#define RDMA4J_ABI_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { ABI_NAME = 64, ABI_PATH = 256 };

struct ibv_device {
	void *reserved[2];
	int32_t node_type, transport_type;
	char name[ABI_NAME], dev_name[ABI_NAME], dev_path[ABI_PATH], ibdev_path[ABI_PATH];
};

struct ibv_context; struct ibv_pd; struct ibv_cq; struct ibv_cq_ex; struct ibv_qp; struct ibv_qp_ex; struct ibv_srq;
struct ibv_mw; struct ibv_xrcd; struct ibv_td; struct ibv_mw_bind; struct ibv_send_wr; struct ibv_recv_wr;
struct ibv_wc; struct ibv_device_attr; struct ibv_qp_attr; struct ibv_modify_cq_attr;

/* The members without a name are left over from older versions. */
struct ibv_context_ops {
	void *unused_0[7];
	struct ibv_mw *(*alloc_mw)(struct ibv_pd *, int type);
	int (*bind_mw)(struct ibv_qp *, struct ibv_mw *, struct ibv_mw_bind *);
	int (*dealloc_mw)(struct ibv_mw *);
	void *unused_1;
	int (*poll_cq)(struct ibv_cq *, int entries, struct ibv_wc *);
	int (*req_notify_cq)(struct ibv_cq *, int solicited_only);
	void *unused_2[7];
	int (*post_srq_recv)(struct ibv_srq *, struct ibv_recv_wr *, struct ibv_recv_wr **bad);
	void *unused_3[4];
	int (*post_send)(struct ibv_qp *, struct ibv_send_wr *, struct ibv_send_wr **bad);
	int (*post_recv)(struct ibv_qp *, struct ibv_recv_wr *, struct ibv_recv_wr **bad);
	void *unused_4[5];
};

struct ibv_context {
	struct ibv_device *device;
	struct ibv_context_ops ops;
	int32_t cmd_fd, async_fd, num_comp_vectors;
	pthread_mutex_t mutex;
	void *abi_compat; /* all ones: a struct verbs_context surrounds this one */
};

struct ibv_pd { struct ibv_context *context; uint32_t handle; };
struct ibv_td { struct ibv_context *context; };
struct ibv_td_init_attr { uint32_t comp_mask; };
struct ibv_parent_domain_init_attr {
	struct ibv_pd *pd;
	struct ibv_td *td;
	uint32_t comp_mask;
	void *(*alloc)(struct ibv_pd *, void *pd_context, size_t size, size_t alignment, uint64_t resource_type);
	void (*free)(struct ibv_pd *, void *pd_context, void *, uint64_t resource_type);
	void *pd_context;
};
struct ibv_xrcd { struct ibv_context *context; };
struct ibv_ah { struct ibv_context *context; struct ibv_pd *pd; uint32_t handle; };

struct ibv_mr {
	struct ibv_context *context;
	struct ibv_pd *pd;
	void *addr;
	size_t length;
	uint32_t handle, lkey, rkey;
};

struct ibv_mw { struct ibv_context *context; struct ibv_pd *pd; uint32_t rkey, handle; int32_t type; };
struct ibv_mw_bind_info { struct ibv_mr *mr; uint64_t addr, length; uint32_t mw_access_flags; };
struct ibv_mw_bind { uint64_t wr_id; uint32_t send_flags; struct ibv_mw_bind_info bind_info; };

struct ibv_dm {
	struct ibv_context *context;
	int (*memcpy_to_dm)(struct ibv_dm *, uint64_t offset, const void *from, size_t length);
	int (*memcpy_from_dm)(void *to, struct ibv_dm *, uint64_t offset, size_t length);
	uint32_t comp_mask, handle;
};
struct ibv_alloc_dm_attr { size_t length; uint32_t log_align_req, comp_mask; };

struct ibv_comp_channel { struct ibv_context *context; int32_t fd, refcnt; };

struct ibv_cq {
	struct ibv_context *context;
	struct ibv_comp_channel *channel;
	void *cq_context;
	uint32_t handle;
	int32_t cqe;
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	uint32_t comp_events_completed, async_events_completed;
};

struct ibv_wc {
	uint64_t wr_id;
	int32_t status, opcode;
	uint32_t vendor_err, byte_len, imm_data, qp_num, src_qp, wc_flags;
	uint16_t pkey_index, slid;
	uint8_t sl, dlid_path_bits;
};

struct ibv_poll_cq_attr { uint32_t comp_mask; };
struct ibv_wc_tm_info { uint64_t tag; uint32_t priv; };

/* Begins with the members of struct ibv_cq. */
struct ibv_cq_ex {
	struct ibv_cq base;
	uint32_t comp_mask;
	int32_t status;
	uint64_t wr_id;
	int (*start_poll)(struct ibv_cq_ex *, struct ibv_poll_cq_attr *);
	int (*next_poll)(struct ibv_cq_ex *);
	void (*end_poll)(struct ibv_cq_ex *);
	int32_t (*read_opcode)(struct ibv_cq_ex *);
	uint32_t (*read_vendor_err)(struct ibv_cq_ex *), (*read_byte_len)(struct ibv_cq_ex *);
	uint32_t (*read_imm_data)(struct ibv_cq_ex *);
	uint32_t (*read_qp_num)(struct ibv_cq_ex *), (*read_src_qp)(struct ibv_cq_ex *);
	unsigned (*read_wc_flags)(struct ibv_cq_ex *);
	uint32_t (*read_slid)(struct ibv_cq_ex *);
	uint8_t (*read_sl)(struct ibv_cq_ex *), (*read_dlid_path_bits)(struct ibv_cq_ex *);
	uint64_t (*read_completion_ts)(struct ibv_cq_ex *);
	uint16_t (*read_cvlan)(struct ibv_cq_ex *);
	uint32_t (*read_flow_tag)(struct ibv_cq_ex *);
	void (*read_tm_info)(struct ibv_cq_ex *, struct ibv_wc_tm_info *);
	uint64_t (*read_completion_wallclock_ns)(struct ibv_cq_ex *);
};

struct ibv_cq_init_attr_ex {
	uint32_t cqe;
	void *cq_context;
	struct ibv_comp_channel *channel;
	uint32_t comp_vector;
	uint64_t wc_flags;
	uint32_t comp_mask, flags;
	struct ibv_pd *parent_domain;
};

struct ibv_srq {
	struct ibv_context *context;
	void *srq_context;
	struct ibv_pd *pd;
	uint32_t handle;
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	uint32_t events_completed;
};

struct ibv_srq_attr { uint32_t max_wr, max_sge, srq_limit; };
struct ibv_srq_init_attr { void *srq_context; struct ibv_srq_attr attr; };
struct ibv_srq_init_attr_ex {
	void *srq_context;
	struct ibv_srq_attr attr;
	uint32_t comp_mask;
	int32_t srq_type;
	struct ibv_pd *pd;
	struct ibv_xrcd *xrcd;
	struct ibv_cq *cq;
	struct { uint32_t max_num_tags, max_ops; } tm_cap;
};

struct ibv_qp {
	struct ibv_context *context;
	void *qp_context;
	struct ibv_pd *pd;
	struct ibv_cq *send_cq, *recv_cq;
	struct ibv_srq *srq;
	uint32_t handle, qp_num;
	int32_t state, qp_type;
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	uint32_t events_completed;
};

struct ibv_qp_cap { uint32_t max_send_wr, max_recv_wr, max_send_sge, max_recv_sge, max_inline_data; };

struct ibv_qp_init_attr {
	void *qp_context;
	struct ibv_cq *send_cq, *recv_cq;
	struct ibv_srq *srq;
	struct ibv_qp_cap cap;
	int32_t qp_type, sq_sig_all;
};

/* Begins with the members of struct ibv_qp_init_attr; comp_mask lies in what is padding there. */
struct ibv_qp_init_attr_ex {
	void *qp_context;
	struct ibv_cq *send_cq, *recv_cq;
	struct ibv_srq *srq;
	struct ibv_qp_cap cap;
	int32_t qp_type, sq_sig_all;
	uint32_t comp_mask;
	struct ibv_pd *pd;
	struct ibv_xrcd *xrcd;
	uint32_t create_flags;
	uint16_t max_tso_header;
	void *rwq_ind_tbl;
	struct { uint8_t function, key_len; uint8_t *key; uint64_t fields_mask; } rx_hash_conf;
	uint32_t source_qpn;
	uint64_t send_ops_flags;
};

struct ibv_qp_open_attr {
	uint32_t comp_mask, qp_num;
	struct ibv_xrcd *xrcd;
	void *qp_context;
	int32_t qp_type;
};

union ibv_gid { uint8_t raw[16]; uint64_t half[2]; };
struct ibv_global_route { union ibv_gid dgid; uint32_t flow_label; uint8_t sgid_index, hop_limit, traffic_class; };
struct ibv_ah_attr {
	struct ibv_global_route grh;
	uint16_t dlid;
	uint8_t sl, src_path_bits, static_rate, is_global, port_num;
};

struct ibv_gid_entry { union ibv_gid gid; uint32_t gid_index, port_num, gid_type, ndev_ifindex; };

struct ibv_async_event {
	union { void *object; int32_t port_num; } element;
	int32_t event_type;
};

struct ibv_sge { uint64_t addr; uint32_t length, lkey; };
struct ibv_data_buf { void *addr; size_t length; };
struct ibv_recv_wr { uint64_t wr_id; struct ibv_recv_wr *next; struct ibv_sge *sg_list; int32_t num_sge; };

struct ibv_send_wr {
	uint64_t wr_id;
	struct ibv_send_wr *next;
	struct ibv_sge *sg_list;
	int32_t num_sge, opcode;
	uint32_t send_flags, imm_data; /* or invalidate_rkey */
	union {
		struct { uint64_t remote_addr; uint32_t rkey; } rdma;
		struct { uint64_t remote_addr, compare_add, swap; uint32_t rkey; } atomic;
		struct { struct ibv_ah *ah; uint32_t remote_qpn, remote_qkey; } ud;
	} wr;
	union { struct { uint32_t remote_srqn; } xrc; } qp_type;
	union {
		struct { struct ibv_mw *mw; uint32_t rkey; struct ibv_mw_bind_info bind_info; } bind_mw;
		struct { void *hdr; uint16_t hdr_sz, mss; } tso;
	};
};

/* Begins with the members of struct ibv_qp. */
struct ibv_qp_ex {
	struct ibv_qp base;
	uint64_t comp_mask, wr_id;
	unsigned wr_flags;
	void (*wr_atomic_cmp_swp)(struct ibv_qp_ex *, uint32_t rkey, uint64_t address, uint64_t compare, uint64_t swap);
	void (*wr_atomic_fetch_add)(struct ibv_qp_ex *, uint32_t rkey, uint64_t address, uint64_t add);
	void (*wr_bind_mw)(struct ibv_qp_ex *, struct ibv_mw *, uint32_t rkey, const struct ibv_mw_bind_info *);
	void (*wr_local_inv)(struct ibv_qp_ex *, uint32_t key);
	void (*wr_rdma_read)(struct ibv_qp_ex *, uint32_t rkey, uint64_t address);
	void (*wr_rdma_write)(struct ibv_qp_ex *, uint32_t rkey, uint64_t address);
	void (*wr_rdma_write_imm)(struct ibv_qp_ex *, uint32_t rkey, uint64_t address, uint32_t immediate);
	void (*wr_send)(struct ibv_qp_ex *);
	void (*wr_send_imm)(struct ibv_qp_ex *, uint32_t immediate);
	void (*wr_send_inv)(struct ibv_qp_ex *, uint32_t rkey);
	void (*wr_send_tso)(struct ibv_qp_ex *, void *header, uint16_t header_size, uint16_t mss);
	void (*wr_set_ud_addr)(struct ibv_qp_ex *, struct ibv_ah *, uint32_t qpn, uint32_t qkey);
	void (*wr_set_xrc_srqn)(struct ibv_qp_ex *, uint32_t number);
	void (*wr_set_inline_data)(struct ibv_qp_ex *, void *, size_t);
	void (*wr_set_inline_data_list)(struct ibv_qp_ex *, size_t, const struct ibv_data_buf *);
	void (*wr_set_sge)(struct ibv_qp_ex *, uint32_t lkey, uint64_t address, uint32_t length);
	void (*wr_set_sge_list)(struct ibv_qp_ex *, size_t, const struct ibv_sge *);
	void (*wr_start)(struct ibv_qp_ex *);
	int (*wr_complete)(struct ibv_qp_ex *);
	void (*wr_abort)(struct ibv_qp_ex *);
	void (*wr_atomic_write)(struct ibv_qp_ex *, uint32_t rkey, uint64_t address, const void *value);
	void (*wr_flush)(struct ibv_qp_ex *, uint32_t rkey, uint64_t address, size_t length, uint8_t type, uint8_t level);
};

struct ibv_port_attr {
	int32_t state, max_mtu, active_mtu, gid_tbl_len;
	uint32_t port_cap_flags, max_msg_sz, bad_pkey_cntr, qkey_viol_cntr;
	uint16_t pkey_tbl_len, lid, sm_lid;
	uint8_t lmc, max_vl_num, sm_sl, subnet_timeout, init_type_reply, active_width, active_speed;
	uint8_t phys_state, link_layer, flags;
	uint16_t port_cap_flags2;
	uint32_t active_speed_ex;
};

/*
 * Grows at its front; a member keeps its distance from `context`. Programs test a member for NULL before they call it.
 */
struct verbs_context {
	int (*query_port)(struct ibv_context *, uint8_t port, struct ibv_port_attr *, size_t);
	int (*advise_mr)(struct ibv_pd *, int advice, uint32_t flags, struct ibv_sge *, uint32_t count);
	void *alloc_null_mr, *counters[4];
	struct ibv_mr *(*reg_dm_mr)(struct ibv_pd *, struct ibv_dm *, uint64_t offset, size_t length, unsigned access);
	struct ibv_dm *(*alloc_dm)(struct ibv_context *, struct ibv_alloc_dm_attr *);
	int (*free_dm)(struct ibv_dm *);
	void *flow_actions[3], *modify_qp_rate_limit;
	struct ibv_pd *(*alloc_parent_domain)(struct ibv_context *, struct ibv_parent_domain_init_attr *);
	int (*dealloc_td)(struct ibv_td *);
	struct ibv_td *(*alloc_td)(struct ibv_context *, struct ibv_td_init_attr *);
	int (*modify_cq)(struct ibv_cq *, struct ibv_modify_cq_attr *);
	void *post_srq_ops, *work_queues[5], *query_rt_values;
	struct ibv_cq_ex *(*create_cq_ex)(struct ibv_context *, struct ibv_cq_init_attr_ex *);
	void *private_part;
	int (*query_device_ex)(struct ibv_context *, const void *input, struct ibv_device_attr *, size_t);
	void *flows[4];
	struct ibv_qp *(*open_qp)(struct ibv_context *, struct ibv_qp_open_attr *);
	struct ibv_qp *(*create_qp_ex)(struct ibv_context *, struct ibv_qp_init_attr_ex *);
	int (*get_srq_num)(struct ibv_srq *, uint32_t *);
	struct ibv_srq *(*create_srq_ex)(struct ibv_context *, struct ibv_srq_init_attr_ex *);
	struct ibv_xrcd *(*open_xrcd)(struct ibv_context *, void *attributes);
	int (*close_xrcd)(struct ibv_xrcd *);
	void *unused;
	size_t sz;
	struct ibv_context context;
};

#endif
