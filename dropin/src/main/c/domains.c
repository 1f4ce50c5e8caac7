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
	if (attributes->comp_mask)
		return refused(EINVAL);
	return new_object(context, sizeof(struct td));
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
	if (wrong || (attributes->comp_mask & ~(ALLOCATORS | PD_CONTEXT)))
		return refused(EINVAL);
	struct pd *parent = new_object(context, sizeof *parent);
	if (!parent)
		return NULL;
	parent->base.handle = attributes->pd->handle;
	parent->protection = pd_of(attributes->pd);
	__atomic_fetch_add(&parent->protection->parents, 1, __ATOMIC_RELAXED);
	if (td) {
		parent->thread = CONTAINER(td, struct td, base);
		__atomic_fetch_add(&parent->thread->parents, 1, __ATOMIC_RELAXED);
	}
	return &parent->base;
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
	struct ibv_mr *mr = new_object(pd->context, sizeof *mr);
	if (!mr)
		return NULL;
	mr->pd = pd;
	return CREATE_AT(mr, ibv_mr, handle, IMPORT, context_of(pd->context)->handle, IMPORTED_MR, handle, ADDRESS(mr));
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
