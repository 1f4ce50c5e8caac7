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
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

struct ibv_device **ibv_get_device_list(int *);
void ibv_free_device_list(struct ibv_device **);

static const char SYSFS[] = "/sys/class/infiniband", DEVICES[] = "/dev/infiniband", CM_FILE[] = "rdma_cm";

/* --- the directory --- */

static bool is_preloaded(void)
{
	const char *preloaded = getenv("LD_PRELOAD");
	return preloaded && strstr(preloaded, "libibverbs.so");
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

/* --- calls of libc; each kind ends in the one that takes a directory --- */

/* No driver is behind the other device files: the verbs come from this library. */
static int open_device_file(const char *name, int flags)
{
	return strcmp(name, CM_FILE) ? errno = ENXIO, -1 : open_cm_file(flags);
}

static int open_at(int directory, const char *path, int flags, mode_t mode)
{
	static int (*next)(int, const char *, int, ...);
	char mapped[PATH_MAX];
	if (!next)
		*(void **) &next = dlsym(RTLD_NEXT, "openat64");
	const char *used = map(path, mapped);
	return used != path && device_file(path) ? open_device_file(device_file(path), flags)
		: next(directory, used, flags, mode);
}

/* The last parameter is an argument if the flags say so. */
#define OPEN(name, directory, ...) \
	PUBLIC int name(__VA_ARGS__, ...) \
	{ \
		va_list rest; \
		va_start(rest, flags); \
		mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
		va_end(rest); \
		return open_at(directory, path, flags, mode); \
	}
OPEN(open, AT_FDCWD, const char *path, int flags)
OPEN(open64, AT_FDCWD, const char *path, int flags)
OPEN(openat, directory, int directory, const char *path, int flags)
OPEN(openat64, directory, int directory, const char *path, int flags)

/* Of programs that were compiled with _FORTIFY_SOURCE. */
PUBLIC int __open_2(const char *path, int flags) { return open_at(AT_FDCWD, path, flags, 0); }
PUBLIC int __open64_2(const char *path, int flags) { return open_at(AT_FDCWD, path, flags, 0); }
PUBLIC int __openat_2(int directory, const char *path, int flags) { return open_at(directory, path, flags, 0); }
PUBLIC int __openat64_2(int directory, const char *path, int flags) { return open_at(directory, path, flags, 0); }

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
WITH_PATH(int, faccessat, (int directory, const char *path, int mode, int flags), directory, path, mode, flags)
WITH_PATH(ssize_t, readlinkat, (int directory, const char *path, char *out, size_t size), directory, path, out, size)
PUBLIC int access(const char *path, int mode) { return faccessat(AT_FDCWD, path, mode, 0); }
PUBLIC ssize_t readlink(const char *path, char *out, size_t size) { return readlinkat(AT_FDCWD, path, out, size); }
PUBLIC ssize_t __readlink_chk(const char *path, char *out, size_t size, size_t room)
{
	return (void) room, readlink(path, out, size);
}

PUBLIC int fstatat(int directory, const char *path, struct stat *out, int flags)
{
	char mapped[PATH_MAX];
	const char *used = map(path, mapped), *name = used == path ? NULL : device_file(path);
	int result = (int) syscall(SYS_newfstatat, directory, used, out, flags);
	if (!result && name) {
		out->st_mode = S_IFCHR | READ_WRITE;
		out->st_rdev = number_of(name);
	}
	return result;
}

/*
 * The other names of it, which older programs call with the version of the structure; on machines of 64 bits there is
 * one structure.
 */
#define STAT(suffix, type) \
	PUBLIC int stat##suffix(const char *path, struct type *out) { return AT(path, out, 0); } \
	PUBLIC int lstat##suffix(const char *path, struct type *out) { return AT(path, out, AT_SYMLINK_NOFOLLOW); } \
	PUBLIC int __xstat##suffix(int version, const char *path, struct type *out) \
	{ \
		return (void) version, AT(path, out, 0); \
	} \
	PUBLIC int __lxstat##suffix(int version, const char *path, struct type *out) \
	{ \
		return (void) version, AT(path, out, AT_SYMLINK_NOFOLLOW); \
	}
#define AT(path, out, flags) fstatat(AT_FDCWD, path, (struct stat *) out, flags)
STAT(, stat) STAT(64, stat64)
PUBLIC int fstatat64(int directory, const char *path, struct stat64 *out, int flags)
{
	return fstatat(directory, path, (struct stat *) out, flags);
}

PUBLIC int statx(int directory, const char *path, int flags, unsigned mask, struct statx *out)
{
	char mapped[PATH_MAX];
	const char *used = map(path, mapped), *name = used == path ? NULL : device_file(path);
	int result = (int) syscall(SYS_statx, directory, used, flags, mask, out);
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
