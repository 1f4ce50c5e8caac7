/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages of the program that move into shared memory: by themselves while the program has one thread, or, with the
 * argument "on", always.
 */
#define _GNU_SOURCE
#include "program.h"
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

enum { PAGE = 4096, BYTES = 4 * PAGE, REMOTE = LOCAL_WRITE | REMOTE_WRITE };

static struct station s;

static char *map_pages(void)
{
	char *pages = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(pages != MAP_FAILED);
	for (int i = 0; i < BYTES; i++)
		pages[i] = (char) (i * 7);
	return pages;
}

static bool are_whole(const char *pages)
{
	for (int i = 0; i < BYTES; i++)
		if (pages[i] != (char) (i * 7))
			return false;
	return true;
}

static bool is_moved(const void *address)
{
	char line[4096];
	bool found = false;
	FILE *maps = fopen("/proc/self/maps", "r");
	CHECK(maps);
	while (fgets(line, sizeof line, maps)) {
		unsigned long start, end;
		CHECK(sscanf(line, "%lx-%lx", &start, &end) == 2);
		if (start <= (unsigned long) address && (unsigned long) address < end)
			found = strstr(line, "rw-s") && strstr(line, "/dev/shm/");
	}
	fclose(maps);
	return found;
}

static bool moves(void *memory, size_t bytes, int access)
{
	struct ibv_mr *mr = ibv_reg_mr(s.pd, memory, bytes, access);
	CHECK(mr);
	bool result = is_moved(memory);
	CHECK(!ibv_dereg_mr(mr) && !is_moved(memory));
	return result;
}

static void *sleep_until_read(void *fds)
{
	char end;
	CHECK(read(*(int *) fds, &end, 1) == 1);
	return NULL;
}

/* Not if another thread may write to the pages, nor if they are those of another region or of other objects, too. */
static void test_conditions(void)
{
	char *pages = map_pages();
	int fds[2];
	pthread_t thread;
	CHECK(moves(pages, BYTES, REMOTE) && are_whole(pages));
	CHECK(!moves(pages, BYTES, LOCAL_WRITE));
	CHECK(!moves(pages, BYTES, REMOTE | ON_DEMAND));
	CHECK(!moves(pages + 64, PAGE, REMOTE) && !moves(pages, PAGE + 64, REMOTE));
	struct ibv_mr *other = ibv_reg_mr(s.pd, pages + PAGE + 8, 16, LOCAL_WRITE);
	CHECK(other && !moves(pages, BYTES, REMOTE) && moves(pages, PAGE, REMOTE));
	CHECK(!ibv_dereg_mr(other));
	CHECK(!pipe(fds) && !pthread_create(&thread, NULL, sleep_until_read, fds));
	CHECK(!moves(pages, BYTES, REMOTE));
	CHECK(write(fds[1], "", 1) == 1 && !pthread_join(thread, NULL));
	CHECK(moves(pages, BYTES, REMOTE) && are_whole(pages));
}

/* Pages that two regions use stay until both are gone; after that the memory is as before and can grow. */
static void test_end(void)
{
	char *pages = map_pages();
	struct ibv_mr *mr = ibv_reg_mr(s.pd, pages, BYTES, REMOTE), *inside = ibv_reg_mr(s.pd, pages + 8, 8, LOCAL_WRITE);
	CHECK(mr && inside && is_moved(pages));
	CHECK(!ibv_dereg_mr(mr) && is_moved(pages) && !ibv_dereg_mr(inside) && !is_moved(pages));
	CHECK((mr = ibv_reg_mr(s.pd, pages, BYTES, REMOTE)) && is_moved(pages));
	char *others = map_pages();
	CHECK(!ibv_rereg_mr(mr, REREG_TRANSLATION, NULL, others, BYTES, 0) && !is_moved(pages) && !ibv_dereg_mr(mr));
	pages = mremap(pages, BYTES, 4 * BYTES, MREMAP_MAYMOVE);
	CHECK(pages != MAP_FAILED && are_whole(pages) && !pages[4 * BYTES - 1]);
}

/* A program may unmap memory first: what is there by then stays. */
static void test_unmapped(void)
{
	char *pages = map_pages();
	struct ibv_mr *mr = ibv_reg_mr(s.pd, pages, BYTES, REMOTE);
	CHECK(mr && is_moved(pages) && !munmap(pages + PAGE, PAGE));
	char *page = mmap(pages + PAGE, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	CHECK(page == pages + PAGE && !ibv_dereg_mr(mr));
	CHECK(!is_moved(pages) && !page[0] && pages[2 * PAGE + 1] == (char) ((2 * PAGE + 1) * 7));
}

/* Neither process sees what the other one writes after the fork. */
static void test_fork(void)
{
	int to_child[2], status;
	char *pages = map_pages(), go;
	struct ibv_mr *mr = ibv_reg_mr(s.pd, pages, BYTES, REMOTE);
	CHECK(mr && is_moved(pages) && !pipe(to_child));
	pid_t child = fork();
	if (!child) {
		CHECK(read(to_child[0], &go, 1) == 1);
		CHECK(!is_moved(pages) && are_whole(pages));
		memset(pages, 1, BYTES);
		_exit(0);
	}
	pages[0] = 99;
	CHECK(write(to_child[1], "", 1) == 1);
	CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
	CHECK(pages[0] == 99 && is_moved(pages));
	pages[0] = 0;
	CHECK(are_whole(pages) && !ibv_dereg_mr(mr));
}

static volatile bool is_over;

static void *count(void *counter)
{
	long own = 0;
	while (!is_over) {
		++*(volatile long *) counter;
		own++;
	}
	CHECK(*(volatile long *) counter == own);
	return NULL;
}

/* No write of another thread is lost while its page moves there and back. */
static void test_writers(void)
{
	char *pages = map_pages();
	pthread_t threads[2];
	memset(pages, 0, BYTES);
	for (int i = 0; i < 2; i++)
		CHECK(!pthread_create(&threads[i], NULL, count, pages + i * 2 * PAGE));
	for (int i = 0; i < 30; i++)
		CHECK(moves(pages, BYTES, REMOTE));
	is_over = true;
	for (int i = 0; i < 2; i++)
		CHECK(!pthread_join(threads[i], NULL));
}

static sigjmp_buf escape;
static void on_segv(int signal) { (void) signal, siglongjmp(escape, 1); }

/* The program's handler still gets the program's faults. */
static void test_handler(void)
{
	struct sigaction action = { .sa_handler = on_segv };
	CHECK(!sigaction(SIGSEGV, &action, NULL));
	for (int i = 0; i < 3; i++) {
		if (!sigsetjmp(escape, 1)) {
			*(volatile int *) 8 = 1;
			CHECK(false);
		}
		CHECK(moves(map_pages(), BYTES, REMOTE));
	}
}

int main(int argc, char **argv)
{
	open_station(&s, false);
	if (argc == 1)
		test_conditions();
	test_end();
	test_unmapped();
	test_fork();
	if (argc == 2 && !strcmp(argv[1], "on"))
		test_writers();
	test_handler();
	printf("passed\n");
	return 0;
}
