/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Protection, thread and parent domains, and objects of another context. Queues lie in memory of the JVM, so the
 * allocators of a parent domain are not called, and thread domains change nothing.
 */
#include "rdma4j.h"
#include <stddef.h>

static struct pd *pd_of(struct ibv_pd *base) { return CONTAINER(base, struct pd, base); }

PUBLIC struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)
{
	return CREATE(context, pd, base.handle, ALLOC_PD, context_of(context)->handle);
}

/* Another structure for a protection domain. */
static struct ibv_pd *share_pd(struct ibv_context *context, int handle)
{
	struct pd *pd = calloc(1, sizeof *pd);
	if (!pd)
		return NULL;
	pd->base = (struct ibv_pd) { context, handle };
	return &pd->base;
}

PUBLIC int ibv_dealloc_pd(struct ibv_pd *base)
{
	struct pd *pd = pd_of(base);
	if (__atomic_load_n(&pd->parents, __ATOMIC_ACQUIRE))
		return EBUSY;
	if (!pd->protection)
		return destroy_object(DEALLOC_PD, base->handle, pd);
	__atomic_fetch_sub(&pd->protection->parents, 1, __ATOMIC_RELEASE);
	if (pd->thread)
		__atomic_fetch_sub(&pd->thread->parents, 1, __ATOMIC_RELEASE);
	free(pd);
	return 0;
}

static struct ibv_td *alloc_td(struct ibv_context *context, struct ibv_td_init_attr *attributes)
{
	struct td *td = attributes->comp_mask ? NULL : calloc(1, sizeof *td);
	if (!td) {
		errno = attributes->comp_mask ? EINVAL : ENOMEM;
		return NULL;
	}
	td->base.context = context;
	return &td->base;
}

static int dealloc_td(struct ibv_td *base)
{
	struct td *td = CONTAINER(base, struct td, base);
	if (__atomic_load_n(&td->parents, __ATOMIC_ACQUIRE))
		return EBUSY;
	free(td);
	return 0;
}

static struct ibv_pd *alloc_parent_domain(struct ibv_context *context, struct ibv_parent_domain_init_attr *attributes)
{
	enum { ALLOCATORS = 1, PD_CONTEXT = 2 };
	struct ibv_td *td = attributes->td;
	bool wrong = !attributes->pd || pd_of(attributes->pd)->protection || attributes->pd->context != context
		|| (td && td->context != context);
	if (wrong || (attributes->comp_mask & ~(ALLOCATORS | PD_CONTEXT))) {
		errno = EINVAL;
		return NULL;
	}
	struct ibv_pd *base = share_pd(context, attributes->pd->handle);
	if (!base)
		return NULL;
	struct pd *parent = pd_of(base);
	parent->protection = pd_of(attributes->pd);
	__atomic_fetch_add(&parent->protection->parents, 1, __ATOMIC_RELAXED);
	if (td) {
		parent->thread = CONTAINER(td, struct td, base);
		__atomic_fetch_add(&parent->thread->parents, 1, __ATOMIC_RELAXED);
	}
	return base;
}

/* --- objects of another context; Java checks the handle, and returns it --- */

enum imported { IMPORTED_PD, IMPORTED_MR, IMPORTED_DM };

PUBLIC struct ibv_pd *ibv_import_pd(struct ibv_context *context, uint32_t handle)
{
	return CREATE(context, pd, base.handle, IMPORT, context_of(context)->handle, IMPORTED_PD, handle, 0);
}

/* Java writes length and keys; the address of the first byte stays unknown, as in rdma-core. */
PUBLIC struct ibv_mr *ibv_import_mr(struct ibv_pd *pd, uint32_t handle)
{
	struct ibv_mr known;
	struct ibv_mr *mr = CREATE(
		pd->context, ibv_mr, handle, IMPORT, context_of(pd->context)->handle, IMPORTED_MR, handle, ADDRESS(&known));
	if (mr)
		*mr = (struct ibv_mr) { pd->context, pd, NULL, known.length, handle, known.lkey, known.rkey };
	return mr;
}

PUBLIC struct ibv_dm *ibv_import_dm(struct ibv_context *context, uint32_t handle)
{
	return set_dm_functions(
		CREATE(context, ibv_dm, handle, IMPORT, context_of(context)->handle, IMPORTED_DM, handle, 0));
}

PUBLIC void ibv_unimport_pd(struct ibv_pd *pd) { free(pd_of(pd)); }
PUBLIC void ibv_unimport_mr(struct ibv_mr *mr) { free(mr); }
PUBLIC void ibv_unimport_dm(struct ibv_dm *dm) { free(dm); }

void set_domain_functions(struct verbs_context *verbs)
{
	verbs->alloc_td = alloc_td;
	verbs->dealloc_td = dealloc_td;
	verbs->alloc_parent_domain = alloc_parent_domain;
}
