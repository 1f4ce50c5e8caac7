/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the parts of the library share: the calls into Java, the queues of events, and the private ends of public
 * structures.
 */
#ifndef RDMA4J_H
#define RDMA4J_H

#include "abi.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

/* A verb that Java carries out. Command.java has the same names in the same order. */
enum command {
	LIST_DEVICES, OPEN_DEVICE, CLOSE_DEVICE, QUERY_DEVICE, QUERY_PORT, QUERY_GID, QUERY_GID_TABLE, QUERY_PKEY,
	ALLOC_PD, DEALLOC_PD, IMPORT, ADVISE_MR, REG_MR, REREG_MR, DEREG_MR, ALLOC_MW, BIND_MW, DEALLOC_MW,
	ALLOC_DM, COPY_DM, REG_DM_MR, FREE_DM,
	CREATE_CQ, RESIZE_CQ, MODIFY_CQ, DESTROY_CQ, CREATE_SRQ, MODIFY_SRQ, QUERY_SRQ, GET_SRQ_NUM, DESTROY_SRQ,
	OPEN_XRCD, CLOSE_XRCD, CREATE_QP, OPEN_QP, MODIFY_QP, QUERY_QP, DESTROY_QP, ATTACH_MCAST, DETACH_MCAST,
	CREATE_AH, INIT_AH_FROM_WC, DESTROY_AH, WRITE_FILES, CM_OPEN, CM_COMMAND, CM_CLOSE, BEFORE_FORK, EXIT
};

/*
 * Functions of Java, all of one shape. The data functions return what the verb returns; `command` a number >= 0 or a
 * negative errno.
 */
struct java {
	int (*command)(int64_t number, int64_t arguments, int64_t unused);
	int (*post_send)(int64_t qp, int64_t wr, int64_t bad);
	int (*post_recv)(int64_t qp, int64_t wr, int64_t bad);
	int (*post_srq_recv)(int64_t srq, int64_t wr, int64_t bad);
	int (*poll_cq)(int64_t cq, int64_t entries, int64_t wc); /* upper half of entries: distance of elements in bytes */
	int (*req_notify_cq)(int64_t cq, int64_t solicited_only, int64_t unused);
};
extern struct java java;
/*
 * This thread is in a call into Java. A signal handler that runs meanwhile cannot call Java: the JVM would abort. In
 * exit() it does not; the next program deletes the files, as those of a killed one.
 */
extern __thread __attribute__((tls_model("initial-exec"))) bool in_java;
#define JAVA(function, ...) \
	({ in_java = true; int java_result = java.function(__VA_ARGS__); in_java = false; java_result; })

#define ADDRESS(pointer) ((int64_t) (intptr_t) (pointer))

/* Starts the JVM once in a process; 0 or an errno. */
int start_jvm(void);
/* Whether this thread can call Java: 0 or an errno. The first call of a thread looks at its stack. */
int enter_java(void);
/* The stack of this thread: 0 or an errno. */
int own_stack(char **lowest, size_t *size);
/* Does not return in a thread that gets an answer while another one is in exit(). */
void await_exit(void);
/* Calls Java; a number >= 0 or a negative errno, which is also in `errno`. */
int call_java(enum command, const int64_t *arguments);
/* Fork handlers: before a fork of a process with a JVM, and in the child. The child needs the lock, too. */
void serve_children(void);
void close_in_child(void);
void lock_device_files(void);
void unlock_device_files(void);
/* In the child: lets the parent carry out a command, if its arguments are numbers only; as call_java. */
int ask_parent(enum command, const int64_t *arguments);
#define CALL(command, ...) call_java(command, (int64_t[]) { __VA_ARGS__ })
/* For verbs that return an errno: 0 or the errno. VERB defines one that is a single command. */
#define STATUS(command, ...) errno_of(CALL(command, __VA_ARGS__))
#define VERB(linkage, name, parameters, ...) linkage int name parameters { return STATUS(__VA_ARGS__); }
static inline int errno_of(int result) { return result < 0 ? -result : 0; }
/*
 * A structure whose first member is the context. Its mutexes and conditions are those of glibc's initializers, which
 * are zero. NULL and errno.
 */
static inline void *new_object(struct ibv_context *context, size_t size)
{
	struct ibv_context **object = calloc(1, size);
	if (object)
		*object = context;
	return object;
}
/* Creates an object of Java for a structure and writes its handle; frees the structure on failure. NULL and errno. */
static inline void *create_object(void *object, size_t handle_at, enum command command, const int64_t *arguments)
{
	int handle = object ? call_java(command, arguments) : -1;
	if (handle < 0)
		return free(object), NULL;
	*(int *) ((char *) object + handle_at) = handle;
	return object;
}
#define CREATE_AT(object, type, member, command, ...) \
	create_object(object, offsetof(struct type, member), command, (int64_t[]) { __VA_ARGS__ })
#define CREATE(context, type, member, command, ...) \
	CREATE_AT(new_object(context, sizeof(struct type)), type, member, command, __VA_ARGS__)
/* Destroys what Java knows by a handle, and frees the structure of C: 0 or the errno. */
static inline int destroy_object(enum command command, int handle, void *object)
{
	int error = STATUS(command, handle);
	if (!error)
		free(object);
	return error;
}
static inline void *refused(int error) { return errno = error, NULL; }
/* Frees an object that could not be created; errno is set. */
static inline void *give_up(void *object) { return free(object), NULL; }

/* --- events --- */

/* Asynchronous events of a context or completion events of a channel. The eventfd counts what is queued. */
struct event_queue {
	pthread_mutex_t lock;
	int fd;
	struct event *first, **last;
};

struct event {
	struct event *next;
	struct ibv_async_event async; /* element.object is the queue of a completion event */
};

/* An object of this size with a queue in it; NULL and errno. */
void *new_with_events(size_t size, size_t events_at);
void close_events(struct event_queue *);
/*
 * Takes the oldest event, and counts it as delivered under the lock; blocks as the descriptor does. 0, or -1 and errno.
 */
int take_event(struct event_queue *, struct ibv_async_event *);
/* Discards the queued events of an object that is destroyed. */
void drop_events(struct event_queue *, const void *object);
/* Waits until the events of an object's type that were delivered are acknowledged. */
void await_acknowledged(int event_type, void *object);
enum { COMPLETION = -1, CQ_ERR = 0, QP_FATAL = 1, SRQ_ERR = 14 };

/* --- native methods of CEvents.java, on the thread that calls them --- */

void raise_completion(void *env, void *type, int64_t cq);
void raise_async(void *env, void *type, int64_t context, int32_t event, int64_t object, int32_t port);
/* Counts an event that was queued (1), or removed without being fetched (-1). */
void count_events(void *env, void *type, int32_t fd, int32_t change);
int32_t move_pages(void *env, void *type, int64_t pages, int64_t bytes, int64_t file);
uint8_t is_only_thread(void *env, void *type);
void copy_for_child(void *env, void *type, int64_t pages, int64_t bytes);
/* Whether a child of fork() may need copies of pages; ends them behind the fork. */
bool have_pages_moved(void);
void end_copies(bool is_child);

/* --- public structures with what this library keeps of them --- */

struct context {
	struct event_queue events;
	int handle;
	struct context *origin; /* what it was imported from, or itself */
	int users; /* of an origin: how many contexts have its handle */
	uint8_t attributes[400]; /* struct ibv_device_attr_ex, which stays the same; children of fork() read it, too */
	struct verbs_context verbs;
};

struct td { struct ibv_td base; uint32_t parents; };

struct pd {
	struct ibv_pd base;
	struct pd *protection; /* of a parent domain: the domain that it was made of */
	struct td *thread; /* of a parent domain, or NULL */
	uint32_t parents; /* parent domains that were made of it */
};

struct channel {
	struct ibv_comp_channel base;
	struct event_queue events;
};

enum { POLL_BATCH = 16 };

/* A completion of ibv_start_poll. */
struct polled { struct ibv_wc wc; uint64_t timestamp; };

struct cq {
	struct ibv_cq_ex ex;
	uint32_t comp_events_delivered, async_events_delivered;
	unsigned empty_polls; /* in a row */
	uint64_t polled_at;
	int next, count;
	struct polled polled[POLL_BATCH];
};

struct srq {
	struct ibv_srq base;
	uint32_t events_delivered;
};

struct send_batch;

struct qp {
	struct ibv_qp_ex ex;
	uint32_t events_delivered;
	struct send_batch *batch; /* NULL: created without ibv_qp_ex */
};

struct xrcd { struct ibv_xrcd base; int handle; };

#define CONTAINER(pointer, type, member) ((type *) ((char *) (pointer) - offsetof(type, member)))
static inline struct context *context_of(struct ibv_context *c) { return CONTAINER(c, struct context, verbs.context); }

/* Sets the functions of a completion queue with ibv_start_poll, and those of a queue pair with ibv_wr_*. */
void set_cq_ex_functions(struct cq *);
/* As ibv_poll_cq, into an array of struct ibv_wc or of struct polled. */
int poll_array(struct cq *, int entries, size_t size, void *array);
/* Lets ibv_start_poll skip what it has polled of a queue pair that went to RESET. */
void discard_polled(struct ibv_cq *, uint32_t qp_num);
int set_qp_ex_functions(struct qp *, const struct ibv_qp_cap *);

/* An entry of the GID table: 0 or an errno. The flag asks for an answer also for an empty entry. */
int query_gid(struct ibv_context *, uint32_t port, uint32_t index, struct ibv_gid_entry *out, bool empty);

/* Sets the functions of device memory, unless it is NULL. */
struct ibv_dm *set_dm_functions(struct ibv_dm *);

/* The verbs that programs reach through the context only. */
void set_domain_functions(struct verbs_context *);
void set_object_functions(struct verbs_context *);
void set_queue_functions(struct verbs_context *);

#define PUBLIC __attribute__((visibility("default")))

/* In a function that stands in front of one of libc of the same name: finds that one, for its variable `next`. */
#define NEXT(name) do { if (!next) *(void **) &next = dlsym(RTLD_NEXT, #name); } while (0)

#endif
