/* SPDX-License-Identifier: Apache-2.0 */
/* The JVM of the process: where it lies, how it starts, and which threads may call it. */
#define _GNU_SOURCE
#include "rdma4j.h"
#include "ucma.h"
#include <dlfcn.h>
#include <jni.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MAX_OPTIONS = 48, LEAST_STACK = 128 * 1024 };

struct java java;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int start_error = ENODEV;
/* Set in the child of fork(), which has none of the JVM's threads, and when the process ends. */
static volatile int dead;
static bool is_child;
static __thread int stack_is_large_enough;
__thread bool in_java;

#define complain(...) fprintf(stderr, "rdma4j: " __VA_ARGS__)

/* --- start --- */

static void *open_libjvm(void)
{
	static const char *const variables[] = { "RDMA4J_JAVA_HOME", "JAVA_HOME" };
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
		const char *home = getenv(variables[i]);
		char path[4096];
		if (!home || snprintf(path, sizeof path, "%s/lib/server/libjvm.so", home) >= (int) sizeof path)
			continue;
		void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
		if (library)
			return library;
		complain("%s\n", dlerror());
	}
	complain("no JVM: set RDMA4J_JAVA_HOME to the directory of a JDK 25, or start the program with './rdma4j run'\n");
	return NULL;
}

/* Splits the words of RDMA4J_JVM_OPTIONS, which stay in the copy as long as the process. */
static int add_words(JavaVMOption *options, int count)
{
	const char *words = getenv("RDMA4J_JVM_OPTIONS");
	char *save = NULL, *copy = words ? strdup(words) : NULL;
	for (char *word = copy ? strtok_r(copy, " ", &save) : NULL; word && count < MAX_OPTIONS;
		word = strtok_r(NULL, " ", &save))
		options[count++].optionString = word;
	return count;
}

static JNIEnv *create_jvm(void)
{
	/*
	 * -Xrs leaves SIGINT, SIGTERM and SIGHUP to the program. The options are those of the start-up cache: see ./rdma4j.
	 */
	static const char *const fixed[] = {
		"-Xrs", "-XX:+UseSerialGC", "-Xmx256m", "-Xlog:disable",
		"-Xlog:all=warning:stderr", "--enable-native-access=ALL-UNNAMED"
	};
	JavaVMOption options[MAX_OPTIONS] = { 0 };
	const char *jars = getenv("RDMA4J_CLASS_PATH"), *cache = getenv("RDMA4J_AOT_CACHE");
	int count = 0;
	void *library = jars ? open_libjvm() : NULL;
	if (!jars)
		complain("RDMA4J_CLASS_PATH is not set: start the program with './rdma4j run'\n");
	if (!library || asprintf(&options[count++].optionString, "-Djava.class.path=%s", jars) < 0)
		return NULL;
	for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
		options[count++].optionString = (char *) fixed[i];
	/* Without the cache, or if it does not fit, the JVM starts slower. */
	if (cache && *cache && asprintf(&options[count++].optionString, "-XX:AOTCache=%s", cache) < 0)
		return NULL;
	count = add_words(options, count);
	jint (*create)(JavaVM **, void **, void *) =
		(jint (*)(JavaVM **, void **, void *)) dlsym(library, "JNI_CreateJavaVM");
	JavaVMInitArgs arguments = { .version = JNI_VERSION_21, .nOptions = count, .options = options };
	JavaVM *vm;
	JNIEnv *env = NULL;
	if (!create || create(&vm, (void **) &env, &arguments) != JNI_OK) {
		complain("the JVM does not start\n");
		return NULL;
	}
	return env;
}

static bool bind_java(JNIEnv *env)
{
	static const JNINativeMethod natives[] = {
		{ "completionEvent", "(J)V", (void *) raise_completion },
		{ "asyncEvent", "(JIJI)V", (void *) raise_async },
		{ "connectionEvents", "(II)V", (void *) count_events },
		{ "movePages", "(JJJ)I", (void *) move_pages },
		{ "isOnlyThread", "()Z", (void *) is_only_thread },
		{ "copyForChild", "(JJ)V", (void *) copy_for_child },
	};
	jclass type = (*env)->FindClass(env, "io/rdma4j/dropin/DropIn");
	jclass events = type ? (*env)->FindClass(env, "io/rdma4j/dropin/CEvents") : NULL;
	jmethodID start = events ? (*env)->GetStaticMethodID(env, type, "start", "(J)V") : NULL;
	if (start && !(*env)->RegisterNatives(env, events, natives, sizeof natives / sizeof *natives))
		(*env)->CallStaticVoidMethod(env, type, start, (jlong) ADDRESS(&java));
	if (!start || (*env)->ExceptionCheck(env)) {
		(*env)->ExceptionDescribe(env);
		return false;
	}
	return true;
}

/* --- end --- */

static void before_fork(void)
{
	if (!dead)
		serve_children();
	lock_device_files();
	if (!dead && have_pages_moved())
		CALL(BEFORE_FORK, 0);
	lock_cm_files();
}

static void after_fork(void)
{
	unlock_cm_files();
	end_copies(is_child);
	unlock_device_files();
}

static void in_child(void)
{
	dead = 1;
	is_child = true;
	after_fork();
	close_in_child();
}

static pthread_t exiting_thread;
static volatile int is_exiting;

void await_exit(void)
{
	while (is_exiting && !pthread_equal(pthread_self(), exiting_thread))
		pause();
}

/* Java's own hooks do not run in exit(): devices and files of the process are given back here. */
static void at_exit(void)
{
	if (dead)
		return;
	exiting_thread = pthread_self();
	__atomic_store_n(&is_exiting, 1, __ATOMIC_RELEASE);
	CALL(EXIT, 0);
	dead = 1;
}

static void start_once(void)
{
	JNIEnv *env = create_jvm();
	if (!env || !bind_java(env))
		return;
	pthread_atfork(before_fork, after_fork, in_child);
	atexit(at_exit);
	start_error = 0;
}

/* The errno of calls after the end of the process has begun, and in a child of fork(), where it is explained once. */
static __attribute__((cold)) int refuse(int error)
{
	static int explained;
	if (is_child && !__atomic_exchange_n(&explained, 1, __ATOMIC_RELAXED))
		complain("verbs do not work in this process: fork() made it after its parent had started to use verbs."
			" Fork earlier, or call exec in the child (Python: multiprocessing.set_start_method('spawn'))\n");
	return error;
}

int start_jvm(void)
{
	pthread_once(&once, start_once);
	return dead ? refuse(ENODEV) : start_error;
}

/* --- calls --- */

int own_stack(char **lowest, size_t *size)
{
	pthread_attr_t attributes;
	int error = pthread_getattr_np(pthread_self(), &attributes);
	if (!error) {
		pthread_attr_getstack(&attributes, (void **) lowest, size);
		pthread_attr_destroy(&attributes);
	}
	return error;
}

int enter_java(void)
{
	char *lowest;
	size_t size;
	if (__builtin_expect(dead || in_java, 0))
		return refuse(EIO);
	if (__builtin_expect(!stack_is_large_enough, 0))
		stack_is_large_enough = !own_stack(&lowest, &size) && size >= LEAST_STACK;
	return stack_is_large_enough ? 0 : ENOMEM;
}

static int call_from_child(enum command command, const int64_t *arguments)
{
	int result = ask_parent(command, arguments);
	return result == -EIO && command != CM_CLOSE ? -refuse(EIO) : result;
}

int call_java(enum command command, const int64_t *arguments)
{
	int error = is_child ? 0 : enter_java();
	int result = is_child ? call_from_child(command, arguments)
		: error ? -error : JAVA(command, command, ADDRESS(arguments), 0);
	if (result < 0)
		errno = -result;
	return result;
}
