/* SPDX-License-Identifier: Apache-2.0 */
/* What programs do to their process: fork, small stacks, signals, exit with everything open. */
#include "program.h"
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>

enum { ENDED_BY_HANDLER = 7 };

static struct station s;

static bool jvm_is_loaded(void)
{
	char line[4096];
	bool found = false;
	FILE *maps = fopen("/proc/self/maps", "r");
	CHECK(maps);
	while (fgets(line, sizeof line, maps))
		found |= strstr(line, "libjvm.so") != NULL;
	fclose(maps);
	return found;
}

/*
 * The child has none of the JVM's threads. The parent carries out commands with numbers only, on its own objects; the other verbs refuse,
 * and execv works as before.
 */
static void child_of_fork(void)
{
	struct ibv_wc wc;
	CHECK(poll_cq(s.cq, 1, &wc) == -EIO);
	CHECK(notify(s.cq, 0) == EIO);
	CHECK(!ibv_reg_mr(s.pd, s.buffer, BUFFER, LOCAL_WRITE) && errno == EIO);
	CHECK(!ibv_get_device_list(NULL) && errno == ENODEV);
	struct ibv_pd *pd = ibv_alloc_pd(s.context);
	CHECK(pd && pd->handle != s.pd->handle && !ibv_dealloc_pd(pd));
	CHECK(ibv_dealloc_pd(s.pd) == EBUSY);
	struct verbs_context *verbs = verbs_of(s.context);
	struct ibv_dm *dm = verbs->alloc_dm(s.context, &(struct ibv_alloc_dm_attr) { .length = 64 });
	CHECK(dm && dm->memcpy_to_dm(dm, 0, "abcd", 4) == EIO && !verbs->free_dm(dm));
	execlp("true", "true", (char *) NULL);
	_exit(9);
}

/* A child that was made before the first verb has a JVM of its own; so has its parent, later. */
static void test_early_fork(void)
{
	int status;
	pid_t child = fork();
	if (!child) {
		open_station(&s, true);
		exit(jvm_is_loaded() ? 0 : 9);
	}
	CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
	CHECK(!jvm_is_loaded());
}

static void test_fork(void)
{
	pid_t child = fork();
	if (!child)
		child_of_fork();
	int status;
	CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void *poll_once(void *out)
{
	struct ibv_wc wc;
	*(int *) out = poll_cq(s.cq, 1, &wc);
	return NULL;
}

static int poll_on_stack_of(size_t bytes)
{
	pthread_attr_t attributes;
	pthread_t thread;
	int result = 1;
	pthread_attr_init(&attributes);
	CHECK(!pthread_attr_setstacksize(&attributes, bytes));
	CHECK(!pthread_create(&thread, &attributes, poll_once, &result));
	CHECK(!pthread_join(thread, NULL));
	return result;
}

static void test_stacks(void)
{
	CHECK(poll_on_stack_of(64 * 1024) == -ENOMEM);
	CHECK(poll_on_stack_of(256 * 1024) == 0);
}

static sigjmp_buf escape;
static volatile int caught;

static void on_segv(int signal)
{
	(void) signal;
	caught++;
	siglongjmp(escape, 1);
}

/* A handler that the program installs after the JVM has started gets the program's faults, and the JVM gets its own. */
static void test_segv(void)
{
	struct sigaction action = { .sa_handler = on_segv };
	CHECK(!sigaction(SIGSEGV, &action, NULL));
	for (int i = 0; i < 3; i++) {
		if (!sigsetjmp(escape, 1))
			*(volatile int *) 8 = 1;
		CHECK(caught == i + 1);
		/* Objects are made and destroyed, so that the JVM collects garbage and compiles, with its safepoints. */
		for (int k = 0; k < 300; k++) {
			struct ibv_cq *cq = ibv_create_cq(s.context, 16, NULL, NULL, 0);
			struct ibv_wc wc;
			CHECK(cq && poll_cq(cq, 1, &wc) == 0 && !ibv_destroy_cq(cq));
		}
	}
}

/*
 * The address of the first device is in use. The program gets on with the second one, leaves everything open and ends by
 * SIGINT, which it does not handle.
 */
static void test_busy_device_and_interrupt(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	signal(SIGINT, SIG_DFL); /* a shell starts background jobs with SIGINT ignored */
	CHECK(list && list[0] && list[1]);
	CHECK(!ibv_open_device(list[0]) && errno == EBUSY);
	CHECK((s.context = ibv_open_device(list[1])));
	open_station(&s, true);
	raise(SIGINT);
}

/*
 * A handler of the program that interrupts a verb and calls another one gets EIO, and may end the process. With 1 the
 * test ends if no such handler runs.
 */
static void on_alarm(int signal)
{
	struct ibv_wc wc;
	(void) signal;
	if (poll_cq(s.cq, 1, &wc) == -EIO)
		exit(ENDED_BY_HANDLER);
}

static void test_handler_that_calls_verbs(void)
{
	struct sigaction action = { .sa_handler = on_alarm };
	struct itimerval often = { { 0, 500 }, { 0, 500 } };
	struct ibv_wc wc;
	open_station(&s, false);
	CHECK(!sigaction(SIGALRM, &action, NULL) && !setitimer(ITIMER_REAL, &often, NULL));
	for (int i = 0; i < 100 * 1000 * 1000; i++)
		CHECK(poll_cq(s.cq, 1, &wc) == 0);
}

int main(int argc, char **argv)
{
	CHECK(!jvm_is_loaded()); /* programs that load the library and never use it pay nothing */
	if (argc > 1 && !strcmp(argv[1], "handler")) {
		test_handler_that_calls_verbs();
		return 1;
	}
	if (argc > 1) {
		test_busy_device_and_interrupt();
		return 3;
	}
	test_early_fork();
	open_station(&s, true);
	CHECK(jvm_is_loaded());
	test_fork();
	test_stacks();
	test_segv();
	printf("passed\n");
	return 0; /* exit() with everything open */
}
