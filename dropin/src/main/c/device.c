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

enum { MAX_DEVICES = 64, OLD_PORT_ATTR_BYTES = 48, ROCE_V2 = 2 };

/* What Java says of a device. */
struct device_record {
	char name[ABI_NAME];
	uint64_t guid; /* big-endian */
	int32_t node_type, transport_type;
};

/* Programs keep pointers to devices after they have freed the list; these stay. */
static struct ibv_device devices[MAX_DEVICES];
static uint64_t guids[MAX_DEVICES];
static int device_count;
static pthread_once_t listed = PTHREAD_ONCE_INIT;
static int list_error;

static void list_devices(void)
{
	struct device_record records[MAX_DEVICES];
	list_error = start_jvm();
	int count = list_error ? 0 : CALL(LIST_DEVICES, ADDRESS(records), MAX_DEVICES);
	if (count < 0)
		list_error = -count;
	for (int i = 0; i < count; i++) {
		struct ibv_device *device = &devices[i];
		device->node_type = records[i].node_type;
		device->transport_type = records[i].transport_type;
		memcpy(device->name, records[i].name, ABI_NAME - 1);
		snprintf(device->dev_name, sizeof device->dev_name, "uverbs%d", i);
		snprintf(device->dev_path, sizeof device->dev_path, "/sys/class/infiniband_verbs/uverbs%d", i);
		snprintf(device->ibdev_path, sizeof device->ibdev_path, "/sys/class/infiniband/%.63s", device->name);
		guids[i] = records[i].guid;
	}
	device_count = count > 0 ? count : 0;
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
	int fd = snprintf(path, sizeof path, "%s/%s", directory, file) < (int) sizeof path
		? open(path, O_RDONLY | O_CLOEXEC)
		: -1;
	ssize_t length = fd < 0 ? -1 : read(fd, buffer, size);
	if (fd >= 0)
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

static struct context *contexts;
static pthread_mutex_t contexts_lock = PTHREAD_MUTEX_INITIALIZER;

static struct ibv_context *finish_context(struct context *context, int cmd_fd)
{
	struct ibv_context *base = &context->verbs.context;
	base->async_fd = context->events.fd;
	base->cmd_fd = cmd_fd;
	base->abi_compat = (void *) -1;
	pthread_mutex_init(&base->mutex, NULL);
	context->verbs.sz = sizeof context->verbs;
	context->verbs.query_port = query_port_ex;
	context->verbs.query_device_ex = query_device_ex;
	set_domain_functions(&context->verbs);
	set_object_functions(&context->verbs);
	set_queue_functions(&context->verbs);
	pthread_mutex_lock(&contexts_lock);
	context->origin->users++;
	context->next = contexts;
	contexts = context;
	pthread_mutex_unlock(&contexts_lock);
	return base;
}

static void free_context(struct context *context)
{
	close_events(&context->events);
	free(context);
}

static bool is_same_file(int a, int b)
{
	struct stat x, y;
	return !fstat(a, &x) && !fstat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

PUBLIC struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	struct context *context = calloc(1, sizeof *context);
	int error = context ? init_events(&context->events) : ENOMEM;
	if (error) {
		errno = error;
		return give_up(context);
	}
	struct ibv_context *base = &context->verbs.context;
	context->handle = CALL(OPEN_DEVICE, device - devices, ADDRESS(base), ADDRESS(&base->num_comp_vectors));
	error = context->handle < 0
		? -context->handle
		: STATUS(QUERY_DEVICE, context->handle, ADDRESS(context->attributes), sizeof context->attributes);
	if (error) {
		close_events(&context->events);
		errno = error;
		return give_up(context);
	}
	base->device = device;
	context->origin = context;
	/* A file, so that its copies are known by fstat(). */
	return finish_context(context, memfd_create("uverbs", MFD_CLOEXEC));
}

/*
 * Another context with the objects of an open one of this process; cmd_fd is a copy of its cmd_fd, and belongs to the
 * new context. Events of ports and of the device go to the first one only.
 */
PUBLIC struct ibv_context *ibv_import_device(int cmd_fd)
{
	struct context *context = calloc(1, sizeof *context);
	int error = context ? init_events(&context->events) : ENOMEM;
	if (error) {
		errno = error;
		return give_up(context);
	}
	pthread_mutex_lock(&contexts_lock);
	struct context *known = contexts;
	while (known && !is_same_file(known->verbs.context.cmd_fd, cmd_fd))
		known = known->next;
	if (known) {
		context->origin = known->origin;
		context->handle = known->handle;
		context->verbs.context.num_comp_vectors = known->verbs.context.num_comp_vectors;
		context->verbs.context.device = known->verbs.context.device;
		memcpy(context->attributes, known->attributes, sizeof context->attributes);
	}
	pthread_mutex_unlock(&contexts_lock);
	if (known)
		return finish_context(context, cmd_fd);
	close_events(&context->events);
	errno = EOPNOTSUPP; /* the device is in another process */
	return give_up(context);
}

/*
 * Objects that the program has left are destroyed with the last context that has them, as the kernel does when the file
 * is closed.
 */
PUBLIC int ibv_close_device(struct ibv_context *base)
{
	struct context *context = context_of(base), *origin = context->origin;
	pthread_mutex_lock(&contexts_lock);
	struct context **link = &contexts;
	while (*link != context)
		link = &(*link)->next;
	*link = context->next;
	bool last = --origin->users == 0;
	pthread_mutex_unlock(&contexts_lock);
	int result = last && CALL(CLOSE_DEVICE, context->handle) < 0 ? -1 : 0;
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

PUBLIC int ibv_query_gid(struct ibv_context *context, uint8_t port, int index, union ibv_gid *gid)
{
	struct ibv_gid_entry entry = { 0 };
	if (CALL(QUERY_GID, context_of(context)->handle, port, index, ADDRESS(&entry), 1) < 0)
		return -1;
	*gid = entry.gid;
	return 0;
}

PUBLIC int _ibv_query_gid_ex(
	struct ibv_context *context, uint32_t port, uint32_t index, struct ibv_gid_entry *out, uint32_t flags, size_t size)
{
	struct ibv_gid_entry entry = { 0 };
	if (flags)
		return EOPNOTSUPP;
	int error = STATUS(QUERY_GID, context_of(context)->handle, port, index, ADDRESS(&entry), 0);
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

/* Of ibv_devinfo and pyverbs: 0 is InfiniBand or RoCE v1, 1 is RoCE v2. */
int rdma4j_query_gid_type(struct ibv_context *context, uint8_t port, unsigned index, int *type)
{
	struct ibv_gid_entry entry = { 0 };
	if (CALL(QUERY_GID, context_of(context)->handle, port, index, ADDRESS(&entry), 1) < 0)
		return -1;
	*type = entry.gid_type == ROCE_V2;
	return 0;
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
