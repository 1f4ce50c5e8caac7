/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file /dev/infiniband/rdma_cm, through which librdmacm gives its commands (<rdma/rdma_user_cm.h>): its descriptor
 * is an eventfd that counts the events of a channel, so that programs poll it; what a program writes to it is a command
 * for Java.
 */
#undef _FORTIFY_SOURCE
#define _GNU_SOURCE
#include "ucma.h"
#include "rdma4j.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { MAX_FILES = 1 << 16, GET_EVENT = 12 };

/* Begins each command; `in` bytes follow. */
struct command_header { uint32_t command; uint16_t in, out; };

/* An open file. Descriptors that are duplicates share it, and a command that is carried out holds it. */
struct cm_file {
	int fd; /* of this library; those of the program are duplicates */
	int handle, references;
};

static struct cm_file *files[MAX_FILES]; /* by descriptor of the program */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool is_eventfd(int fd)
{
	struct stat status;
	return !syscall(SYS_fstat, fd, &status) && !(status.st_mode & S_IFMT); /* anonymous inodes have no type */
}

static bool may_be_file(int fd) { return (unsigned) fd < MAX_FILES && __atomic_load_n(&files[fd], __ATOMIC_RELAXED); }

static struct cm_file *acquire(int fd)
{
	if (!may_be_file(fd))
		return NULL;
	pthread_mutex_lock(&lock);
	struct cm_file *file = files[fd];
	/* It may have been closed in a way that is not seen here, such as close_range, and the number is in use again. */
	if (file && !is_eventfd(fd))
		file = NULL;
	if (file)
		file->references++;
	pthread_mutex_unlock(&lock);
	return file;
}

static void release(struct cm_file *file)
{
	if (!file)
		return;
	pthread_mutex_lock(&lock);
	bool is_last = !--file->references;
	pthread_mutex_unlock(&lock);
	if (!is_last)
		return;
	int error = errno;
	if (file->handle >= 0)
		CALL(CM_CLOSE, file->handle);
	syscall(SYS_close, file->fd);
	free(file);
	errno = error;
}

/* Gives a descriptor of the program a file; the former one of that number is gone. */
static void set_file(int fd, struct cm_file *file)
{
	pthread_mutex_lock(&lock);
	struct cm_file *former = files[fd];
	if (file)
		file->references++;
	__atomic_store_n(&files[fd], file, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&lock);
	release(former);
}

int open_cm_file(int flags)
{
	struct cm_file *file = calloc(1, sizeof *file);
	if (!file)
		return -1;
	file->references = 1;
	file->fd = eventfd(0, EFD_SEMAPHORE | EFD_CLOEXEC | (flags & O_NONBLOCK ? EFD_NONBLOCK : 0));
	int fd = file->fd < 0 ? -1 : fcntl(file->fd, flags & O_CLOEXEC ? F_DUPFD_CLOEXEC : F_DUPFD, 0);
	file->handle = fd < 0 ? -errno : fd >= MAX_FILES ? -EMFILE : CALL(CM_OPEN, file->fd);
	if (file->handle >= 0) {
		set_file(fd, file);
	} else {
		syscall(SYS_close, fd);
		errno = -file->handle;
		fd = -1;
	}
	release(file);
	return fd;
}

void lock_cm_files(void) { pthread_mutex_lock(&lock); }
void unlock_cm_files(void) { pthread_mutex_unlock(&lock); }

dev_t cm_device_number(void)
{
	unsigned major = 0, minor = 0;
	/* librdmacm asks the kernel for the number, and compares. */
	FILE *real = fopen("/sys/class/misc/rdma_cm/dev", "re");
	if (real) {
		if (fscanf(real, "%u:%u", &major, &minor) != 2)
			major = minor = 0;
		fclose(real);
	}
	return makedev(major, minor);
}

static ssize_t execute(struct cm_file *file, int fd, const void *buffer, size_t count)
{
	const struct command_header *header = buffer;
	if (sizeof *header + header->in > count)
		return errno = EINVAL, -1;
	int result;
	do {
		eventfd_t one;
		/* Waits for an event, or answers EAGAIN or EINTR, as the flags of the descriptor and the signal handler say. */
		if (header->command == GET_EVENT && eventfd_read(fd, &one))
			return -1;
		result = CALL(CM_COMMAND, file->handle, ADDRESS(buffer));
		if (header->command == GET_EVENT)
			await_exit();
	} while (header->command == GET_EVENT && !result); /* its id took the event along */
	if (header->command == GET_EVENT && result < 0) /* the event waits on */
		count_events(NULL, NULL, file->fd, 1);
	return result < 0 ? -1 : (ssize_t) count;
}

/* --- calls of libc --- */

PUBLIC ssize_t write(int fd, const void *buffer, size_t count)
{
	static ssize_t (*next)(int, const void *, size_t);
	NEXT(write);
	struct cm_file *file = acquire(fd);
	ssize_t result = file && count > sizeof(struct command_header) ? execute(file, fd, buffer, count)
		: next(fd, buffer, count);
	release(file);
	return result;
}

PUBLIC int close(int fd)
{
	static int (*next)(int);
	if (may_be_file(fd))
		set_file(fd, NULL);
	NEXT(close);
	return next(fd);
}

static int duplicated(int from, int to)
{
	struct cm_file *file = to < 0 ? NULL : acquire(from);
	if (file ? to < MAX_FILES : may_be_file(to))
		set_file(to, file);
	release(file);
	return to;
}

PUBLIC int dup(int from) { return duplicated(from, (int) syscall(SYS_dup, from)); }
PUBLIC int dup3(int from, int to, int flags) { return duplicated(from, (int) syscall(SYS_dup3, from, to, flags)); }
PUBLIC int dup2(int from, int to)
{
	return from != to ? dup3(from, to, 0) : fcntl(from, F_GETFD) < 0 ? -1 : to;
}

PUBLIC int fstat(int fd, struct stat *out)
{
	int result = (int) syscall(SYS_fstat, fd, out);
	struct cm_file *file = result ? NULL : acquire(fd);
	if (file) {
		out->st_mode = S_IFCHR | (out->st_mode & ~S_IFMT);
		out->st_rdev = cm_device_number();
	}
	release(file);
	return result;
}

PUBLIC int fstat64(int fd, struct stat64 *out) { return fstat(fd, (struct stat *) out); }
PUBLIC int __fxstat(int version, int fd, struct stat *out) { return (void) version, fstat(fd, out); }
PUBLIC int __fxstat64(int version, int fd, struct stat64 *out)
{
	return (void) version, fstat(fd, (struct stat *) out);
}

/* --- structures of the kernel in those of libibverbs --- */

enum { AH_ATTR_BYTES = 32 };

PUBLIC void ibv_copy_ah_attr_from_kern(void *to, const void *from) { memcpy(to, from, AH_ATTR_BYTES); } /* one layout */

/* The parts have one layout and another order; `qp_state` is the caller's. */
PUBLIC void ibv_copy_qp_attr_from_kern(char *to, const char *from)
{
	enum { CUR_STATE = 4, TO_CAP = 36, TO_PATHS = 56, TO_PKEY_INDEX = 120 };
	enum { FROM_CUR_STATE = 8, FROM_PATHS = 40, FROM_CAP = 104, FROM_PKEY_INDEX = 124 };
	memcpy(to + CUR_STATE, from + FROM_CUR_STATE, TO_CAP - CUR_STATE);
	memcpy(to + TO_CAP, from + FROM_CAP, TO_PATHS - TO_CAP);
	memcpy(to + TO_PATHS, from + FROM_PATHS, 2 * AH_ATTR_BYTES);
	memcpy(to + TO_PKEY_INDEX, from + FROM_PKEY_INDEX, 15); /* up to alt_timeout */
}

/* The same members have other places in struct ibv_sa_path_rec and struct ib_user_path_rec. */
static const struct { uint8_t at, in_kernel, bytes; } path_parts[] = {
	{ 0, 0, 44 }, /* dgid, sgid, dlid, slid, raw_traffic, flow_label */
	{ 44, 54, 2 }, /* hop_limit, traffic_class */
	{ 48, 44, 4 }, /* reversible */
	{ 52, 56, 1 }, /* numb_path */
	{ 54, 52, 2 }, /* pkey */
	{ 56, 57, 2 }, /* sl, mtu_selector */
	{ 60, 48, 4 }, /* mtu */
	{ 64, 59, 5 }, /* rate_selector, rate, packet_life_time_selector, packet_life_time, preference */
};

PUBLIC void ibv_copy_path_rec_from_kern(char *to, const char *from)
{
	for (size_t i = 0; i < sizeof path_parts / sizeof *path_parts; i++)
		memcpy(to + path_parts[i].at, from + path_parts[i].in_kernel, path_parts[i].bytes);
}

PUBLIC void ibv_copy_path_rec_to_kern(char *to, const char *from)
{
	for (size_t i = 0; i < sizeof path_parts / sizeof *path_parts; i++)
		memcpy(to + path_parts[i].in_kernel, from + path_parts[i].at, path_parts[i].bytes);
}
