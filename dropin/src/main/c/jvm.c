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

static void complain(const char *message, const char *detail)
{
	fprintf(stderr, "rdma4j: %s%s\n", message, detail ? detail : "");
}

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
		complain("", dlerror());
	}
	complain(
		"no JVM: set RDMA4J_JAVA_HOME to the directory of a JDK 25, or start the program with './rdma4j run'", NULL);
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
	char class_path[16384], cache[4096];
	const char *jars = getenv("RDMA4J_CLASS_PATH"), *cache_file = getenv("RDMA4J_AOT_CACHE");
	int count = 0;
	void *library = jars ? open_libjvm() : NULL;
	if (!jars)
		complain("RDMA4J_CLASS_PATH is not set: start the program with './rdma4j run'", NULL);
	if (!library)
		return NULL;
	if (snprintf(class_path, sizeof class_path, "-Djava.class.path=%s", jars) >= (int) sizeof class_path) {
		complain("RDMA4J_CLASS_PATH is longer than 16 KiB", NULL);
		return NULL;
	}
	options[count++].optionString = class_path;
	for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
		options[count++].optionString = (char *) fixed[i];
	if (cache_file && *cache_file) { /* without it, or if it does not fit, the JVM starts slower */
		snprintf(cache, sizeof cache, "-XX:AOTCache=%s", cache_file);
		options[count++].optionString = cache;
	}
	count = add_words(options, count);
	jint (*create)(JavaVM **, void **, void *) =
		(jint (*)(JavaVM **, void **, void *)) dlsym(library, "JNI_CreateJavaVM");
	JavaVMInitArgs arguments = { .version = JNI_VERSION_21, .nOptions = count, .options = options };
	JavaVM *vm;
	JNIEnv *env = NULL;
	if (!create || create(&vm, (void **) &env, &arguments) != JNI_OK) {
		complain("the JVM does not start", NULL);
		return NULL;
	}
	return env;
}

static void JNICALL completion_event(JNIEnv *env, jclass type, jlong cq)
{
	(void) env, (void) type;
	raise_completion((struct ibv_cq *) (intptr_t) cq);
}

static void JNICALL async_event(JNIEnv *env, jclass type, jlong context, jint event, jlong object, jint port)
{
	(void) env, (void) type;
	raise_async((struct ibv_context *) (intptr_t) context, event, (void *) (intptr_t) object, port);
}

static void JNICALL connection_events(JNIEnv *env, jclass type, jint fd, jint change)
{
	(void) env, (void) type;
	count_cm_events(fd, change);
}

static jint JNICALL move_pages(JNIEnv *env, jclass type, jlong pages, jlong bytes, jlong file)
{
	(void) env, (void) type;
	return move_pages_to((void *) (intptr_t) pages, (size_t) bytes, (void *) (intptr_t) file);
}

static bool bind_java(JNIEnv *env)
{
	static const JNINativeMethod natives[] = {
		{ "completionEvent", "(J)V", (void *) completion_event },
		{ "asyncEvent", "(JIJI)V", (void *) async_event },
		{ "connectionEvents", "(II)V", (void *) connection_events },
		{ "movePages", "(JJJ)I", (void *) move_pages },
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
	lock_cm_files();
}

static void after_fork(void)
{
	unlock_cm_files();
	unlock_device_files();
}

static void in_child(void)
{
	after_fork();
	dead = 1;
	is_child = true;
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
			" Fork earlier, or call exec in the child (Python: multiprocessing.set_start_method('spawn'))", NULL);
	return error;
}

int start_jvm(void)
{
	pthread_once(&once, start_once);
	return dead ? refuse(ENODEV) : start_error;
}

/* --- calls --- */

static int examine_stack(void)
{
	pthread_attr_t attributes;
	void *base;
	size_t size = 0;
	if (pthread_getattr_np(pthread_self(), &attributes))
		return ENOMEM;
	pthread_attr_getstack(&attributes, &base, &size);
	pthread_attr_destroy(&attributes);
	if (size < LEAST_STACK)
		return ENOMEM;
	stack_is_large_enough = 1;
	return 0;
}

int enter_java(void)
{
	if (__builtin_expect(dead, 0))
		return refuse(EIO);
	return __builtin_expect(stack_is_large_enough, 1) ? 0 : examine_stack();
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
		: error ? -error : java.command(command, ADDRESS(arguments), 0);
	if (result < 0)
		errno = -result;
	return result;
}
