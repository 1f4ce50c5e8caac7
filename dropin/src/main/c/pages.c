/* SPDX-License-Identifier: Apache-2.0 */
/* Pages that move into shared memory and back, see SharedPages.java, and the threads that may write to them. */
#define _GNU_SOURCE
#include "rdma4j.h"
#include <dlfcn.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- threads --- */

static int own_threads; /* running threads of the JVM and of this library; all others are the program's */

struct routine { void *(*run)(void *); void *argument; };

static void *run_own(void *started)
{
	struct routine routine = *(struct routine *) started;
	free(started);
	__atomic_fetch_add(&own_threads, 1, __ATOMIC_SEQ_CST);
	void *result = routine.run(routine.argument);
	__atomic_fetch_sub(&own_threads, 1, __ATOMIC_SEQ_CST);
	return result;
}

PUBLIC int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument)
{
	static int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	Dl_info caller;
	NEXT(pthread_create);
	if (!dladdr(__builtin_return_address(0), &caller)
		|| !(strstr(caller.dli_fname, "/libjvm.so") || strstr(caller.dli_fname, "libibverbs.so")))
		return next(thread, attributes, run, argument);
	struct routine *routine = malloc(sizeof *routine);
	if (!routine)
		return EAGAIN;
	*routine = (struct routine) { run, argument };
	int error = next(thread, attributes, run_own, routine);
	if (error)
		free(routine);
	return error;
}

uint8_t is_only_thread(void *env, void *type)
{
	(void) env, (void) type;
	static int tries = 16; /* a thread of the JVM that begins or ends is not counted for a moment */
	struct stat tasks;
	while (!stat("/proc/self/task", &tasks)) {
		/* Two links are those of any directory. */
		if ((int) tasks.st_nlink - 2 == __atomic_load_n(&own_threads, __ATOMIC_SEQ_CST) + 1)
			return true;
		if (tries <= 0)
			break;
		tries--;
		usleep(1000);
	}
	return false;
}

/* --- moves --- */

/* Number of the latest move, and whether it is under way. SharedPages.java makes one at a time. */
static unsigned move_number;
static bool is_moving;
static struct sigaction handler_of_jvm;

/* A thread that writes to pages which move waits, and writes again. If the fault is its own, it comes once more. */
static void on_fault(int signal, siginfo_t *info, void *machine)
{
	static __thread __attribute__((tls_model("initial-exec"))) unsigned waited_for;
	unsigned number = __atomic_load_n(&move_number, __ATOMIC_ACQUIRE);
	if (info->si_code <= 0 || waited_for == number) {
		handler_of_jvm.sa_sigaction(signal, info, machine);
		return;
	}
	while (__atomic_load_n(&is_moving, __ATOMIC_ACQUIRE))
		sched_yield();
	waited_for = number;
}

/* In front of the JVM's handler. libjsig keeps those that the program installs behind it. */
static void watch_faults(void)
{
	void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
	int (*set)(int, const struct sigaction *, struct sigaction *);
	*(void **) &set = libc ? dlsym(libc, "sigaction") : NULL;
	if (!set || set(SIGSEGV, NULL, &handler_of_jvm) || !(handler_of_jvm.sa_flags & SA_SIGINFO))
		return;
	struct sigaction own = handler_of_jvm;
	own.sa_sigaction = on_fault;
	set(SIGSEGV, &own, NULL);
}

int32_t move_pages(void *env, void *type, int64_t pages_at, int64_t length, int64_t file_at)
{
	(void) env, (void) type;
	void *pages = (void *) pages_at, *file = (void *) file_at;
	size_t bytes = (size_t) length;
	static pthread_once_t watched = PTHREAD_ONCE_INIT;
	sigset_t handlers, before;
	char *stack;
	size_t size;
	/* The stack of this thread would change meanwhile. */
	if (own_stack(&stack, &size) || ((char *) pages < stack + size && stack < (char *) pages + bytes))
		return EINVAL;
	void *to = file ? file : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (to == MAP_FAILED)
		return errno;
	pthread_once(&watched, watch_faults);
	sigfillset(&handlers); /* a handler of the program that writes to the pages would wait for this thread */
	sigdelset(&handlers, SIGSEGV);
	pthread_sigmask(SIG_SETMASK, &handlers, &before);
	is_moving = true;
	__atomic_fetch_add(&move_number, 1, __ATOMIC_SEQ_CST);
	int error = mprotect(pages, bytes, PROT_READ) ? errno : 0;
	if (!error) {
		memcpy(to, pages, bytes);
		/* From a shared mapping and 0 bytes mremap() makes another mapping of the same pages. */
		if (mremap(to, file ? 0 : bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, pages) == MAP_FAILED) {
			error = errno;
			mprotect(pages, bytes, PROT_READ | PROT_WRITE);
		}
	}
	__atomic_store_n(&is_moving, false, __ATOMIC_RELEASE);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error && !file)
		munmap(to, bytes);
	return error;
}

/* --- fork: a child gets copies of the pages, as Linux copies pinned ones --- */

static struct copy { struct copy *next; char *pages, *copy; size_t bytes; } *copies;

bool have_pages_moved(void) { return __atomic_load_n(&move_number, __ATOMIC_RELAXED) > 0; }

void copy_for_child(void *env, void *type, int64_t pages, int64_t bytes)
{
	(void) env, (void) type;
	struct copy *copy = malloc(sizeof *copy);
	if (!copy)
		return;
	void *to = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (to != MAP_FAILED)
		memcpy(to, (void *) pages, bytes);
	*copy = (struct copy) { copies, (char *) pages, to, bytes };
	copies = copy;
}

/* Without memory for a copy the child has no such pages. */
void end_copies(bool is_child)
{
	while (copies) {
		struct copy *copy = copies;
		copies = copy->next;
		if (!is_child && copy->copy != MAP_FAILED)
			munmap(copy->copy, copy->bytes);
		else if (is_child && (copy->copy == MAP_FAILED
			|| mremap(copy->copy, copy->bytes, copy->bytes, MREMAP_MAYMOVE | MREMAP_FIXED, copy->pages) == MAP_FAILED))
			munmap(copy->pages, copy->bytes);
		free(copy);
	}
}
