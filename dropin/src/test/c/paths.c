/* SPDX-License-Identifier: Apache-2.0 */
/* Files of devices, as programs look for them: paths preloaded|plain|killed. */
#include "program.h"
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

int __xstat(int, const char *, struct stat *);
int __open_2(const char *, int);
int ibv_read_sysfs_file(const char *, const char *, char *, size_t);

static char *read_file(const char *path)
{
	static char text[256];
	FILE *file = fopen(path, "r");
	CHECK(file);
	CHECK(fgets(text, sizeof text, file));
	fclose(file);
	text[strcspn(text, "\n")] = 0;
	return text;
}

static void test_device(void)
{
	DIR *devices = opendir("/sys/class/infiniband");
	bool found = false;
	CHECK(devices);
	for (struct dirent *entry; (entry = readdir(devices));)
		found |= !strcmp(entry->d_name, "drop0");
	CHECK(found);
	int fd = openat(dirfd(devices), "drop0/node_type", O_RDONLY);
	char text[8] = "";
	CHECK(fd >= 0 && read(fd, text, 5) == 5 && !strcmp(text, "1: CA"));
	close(fd);
	closedir(devices);
	CHECK(!strcmp(read_file("/sys/class/infiniband/drop0/ports/1/link_layer"), "Ethernet"));
	CHECK(!strcmp(read_file("/sys/class/infiniband_verbs/uverbs0/ibdev"), "drop0"));
	CHECK(ibv_read_sysfs_file("/sys/class/infiniband_verbs/uverbs0", "dev", text, sizeof text) == 7 && !strcmp(text, "231:192"));
	CHECK(ibv_read_sysfs_file("/sys/class/infiniband/drop0", "board_id", text, sizeof text) == -1);
}

static void test_device_file(void)
{
	const char *path = "/dev/infiniband/uverbs0";
	struct stat status;
	CHECK(!stat(path, &status) && S_ISCHR(status.st_mode) && status.st_rdev == makedev(231, 192));
	CHECK(!__xstat(1, path, &status) && S_ISCHR(status.st_mode));
	CHECK(!fstatat(AT_FDCWD, path, &status, 0) && S_ISCHR(status.st_mode));
	CHECK(!access(path, R_OK | W_OK));
	CHECK(open(path, O_RDWR) == -1 && errno == ENXIO);
	CHECK(__open_2(path, O_RDWR) == -1 && errno == ENXIO);
	CHECK(stat("/dev/infiniband/uverbs7", &status) == -1 && errno == ENOENT);
	CHECK(!stat("/dev/infiniband", &status) && S_ISDIR(status.st_mode));
}

/* The table of GIDs is that of the open device. */
static void test_port(void)
{
	struct station s = { 0 };
	char expected[64];
	int length = 0;
	open_first(&s);
	for (int i = 0; i < 16; i += 2)
		length += sprintf(expected + length, "%s%02x%02x", i ? ":" : "", s.gid.raw[i], s.gid.raw[i + 1]);
	CHECK(!strcmp(read_file("/sys/class/infiniband/drop0/ports/1/gids/0"), expected));
	CHECK(!strcmp(read_file("/sys/class/infiniband/drop0/ports/1/gid_attrs/types/0"), "RoCE v2"));
	char resolved[PATH_MAX];
	CHECK(realpath("/sys/class/infiniband/drop0/ports/../ports/1", resolved) && !strcmp(resolved, "/sys/class/infiniband/drop0/ports/1"));
	CHECK(!ibv_close_device(s.context));
}

/* The library changes nothing: the answer is that of the kernel. */
static void test_plain(void)
{
	CHECK(access("/sys/class/infiniband/drop0", F_OK) == syscall(SYS_access, "/sys/class/infiniband/drop0", F_OK));
	CHECK(access("/dev/infiniband/uverbs0", F_OK) == syscall(SYS_access, "/dev/infiniband/uverbs0", F_OK));
	open_first(&(struct station) { 0 });
	CHECK(access("/sys/class/infiniband/drop0", F_OK) == syscall(SYS_access, "/sys/class/infiniband/drop0", F_OK));
}

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	if (!strcmp(argv[1], "plain")) {
		test_plain();
	} else {
		test_device();
		test_device_file();
		test_port();
	}
	if (!strcmp(argv[1], "killed"))
		raise(SIGKILL);
	printf("passed\n");
	return 0;
}
