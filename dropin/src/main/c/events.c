/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queues of events behind eventfds, and the rule that an object is destroyed only when its delivered events are
 * acknowledged.
 */
#define _GNU_SOURCE
#include "rdma4j.h"
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

void *new_with_events(size_t size, size_t events_at)
{
	char *object = calloc(1, size);
	if (!object)
		return NULL;
	struct event_queue *queue = (struct event_queue *) (object + events_at);
	queue->last = &queue->first;
	queue->fd = eventfd(0, EFD_SEMAPHORE | EFD_CLOEXEC);
	return queue->fd < 0 ? give_up(object) : object;
}

void close_events(struct event_queue *queue)
{
	while (queue->first) {
		struct event *event = queue->first;
		queue->first = event->next;
		free(event);
	}
	close(queue->fd);
}

void count_events(void *env, void *type, int32_t fd, int32_t change)
{
	(void) env, (void) type;
	eventfd_t one;
	if (change > 0)
		eventfd_write(fd, 1);
	else if (poll(&(struct pollfd) { .fd = fd, .events = POLLIN }, 1, 0) == 1)
		eventfd_read(fd, &one);
}

static void push_event(struct event_queue *queue, int type, void *object, int port)
{
	struct event *event = calloc(1, sizeof *event);
	if (!event)
		return;
	if (object)
		event->async.element.object = object;
	else
		event->async.element.port_num = port;
	event->async.event_type = type;
	pthread_mutex_lock(&queue->lock);
	*queue->last = event;
	queue->last = &event->next;
	count_events(NULL, NULL, queue->fd, 1);
	pthread_mutex_unlock(&queue->lock);
}

/* --- by kind of event --- */

/*
 * What the queue that an event is about has for its acknowledgements; mutex is NULL for an event of a port or the
 * device.
 */
struct acknowledgements {
	pthread_mutex_t *mutex;
	pthread_cond_t *cond;
	uint32_t *completed, *delivered;
};

#define ACKNOWLEDGEMENTS(base, completed, delivered) \
	(struct acknowledgements) { &(base).mutex, &(base).cond, &(base).completed, &delivered }

static struct acknowledgements acknowledgements_of(const struct ibv_async_event *event)
{
	struct cq *cq = event->element.object;
	struct qp *qp = event->element.object;
	struct srq *srq = event->element.object;
	switch (event->event_type) {
	case COMPLETION:
		return ACKNOWLEDGEMENTS(cq->ex.base, comp_events_completed, cq->comp_events_delivered);
	case CQ_ERR:
		return ACKNOWLEDGEMENTS(cq->ex.base, async_events_completed, cq->async_events_delivered);
	case QP_FATAL ... 7 /* PATH_MIG_ERR */: case 16 /* QP_LAST_WQE_REACHED */:
		return ACKNOWLEDGEMENTS(qp->ex.base, events_completed, qp->events_delivered);
	case SRQ_ERR: case 15 /* SRQ_LIMIT_REACHED */:
		return ACKNOWLEDGEMENTS(srq->base, events_completed, srq->events_delivered);
	default:
		return (struct acknowledgements) { 0 };
	}
}

static void count_delivered(const struct ibv_async_event *event)
{
	struct acknowledgements to = acknowledgements_of(event);
	if (to.mutex)
		++*to.delivered;
}

/* --- queues --- */

int take_event(struct event_queue *queue, struct ibv_async_event *out)
{
	struct event *event = NULL;
	while (!event) {
		eventfd_t one;
		if (eventfd_read(queue->fd, &one))
			return -1;
		pthread_mutex_lock(&queue->lock);
		event = queue->first;
		if (event) { /* else it was dropped between the two lines above */
			queue->first = event->next;
			if (!queue->first)
				queue->last = &queue->first;
			*out = event->async;
			count_delivered(out);
		}
		pthread_mutex_unlock(&queue->lock);
	}
	free(event);
	return 0;
}

void drop_events(struct event_queue *queue, const void *object)
{
	pthread_mutex_lock(&queue->lock);
	struct event **link = &queue->first;
	while (*link) {
		struct event *event = *link;
		if (event->async.element.object != object) {
			link = &event->next;
			continue;
		}
		*link = event->next;
		free(event);
		/* Another thread may have read the count already, and waits for the lock: it finds nothing and reads again. */
		count_events(NULL, NULL, queue->fd, -1);
	}
	queue->last = link;
	pthread_mutex_unlock(&queue->lock);
}

void await_acknowledged(int event_type, void *object)
{
	struct ibv_async_event event = { .element.object = object, .event_type = event_type };
	struct acknowledgements of = acknowledgements_of(&event);
	pthread_mutex_lock(of.mutex);
	while (*of.completed != *of.delivered)
		pthread_cond_wait(of.cond, of.mutex);
	pthread_mutex_unlock(of.mutex);
}

static void acknowledge(const struct ibv_async_event *event, unsigned count)
{
	struct acknowledgements to = acknowledgements_of(event);
	if (!to.mutex)
		return;
	pthread_mutex_lock(to.mutex);
	*to.completed += count;
	pthread_cond_broadcast(to.cond);
	pthread_mutex_unlock(to.mutex);
}

void raise_completion(void *env, void *type, int64_t queue)
{
	(void) env, (void) type;
	struct ibv_cq *cq = (struct ibv_cq *) queue;
	push_event(&CONTAINER(cq->channel, struct channel, base)->events, COMPLETION, cq, 0);
}

void raise_async(void *env, void *type, int64_t context, int32_t event, int64_t object, int32_t port)
{
	(void) env, (void) type;
	/* The context is the first member of every queue. */
	struct ibv_context *owner = object ? *(struct ibv_context **) object : (struct ibv_context *) context;
	push_event(&context_of(owner)->events, event, (void *) object, port);
}

/* --- verbs --- */

PUBLIC struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *context)
{
	struct channel *channel = new_with_events(sizeof *channel, offsetof(struct channel, events));
	if (!channel)
		return NULL;
	channel->base.context = context;
	channel->base.fd = channel->events.fd;
	return &channel->base;
}

PUBLIC int ibv_destroy_comp_channel(struct ibv_comp_channel *base)
{
	if (base->refcnt)
		return EBUSY;
	struct channel *channel = CONTAINER(base, struct channel, base);
	close_events(&channel->events);
	free(channel);
	return 0;
}

PUBLIC int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **cq_context)
{
	struct ibv_async_event event;
	if (take_event(&CONTAINER(channel, struct channel, base)->events, &event))
		return -1;
	*cq = event.element.object;
	*cq_context = (*cq)->cq_context;
	return 0;
}

PUBLIC void ibv_ack_cq_events(struct ibv_cq *cq, unsigned count)
{
	acknowledge(&(struct ibv_async_event) { .element.object = cq, .event_type = COMPLETION }, count);
}

PUBLIC int ibv_get_async_event(struct ibv_context *context, struct ibv_async_event *event)
{
	return take_event(&context_of(context)->events, event);
}

PUBLIC void ibv_ack_async_event(struct ibv_async_event *event) { acknowledge(event, 1); }
