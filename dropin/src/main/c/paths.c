/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of devices for programs that look into /sys/class/infiniband* and /dev/infiniband: calls of libc with such a
 * path get a path in the directory where Java has written these files. Only if the library is preloaded; other paths
 * and all other programs pass.
 */
#undef _FORTIFY_SOURCE /* its inline functions have the names that are defined here */
#define _GNU_SOURCE
#include "rdma4j.h"
#include "ucma.h"
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

struct ibv_device **ibv_get_device_list(int *);
void ibv_free_device_list(struct ibv_device **);

static const char SYSFS[] = "/sys/class/infiniband", DEVICES[] = "/dev/infiniband", CM_FILE[] = "rdma_cm";

/* --- the directory --- */

static bool is_preloaded(void)
{
	static int known;
	if (!known) {
		const char *preloaded = getenv("LD_PRELOAD");
		known = preloaded && strstr(preloaded, "libibverbs.so") ? 1 : -1;
	}
	return known > 0;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void lock_device_files(void) { pthread_mutex_lock(&lock); }
void unlock_device_files(void) { pthread_mutex_unlock(&lock); }

/* The directory with the files; NULL if there is none. The first call lists the devices, which starts the JVM. */
static const char *directory(void)
{
	static char path[PATH_MAX];
	static bool is_known;
	static __thread bool is_inside;
	if (is_inside) /* the JVM itself, while it starts */
		return NULL;
	is_inside = true;
	pthread_mutex_lock(&lock);
	if (!is_known) {
		int error = errno;
		struct ibv_device **list = ibv_get_device_list(NULL);
		if (list && CALL(WRITE_FILES, ADDRESS(path), sizeof path) < 0)
			*path = 0;
		ibv_free_device_list(list);
		is_known = true;
		errno = error;
	}
	pthread_mutex_unlock(&lock);
	is_inside = false;
	return *path ? path : NULL;
}

static bool begins(const char *path, const char *with, size_t length, const char *then)
{
	return !strncmp(path, with, length) && strchr(then, path[length]); /* strchr finds the end of a text, too */
}

/* Returns the path to use: `path`, or the one in the directory, which is written to `out`. */
static const char *map(const char *path, char *out)
{
	if (!path || path[0] != '/'
		|| !(begins(path, SYSFS, sizeof SYSFS - 1, "/_") || begins(path, DEVICES, sizeof DEVICES - 1, "/")))
		return path;
	const char *root = is_preloaded() ? directory() : NULL;
	return root && snprintf(out, PATH_MAX, "%s%s", root, path) < PATH_MAX ? out : path;
}

/* A name below /dev/infiniband; NULL for any other path. */
static const char *device_file(const char *path)
{
	return path && begins(path, DEVICES, sizeof DEVICES - 1, "/") && path[sizeof DEVICES - 1] && path[sizeof DEVICES]
		? path + sizeof DEVICES
		: NULL;
}

/* The number of a device file, as Linux has them. */
static dev_t number_of(const char *name)
{
	enum { MAJOR = 231, BASE_MINOR = 192 };
	return !strcmp(name, CM_FILE) ? cm_device_number()
		: makedev(MAJOR, BASE_MINOR + atoi(name + strcspn(name, "0123456789")));
}

enum { READ_WRITE = 0666 };

static int describe(int result, const char *path, const char *used, struct stat *status)
{
	const char *name = used == path ? NULL : device_file(path);
	if (!result && name) {
		status->st_mode = S_IFCHR | READ_WRITE;
		status->st_rdev = number_of(name);
	}
	return result;
}

/* --- calls of libc --- */

static mode_t mode_of(int flags, va_list rest) { return flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0; }

/* No driver is behind the other device files: the verbs come from this library. */
static int open_device_file(const char *name, int flags)
{
	return strcmp(name, CM_FILE) ? errno = ENXIO, -1 : open_cm_file(flags);
}

#define OPEN_DEVICE_FILE(path, used, flags) \
	do { \
		if (used != path && device_file(path)) \
			return open_device_file(device_file(path), flags); \
	} while (0)

#define OPEN(name) \
	PUBLIC int name(const char *path, int flags, ...) \
	{ \
		static int (*next)(const char *, int, ...); \
		char mapped[PATH_MAX]; \
		va_list rest; \
		va_start(rest, flags); \
		mode_t mode = mode_of(flags, rest); \
		va_end(rest); \
		NEXT(name); \
		const char *used = map(path, mapped); \
		OPEN_DEVICE_FILE(path, used, flags); \
		return next(used, flags, mode); \
	}
OPEN(open) OPEN(open64)

#define OPENAT(name) \
	PUBLIC int name(int directory, const char *path, int flags, ...) \
	{ \
		static int (*next)(int, const char *, int, ...); \
		char mapped[PATH_MAX]; \
		va_list rest; \
		va_start(rest, flags); \
		mode_t mode = mode_of(flags, rest); \
		va_end(rest); \
		NEXT(name); \
		const char *used = map(path, mapped); \
		OPEN_DEVICE_FILE(path, used, flags); \
		return next(directory, used, flags, mode); \
	}
OPENAT(openat) OPENAT(openat64)

/* Of programs that were compiled with _FORTIFY_SOURCE. */
PUBLIC int __open_2(const char *path, int flags) { return open(path, flags); }
PUBLIC int __open64_2(const char *path, int flags) { return open(path, flags); }
PUBLIC int __openat_2(int directory, const char *path, int flags) { return openat(directory, path, flags); }
PUBLIC int __openat64_2(int directory, const char *path, int flags) { return openat(directory, path, flags); }

/* A function whose argument `path` is replaced. */
#define WITH_PATH(type, name, parameters, ...) \
	PUBLIC type name parameters \
	{ \
		static type (*next) parameters; \
		char mapped[PATH_MAX]; \
		NEXT(name); \
		path = map(path, mapped); \
		return next(__VA_ARGS__); \
	}
WITH_PATH(FILE *, fopen, (const char *path, const char *mode), path, mode)
WITH_PATH(FILE *, fopen64, (const char *path, const char *mode), path, mode)
WITH_PATH(DIR *, opendir, (const char *path), path)
WITH_PATH(int, access, (const char *path, int mode), path, mode)
WITH_PATH(int, faccessat, (int directory, const char *path, int mode, int flags), directory, path, mode, flags)
WITH_PATH(ssize_t, readlink, (const char *path, char *out, size_t size), path, out, size)
WITH_PATH(ssize_t, readlinkat, (int directory, const char *path, char *out, size_t size), directory, path, out, size)
PUBLIC ssize_t __readlink_chk(const char *path, char *out, size_t size, size_t room)
{
	return (void) room, readlink(path, out, size);
}

#define STAT(name, type) \
	PUBLIC int name(const char *path, struct type *out) \
	{ \
		static int (*next)(const char *, struct type *); \
		char mapped[PATH_MAX]; \
		NEXT(name); \
		const char *used = map(path, mapped); \
		return describe(next(used, out), path, used, (struct stat *) out); \
	}
STAT(stat, stat) STAT(lstat, stat) STAT(stat64, stat64) STAT(lstat64, stat64)

#define STATAT(name, type) \
	PUBLIC int name(int directory, const char *path, struct type *out, int flags) \
	{ \
		static int (*next)(int, const char *, struct type *, int); \
		char mapped[PATH_MAX]; \
		NEXT(name); \
		const char *used = map(path, mapped); \
		return describe(next(directory, used, out, flags), path, used, (struct stat *) out); \
	}
STATAT(fstatat, stat) STATAT(fstatat64, stat64)

/*
 * Of programs that were compiled with a glibc before 2.33; the number of the structure's version is always that of 64
 * bits.
 */
PUBLIC int __xstat(int version, const char *path, struct stat *out) { return (void) version, stat(path, out); }
PUBLIC int __lxstat(int version, const char *path, struct stat *out) { return (void) version, lstat(path, out); }
PUBLIC int __xstat64(int version, const char *path, struct stat64 *out) { return (void) version, stat64(path, out); }
PUBLIC int __lxstat64(int version, const char *path, struct stat64 *out) { return (void) version, lstat64(path, out); }

PUBLIC int statx(int directory, const char *path, int flags, unsigned mask, struct statx *out)
{
	static int (*next)(int, const char *, int, unsigned, struct statx *);
	char mapped[PATH_MAX];
	NEXT(statx);
	const char *used = map(path, mapped), *name = used == path ? NULL : device_file(path);
	int result = next(directory, used, flags, mask, out);
	if (!result && name) {
		out->stx_mode = S_IFCHR | READ_WRITE;
		out->stx_rdev_major = major(number_of(name));
		out->stx_rdev_minor = minor(number_of(name));
	}
	return result;
}

/* The answer is a path that the program may open in turn, so the directory is taken away again. */
PUBLIC char *realpath(const char *path, char *resolved)
{
	static char *(*next)(const char *, char *);
	char mapped[PATH_MAX];
	NEXT(realpath);
	const char *used = map(path, mapped);
	char *result = next(used, resolved);
	if (result && used != path) {
		size_t length = strlen(directory());
		memmove(result, result + length, strlen(result + length) + 1);
	}
	return result;
}
PUBLIC char *__realpath_chk(const char *path, char *resolved, size_t room)
{
	return (void) room, realpath(path, resolved);
}
