/* SPDX-License-Identifier: Apache-2.0 */
/* Devices, contexts, and what can be asked of them. */
#define _GNU_SOURCE
#include "rdma4j.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_DEVICES = 64, OLD_PORT_ATTR_BYTES = 48 };

/* Programs keep pointers to devices after they have freed the list; these stay. */
static struct ibv_device devices[MAX_DEVICES];
static uint64_t guids[MAX_DEVICES]; /* big-endian */
static int device_count;
static pthread_once_t listed = PTHREAD_ONCE_INIT;
static int list_error;

static void list_devices(void)
{
	list_error = start_jvm();
	int count = list_error ? 0 : CALL(LIST_DEVICES, ADDRESS(devices), ADDRESS(guids), MAX_DEVICES);
	if (count < 0)
		list_error = -count;
	else
		device_count = count;
}

PUBLIC struct ibv_device **ibv_get_device_list(int *count)
{
	if (count)
		*count = 0;
	pthread_once(&listed, list_devices);
	int error = list_error ? list_error : start_jvm();
	struct ibv_device **list = error ? NULL : calloc(device_count + 1, sizeof *list);
	if (!list) {
		errno = error ? error : ENOMEM;
		return NULL;
	}
	for (int i = 0; i < device_count; i++)
		list[i] = &devices[i];
	if (count)
		*count = device_count;
	return list;
}

PUBLIC void ibv_free_device_list(struct ibv_device **list) { free(list); }
PUBLIC const char *ibv_get_device_name(struct ibv_device *device) { return device->name; }
PUBLIC uint64_t ibv_get_device_guid(struct ibv_device *device) { return guids[device - devices]; }
PUBLIC int ibv_get_device_index(struct ibv_device *device) { return (int) (device - devices) + 1; }

/* --- sysfs --- */

PUBLIC const char *ibv_get_sysfs_path(void) { return "/sys"; }

/* There is such a file only if the library is preloaded, see paths.c. */
PUBLIC int ibv_read_sysfs_file(const char *directory, const char *file, char *buffer, size_t size)
{
	char path[PATH_MAX];
	snprintf(path, sizeof path, "%s/%s", directory, file);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = read(fd, buffer, size);
	close(fd);
	if (length > 0 && buffer[length - 1] == '\n')
		buffer[--length] = 0;
	else if (length >= 0 && (size_t) length < size)
		buffer[length] = 0;
	return (int) length;
}

/* --- contexts --- */

static int query_port_ex(struct ibv_context *context, uint8_t port, struct ibv_port_attr *out, size_t size)
{
	struct ibv_port_attr attributes = { 0 };
	int error = STATUS(QUERY_PORT, context_of(context)->handle, port, ADDRESS(&attributes));
	if (!error)
		memcpy(out, &attributes, size < sizeof attributes ? size : sizeof attributes);
	return error;
}

static int query_device_ex(struct ibv_context *context, const void *input, struct ibv_device_attr *out, size_t size)
{
	(void) input;
	size_t known = sizeof context_of(context)->attributes;
	memset(out, 0, size);
	memcpy(out, context_of(context)->attributes, size < known ? size : known);
	return 0;
}

/* What the file of cmd_fd says, also to copies of the descriptor. A child of fork() has the same number. */
struct owner { int64_t process; struct context *origin; };
static int64_t this_process;
static pthread_mutex_t contexts_lock = PTHREAD_MUTEX_INITIALIZER;

static struct ibv_context *finish_context(struct context *context, int cmd_fd)
{
	struct ibv_context *base = &context->verbs.context;
	base->async_fd = context->events.fd;
	base->cmd_fd = cmd_fd;
	base->abi_compat = (void *) -1;
	context->verbs.sz = sizeof context->verbs;
	context->verbs.query_port = query_port_ex;
	context->verbs.query_device_ex = query_device_ex;
	set_domain_functions(&context->verbs);
	set_object_functions(&context->verbs);
	set_queue_functions(&context->verbs);
	return base;
}

static struct ibv_context *free_context(struct context *context)
{
	close_events(&context->events);
	return give_up(context);
}

PUBLIC struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	struct context *context = new_with_events(sizeof *context, offsetof(struct context, events));
	if (!context)
		return NULL;
	struct ibv_context *base = &context->verbs.context;
	context->handle = CALL(OPEN_DEVICE, device - devices, ADDRESS(base), ADDRESS(&base->num_comp_vectors));
	if (context->handle < 0
		|| CALL(QUERY_DEVICE, context->handle, ADDRESS(context->attributes), sizeof context->attributes) < 0)
		return free_context(context);
	base->device = device;
	context->origin = context;
	context->users = 1;
	if (!this_process)
		this_process = getpid();
	struct owner owner = { this_process, context };
	int cmd_fd = memfd_create("uverbs", MFD_CLOEXEC);
	if (pwrite(cmd_fd, &owner, sizeof owner, 0) < 0) {
		CALL(CLOSE_DEVICE, context->handle);
		return free_context(context);
	}
	return finish_context(context, cmd_fd);
}

/*
 * Another context with the objects of an open one of this process; cmd_fd is a copy of its cmd_fd, and belongs to the
 * new context. Events of ports and of the device go to the first one only.
 */
PUBLIC struct ibv_context *ibv_import_device(int cmd_fd)
{
	struct owner owner;
	struct context *context = new_with_events(sizeof *context, offsetof(struct context, events));
	if (!context)
		return NULL;
	pthread_mutex_lock(&contexts_lock);
	bool is_open = pread(cmd_fd, &owner, sizeof owner, 0) == sizeof owner && owner.process == this_process;
	if (is_open)
		owner.origin->users++;
	pthread_mutex_unlock(&contexts_lock);
	if (!is_open) {
		errno = EOPNOTSUPP; /* the device is in another process */
		return free_context(context);
	}
	context->origin = owner.origin;
	context->handle = owner.origin->handle;
	context->verbs.context.num_comp_vectors = owner.origin->verbs.context.num_comp_vectors;
	context->verbs.context.device = owner.origin->verbs.context.device;
	memcpy(context->attributes, owner.origin->attributes, sizeof context->attributes);
	return finish_context(context, cmd_fd);
}

/*
 * Objects that the program has left are destroyed with the last context that has them, as the kernel does when the file
 * is closed.
 */
PUBLIC int ibv_close_device(struct ibv_context *base)
{
	struct context *context = context_of(base), *origin = context->origin;
	pthread_mutex_lock(&contexts_lock);
	bool last = --origin->users == 0;
	/* Copies of the descriptor that are left open are those of no context. */
	int result = last ? ftruncate(base->cmd_fd, 0) : 0;
	pthread_mutex_unlock(&contexts_lock);
	if (last && CALL(CLOSE_DEVICE, context->handle) < 0)
		result = -1;
	close(base->cmd_fd);
	if (context != origin)
		free_context(context);
	if (last)
		free_context(origin);
	return result;
}

PUBLIC int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *out)
{
	enum { BYTES = 232 };
	return query_device_ex(context, NULL, out, BYTES);
}

PUBLIC int ibv_query_port(struct ibv_context *context, uint8_t port, void *out)
{
	return query_port_ex(context, port, out, OLD_PORT_ATTR_BYTES);
}

int query_gid(struct ibv_context *context, uint32_t port, uint32_t index, struct ibv_gid_entry *out, bool empty)
{
	*out = (struct ibv_gid_entry) { 0 };
	return STATUS(QUERY_GID, context_of(context)->handle, port, index, ADDRESS(out), empty);
}

PUBLIC int ibv_query_gid(struct ibv_context *context, uint8_t port, int index, union ibv_gid *gid)
{
	struct ibv_gid_entry entry;
	if (query_gid(context, port, index, &entry, true))
		return -1;
	*gid = entry.gid;
	return 0;
}

PUBLIC int _ibv_query_gid_ex(
	struct ibv_context *context, uint32_t port, uint32_t index, struct ibv_gid_entry *out, uint32_t flags, size_t size)
{
	struct ibv_gid_entry entry;
	int error = flags ? EOPNOTSUPP : query_gid(context, port, index, &entry, false);
	if (!error)
		memcpy(out, &entry, size < sizeof entry ? size : sizeof entry);
	return error;
}

PUBLIC ssize_t _ibv_query_gid_table(
	struct ibv_context *context, struct ibv_gid_entry *entries, size_t max, uint32_t flags, size_t size)
{
	if (flags || size < sizeof *entries)
		return flags ? -EOPNOTSUPP : -EINVAL;
	return CALL(QUERY_GID_TABLE, context_of(context)->handle, ADDRESS(entries), (int64_t) max, (int64_t) size);
}

PUBLIC int ibv_query_pkey(struct ibv_context *context, uint8_t port, int index, uint16_t *pkey)
{
	int result = CALL(QUERY_PKEY, context_of(context)->handle, port, index);
	if (result < 0)
		return -1;
	*pkey = htons((uint16_t) result);
	return 0;
}

PUBLIC int ibv_get_pkey_index(struct ibv_context *context, uint8_t port, uint16_t pkey)
{
	uint16_t entry;
	for (int index = 0; !ibv_query_pkey(context, port, index, &entry); index++)
		if (entry == pkey)
			return index;
	errno = ENOENT;
	return -1;
}
