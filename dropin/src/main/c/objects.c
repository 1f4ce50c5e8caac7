/* SPDX-License-Identifier: Apache-2.0 */
/* Protection domains, memory, address handles, multicast, XRC domains, and forking. */
#define _GNU_SOURCE
#include "rdma4j.h"
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#define MADV_POPULATE_WRITE 23
#endif

static int destroy(enum command command, int handle, void *object)
{
	int error = STATUS(command, handle);
	if (!error)
		free(object);
	return error;
}

/* --- protection domains --- */

PUBLIC struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)
{
	struct ibv_pd *pd = calloc(1, sizeof *pd);
	int handle = pd ? CALL(ALLOC_PD, context_of(context)->handle) : -ENOMEM;
	if (handle < 0)
		return give_up(pd);
	pd->context = context;
	pd->handle = handle;
	return pd;
}

PUBLIC int ibv_dealloc_pd(struct ibv_pd *pd) { return destroy(DEALLOC_PD, pd->handle, pd); }

/* --- memory regions; Java writes the keys --- */

enum { LOCAL_WRITE = 1 };

/*
 * Faults the pages in, as an adapter's driver pins them. The device would end the process at the first access to memory
 * that is not mapped, so it is refused here: 0, or EFAULT.
 */
static int check_memory(void *address, size_t length, unsigned access)
{
	uintptr_t page = (uintptr_t) sysconf(_SC_PAGESIZE), first = (uintptr_t) address & ~(page - 1);
	size_t bytes = (uintptr_t) address - first + length;
	if (!length || bytes < length) /* Java refuses both */
		return 0;
	if (!madvise((void *) first, bytes, access & LOCAL_WRITE ? MADV_POPULATE_WRITE : MADV_POPULATE_READ))
		return 0;
	if (errno != EINVAL)
		return EFAULT;
	/* Memory without the right to write, memory of a driver, or a kernel before 5.14. */
	if (!madvise((void *) first, bytes, MADV_POPULATE_READ))
		return EFAULT;
	return errno == EINVAL && !msync((void *) first, bytes, MS_ASYNC) ? 0 : EFAULT;
}

static struct ibv_mr *new_mr(struct ibv_pd *pd, void *address, size_t length)
{
	struct ibv_mr *mr = calloc(1, sizeof *mr);
	if (mr) {
		mr->context = pd->context;
		mr->pd = pd;
		mr->addr = address;
		mr->length = length;
	}
	return mr;
}

PUBLIC struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *address, size_t length, uint64_t iova, unsigned access)
{
	int error = check_memory(address, length, access);
	if (error) {
		errno = error;
		return NULL;
	}
	struct ibv_mr *mr = new_mr(pd, address, length);
	int handle = mr ? CALL(REG_MR, pd->handle, ADDRESS(address), (int64_t) length, (int64_t) iova, access, ADDRESS(mr)) : -ENOMEM;
	if (handle < 0)
		return give_up(mr);
	mr->handle = handle;
	return mr;
}

PUBLIC struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *address, size_t length, int access)
{
	return ibv_reg_mr_iova2(pd, address, length, (uintptr_t) address, access);
}

PUBLIC struct ibv_mr *ibv_reg_mr_iova(struct ibv_pd *pd, void *address, size_t length, uint64_t iova, int access)
{
	return ibv_reg_mr_iova2(pd, address, length, iova, access);
}

PUBLIC int ibv_dereg_mr(struct ibv_mr *mr) { return destroy(DEREG_MR, mr->handle, mr); }

enum { CHANGE_TRANSLATION = 1, CHANGE_PD = 2, CHANGE_ACCESS = 4, BAD_INPUT = -1, COMMAND_FAILED = -4 };

PUBLIC int ibv_rereg_mr(struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *address, size_t length, int access)
{
	int known = CHANGE_TRANSLATION | CHANGE_PD | CHANGE_ACCESS;
	if ((flags & ~known) || !flags || ((flags & CHANGE_PD) && !pd) || ((flags & CHANGE_TRANSLATION) && (!length || !address))) {
		errno = EINVAL;
		return BAD_INPUT;
	}
	if ((flags & CHANGE_TRANSLATION) && (errno = check_memory(address, length, flags & CHANGE_ACCESS ? (unsigned) access : 0)))
		return BAD_INPUT;
	int result = CALL(REREG_MR, mr->handle, flags, pd ? pd->handle : 0, ADDRESS(address), (int64_t) length, access, ADDRESS(mr));
	if (result < 0)
		return COMMAND_FAILED;
	if (flags & CHANGE_TRANSLATION) {
		mr->addr = address;
		mr->length = length;
	}
	if (flags & CHANGE_PD)
		mr->pd = pd;
	return 0;
}

/* --- memory windows --- */

static struct ibv_mw *alloc_mw(struct ibv_pd *pd, int type)
{
	struct ibv_mw *mw = calloc(1, sizeof *mw);
	int handle = mw ? CALL(ALLOC_MW, pd->handle, type, ADDRESS(&mw->rkey)) : -ENOMEM;
	if (handle < 0)
		return give_up(mw);
	mw->context = pd->context;
	mw->pd = pd;
	mw->handle = handle;
	mw->type = type;
	return mw;
}

static int bind_mw(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *bind)
{
	struct ibv_mr *mr = bind->bind_info.mr;
	return STATUS(BIND_MW, mw->handle, qp->handle, mr ? (int) mr->handle : -1, ADDRESS(bind), ADDRESS(&mw->rkey));
}

static int dealloc_mw(struct ibv_mw *mw) { return destroy(DEALLOC_MW, mw->handle, mw); }

/* --- device memory --- */

static int copy_to_dm(struct ibv_dm *dm, uint64_t offset, const void *from, size_t length)
{
	return STATUS(COPY_DM, dm->handle, (int64_t) offset, ADDRESS(from), (int64_t) length, 1);
}

static int copy_from_dm(void *to, struct ibv_dm *dm, uint64_t offset, size_t length)
{
	return STATUS(COPY_DM, dm->handle, (int64_t) offset, ADDRESS(to), (int64_t) length, 0);
}

static struct ibv_dm *alloc_dm(struct ibv_context *context, struct ibv_alloc_dm_attr *attributes)
{
	if (attributes->comp_mask) {
		errno = EINVAL;
		return NULL;
	}
	struct ibv_dm *dm = calloc(1, sizeof *dm);
	int handle = dm ? CALL(ALLOC_DM, context_of(context)->handle, (int64_t) attributes->length, attributes->log_align_req) : -ENOMEM;
	if (handle < 0)
		return give_up(dm);
	dm->context = context;
	dm->handle = handle;
	dm->memcpy_to_dm = copy_to_dm;
	dm->memcpy_from_dm = copy_from_dm;
	return dm;
}

static struct ibv_mr *reg_dm_mr(struct ibv_pd *pd, struct ibv_dm *dm, uint64_t offset, size_t length, unsigned access)
{
	struct ibv_mr *mr = new_mr(pd, NULL, length);
	int handle = mr ? CALL(REG_DM_MR, pd->handle, dm->handle, (int64_t) offset, (int64_t) length, access, ADDRESS(mr)) : -ENOMEM;
	if (handle < 0)
		return give_up(mr);
	mr->handle = handle;
	return mr;
}

static int free_dm(struct ibv_dm *dm) { return destroy(FREE_DM, dm->handle, dm); }

/* --- XRC domains --- */

static struct ibv_xrcd *open_xrcd(struct ibv_context *context, void *attributes)
{
	struct xrcd *xrcd = calloc(1, sizeof *xrcd);
	int handle = xrcd ? CALL(OPEN_XRCD, context_of(context)->handle, ADDRESS(attributes)) : -ENOMEM;
	if (handle < 0)
		return give_up(xrcd);
	xrcd->base.context = context;
	xrcd->handle = handle;
	return &xrcd->base;
}

static int close_xrcd(struct ibv_xrcd *base)
{
	struct xrcd *xrcd = CONTAINER(base, struct xrcd, base);
	return destroy(CLOSE_XRCD, xrcd->handle, xrcd);
}

/* --- address handles --- */

PUBLIC struct ibv_ah *ibv_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attributes)
{
	struct ibv_ah *ah = calloc(1, sizeof *ah);
	int handle = ah ? CALL(CREATE_AH, pd->handle, ADDRESS(attributes)) : -ENOMEM;
	if (handle < 0)
		return give_up(ah);
	ah->context = pd->context;
	ah->pd = pd;
	ah->handle = handle;
	return ah;
}

PUBLIC int ibv_destroy_ah(struct ibv_ah *ah) { return destroy(DESTROY_AH, ah->handle, ah); }

PUBLIC int ibv_init_ah_from_wc(struct ibv_context *context, uint8_t port, struct ibv_wc *wc, void *grh, struct ibv_ah_attr *out)
{
	return CALL(INIT_AH_FROM_WC, context_of(context)->handle, port, ADDRESS(wc), ADDRESS(grh), ADDRESS(out)) < 0 ? -1 : 0;
}

PUBLIC struct ibv_ah *ibv_create_ah_from_wc(struct ibv_pd *pd, struct ibv_wc *wc, void *grh, uint8_t port)
{
	struct ibv_ah_attr attributes;
	return ibv_init_ah_from_wc(pd->context, port, wc, grh, &attributes) ? NULL : ibv_create_ah(pd, &attributes);
}

/* --- multicast --- */

PUBLIC int ibv_attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid) { return STATUS(ATTACH_MCAST, qp->handle, ADDRESS(gid), lid); }
PUBLIC int ibv_detach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid) { return STATUS(DETACH_MCAST, qp->handle, ADDRESS(gid), lid); }

/* --- fork: pages are read and written at their addresses, so the child's copies disturb nothing --- */

PUBLIC int ibv_fork_init(void) { return 0; }
PUBLIC int ibv_is_fork_initialized(void) { return 2; /* IBV_FORK_UNNEEDED */ }
PUBLIC int ibv_dontfork_range(void *base, size_t size) { (void) base, (void) size; return 0; }
PUBLIC int ibv_dofork_range(void *base, size_t size) { (void) base, (void) size; return 0; }

void set_object_functions(struct verbs_context *verbs)
{
	struct ibv_context_ops *ops = &verbs->context.ops;
#define SET(table, function) table->function = function
	SET(ops, alloc_mw), SET(ops, bind_mw), SET(ops, dealloc_mw);
	SET(verbs, alloc_dm), SET(verbs, reg_dm_mr), SET(verbs, free_dm), SET(verbs, open_xrcd), SET(verbs, close_xrcd);
}
