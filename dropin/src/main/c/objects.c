/* SPDX-License-Identifier: Apache-2.0 */
/* Memory, address handles, multicast, XRC domains, and forking. */
#define _GNU_SOURCE
#include "rdma4j.h"
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#define MADV_POPULATE_WRITE 23
#endif

/* --- memory regions; Java writes the keys --- */

enum { LOCAL_WRITE = 1, ON_DEMAND = 64 };

/*
 * Faults the pages in, as an adapter's driver pins them, unless they are to be faulted in by use. The device would end
 * the process at the first access to memory that is not mapped, so it is refused here: 0, or EFAULT.
 */
static int check_memory(void *address, size_t length, unsigned access)
{
	uintptr_t page = (uintptr_t) sysconf(_SC_PAGESIZE), first = (uintptr_t) address & ~(page - 1);
	size_t bytes = (uintptr_t) address - first + length;
	if (!length || bytes < length) /* Java refuses both */
		return 0;
	errno = EINVAL;
	if (!(access & ON_DEMAND)
		&& !madvise((void *) first, bytes, access & LOCAL_WRITE ? MADV_POPULATE_WRITE : MADV_POPULATE_READ))
		return 0;
	if (errno != EINVAL)
		return EFAULT;
	/* Memory without the right to write, memory of a driver, or a kernel before 5.14. */
	if (!(access & ON_DEMAND) && !madvise((void *) first, bytes, MADV_POPULATE_READ))
		return EFAULT;
	return errno == EINVAL && !msync((void *) first, bytes, MS_ASYNC) ? 0 : EFAULT;
}

static struct ibv_mr *new_mr(struct ibv_pd *pd, void *address, size_t length)
{
	struct ibv_mr *mr = new_object(pd->context, sizeof *mr);
	if (mr)
		*mr = (struct ibv_mr) { .context = pd->context, .pd = pd, .addr = address, .length = length };
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
	return CREATE_AT(mr, ibv_mr, handle, REG_MR, pd->handle, ADDRESS(address), (int64_t) length, (int64_t) iova, access,
		ADDRESS(mr));
}

PUBLIC struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *address, size_t length, int access)
{
	return ibv_reg_mr_iova2(pd, address, length, (uintptr_t) address, access);
}

PUBLIC struct ibv_mr *ibv_reg_mr_iova(struct ibv_pd *pd, void *address, size_t length, uint64_t iova, int access)
{
	return ibv_reg_mr_iova2(pd, address, length, iova, access);
}

PUBLIC int ibv_dereg_mr(struct ibv_mr *mr) { return destroy_object(DEREG_MR, mr->handle, mr); }

enum { CHANGE_TRANSLATION = 1, CHANGE_PD = 2, CHANGE_ACCESS = 4, BAD_INPUT = -1, COMMAND_FAILED = -4 };

PUBLIC int ibv_rereg_mr(struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *address, size_t length, int access)
{
	int known = CHANGE_TRANSLATION | CHANGE_PD | CHANGE_ACCESS;
	if ((flags & ~known) || !flags || ((flags & CHANGE_PD) && !pd)
		|| ((flags & CHANGE_TRANSLATION) && (!length || !address))) {
		errno = EINVAL;
		return BAD_INPUT;
	}
	if ((flags & CHANGE_TRANSLATION)
		&& (errno = check_memory(address, length, flags & CHANGE_ACCESS ? (unsigned) access : 0)))
		return BAD_INPUT;
	int64_t arguments[] = { mr->handle, flags, pd ? pd->handle : 0, ADDRESS(address), length, access, ADDRESS(mr) };
	if (call_java(REREG_MR, arguments) < 0)
		return COMMAND_FAILED;
	if (flags & CHANGE_TRANSLATION)
		mr->addr = address, mr->length = length;
	if (flags & CHANGE_PD)
		mr->pd = pd;
	return 0;
}

/* Java checks that the ranges are in regions of the protection domain. */
static int advise_mr(struct ibv_pd *pd, int advice, uint32_t flags, struct ibv_sge *list, uint32_t count)
{
	enum { PREFETCH, PREFETCH_WRITE, PREFETCH_NO_FAULT, FLUSH = 1 };
	if (advice < PREFETCH || advice > PREFETCH_NO_FAULT || (flags & ~FLUSH))
		return EOPNOTSUPP;
	int error = STATUS(ADVISE_MR, pd->handle, ADDRESS(list), count, advice == PREFETCH_WRITE);
	for (uint32_t i = 0; i < count && !error && advice != PREFETCH_NO_FAULT; i++)
		error =
			check_memory((void *) (uintptr_t) list[i].addr, list[i].length, advice == PREFETCH_WRITE ? LOCAL_WRITE : 0);
	return error;
}

/* --- memory windows --- */

static struct ibv_mw *alloc_mw(struct ibv_pd *pd, int type)
{
	struct ibv_mw *mw = new_object(pd->context, sizeof *mw);
	if (!mw)
		return NULL;
	mw->pd = pd;
	mw->type = type;
	return CREATE_AT(mw, ibv_mw, handle, ALLOC_MW, pd->handle, type, ADDRESS(&mw->rkey));
}

static int bind_mw(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *bind)
{
	struct ibv_mr *mr = bind->bind_info.mr;
	return STATUS(BIND_MW, mw->handle, qp->handle, mr ? (int) mr->handle : -1, ADDRESS(bind), ADDRESS(&mw->rkey));
}

static int dealloc_mw(struct ibv_mw *mw) { return destroy_object(DEALLOC_MW, mw->handle, mw); }

/* --- device memory --- */

VERB(static, copy_to_dm, (struct ibv_dm *dm, uint64_t offset, const void *from, size_t length),
	COPY_DM, dm->handle, (int64_t) offset, ADDRESS(from), (int64_t) length, 1)
VERB(static, copy_from_dm, (void *to, struct ibv_dm *dm, uint64_t offset, size_t length),
	COPY_DM, dm->handle, (int64_t) offset, ADDRESS(to), (int64_t) length, 0)

struct ibv_dm *set_dm_functions(struct ibv_dm *dm)
{
	if (dm) {
		dm->memcpy_to_dm = copy_to_dm;
		dm->memcpy_from_dm = copy_from_dm;
	}
	return dm;
}

static struct ibv_dm *alloc_dm(struct ibv_context *context, struct ibv_alloc_dm_attr *attributes)
{
	if (attributes->comp_mask)
		return refused(EINVAL);
	return set_dm_functions(CREATE(context, ibv_dm, handle, ALLOC_DM, context_of(context)->handle,
		(int64_t) attributes->length, attributes->log_align_req));
}

static struct ibv_mr *reg_dm_mr(struct ibv_pd *pd, struct ibv_dm *dm, uint64_t offset, size_t length, unsigned access)
{
	struct ibv_mr *mr = new_mr(pd, NULL, length);
	return CREATE_AT(mr, ibv_mr, handle, REG_DM_MR, pd->handle, dm->handle, (int64_t) offset, (int64_t) length, access,
		ADDRESS(mr));
}

static int free_dm(struct ibv_dm *dm) { return destroy_object(FREE_DM, dm->handle, dm); }

/* --- XRC domains --- */

static struct ibv_xrcd *open_xrcd(struct ibv_context *context, void *attributes)
{
	return CREATE(context, xrcd, handle, OPEN_XRCD, context_of(context)->handle, ADDRESS(attributes));
}

static int close_xrcd(struct ibv_xrcd *base)
{
	struct xrcd *xrcd = CONTAINER(base, struct xrcd, base);
	return destroy_object(CLOSE_XRCD, xrcd->handle, xrcd);
}

/* --- address handles --- */

PUBLIC struct ibv_ah *ibv_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attributes)
{
	struct ibv_ah *ah = CREATE(pd->context, ibv_ah, handle, CREATE_AH, pd->handle, ADDRESS(attributes));
	if (ah)
		ah->pd = pd;
	return ah;
}

PUBLIC int ibv_destroy_ah(struct ibv_ah *ah) { return destroy_object(DESTROY_AH, ah->handle, ah); }

PUBLIC int ibv_init_ah_from_wc(
	struct ibv_context *context, uint8_t port, struct ibv_wc *wc, void *grh, struct ibv_ah_attr *out)
{
	return CALL(INIT_AH_FROM_WC, context_of(context)->handle, port, ADDRESS(wc), ADDRESS(grh), ADDRESS(out)) < 0
		? -1 : 0;
}

PUBLIC struct ibv_ah *ibv_create_ah_from_wc(struct ibv_pd *pd, struct ibv_wc *wc, void *grh, uint8_t port)
{
	struct ibv_ah_attr attributes;
	return ibv_init_ah_from_wc(pd->context, port, wc, grh, &attributes) ? NULL : ibv_create_ah(pd, &attributes);
}

/* --- multicast --- */

VERB(PUBLIC, ibv_attach_mcast, (struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid),
	ATTACH_MCAST, qp->handle, ADDRESS(gid), lid)
VERB(PUBLIC, ibv_detach_mcast, (struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid),
	DETACH_MCAST, qp->handle, ADDRESS(gid), lid)

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
	SET(verbs, advise_mr), SET(verbs, alloc_dm), SET(verbs, reg_dm_mr), SET(verbs, free_dm), SET(verbs, open_xrcd);
	SET(verbs, close_xrcd);
}
