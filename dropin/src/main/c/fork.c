/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Children of fork(). They have none of the JVM's threads. Commands whose arguments are numbers are carried out by the
 * parent, whose objects they concern, as with a file of the kernel that both have open. Everything else fails with EIO.
 */
#define _GNU_SOURCE
#include "rdma4j.h"
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

enum { MAX_ARGUMENTS = 3 };

struct request { int64_t command, arguments[MAX_ARGUMENTS]; };

/* An abstract address, which leaves no file behind. */
static struct sockaddr_un address;
static socklen_t address_length;
static int listener = -1;

/* The number of arguments of a command that the parent carries out for a child; 0 for the others. */
static int arguments_for_parent(int64_t command)
{
	switch (command) {
	case ALLOC_PD: case DEALLOC_PD: case FREE_DM: return 1;
	case ALLOC_DM: return 3;
	default: return 0;
	}
}

/* Only processes of this user may ask. */
static void answer(int fd)
{
	struct request request;
	struct ucred peer;
	socklen_t length = sizeof peer;
	struct timeval limit = { .tv_sec = 1 };
	int64_t result = -EIO;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) || peer.uid != geteuid())
		return;
	if (recv(fd, &request, sizeof request, MSG_WAITALL) != sizeof request)
		return;
	if (arguments_for_parent(request.command))
		result = call_java((enum command) request.command, request.arguments);
	send(fd, &result, sizeof result, MSG_NOSIGNAL);
}

static void *serve(void *unused)
{
	(void) unused;
	for (;;) {
		int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
		if (fd < 0 && (errno == EBADF || errno == ENOTSOCK || errno == EINVAL || errno == EOPNOTSUPP))
			return NULL; /* the program has closed all descriptors; the number may be that of another file by now */
		if (fd < 0) {
			usleep(1000); /* the process may have too many descriptors at the moment */
			continue;
		}
		answer(fd);
		close(fd);
	}
}

/* At the first fork: opens the socket and starts the thread, which gets no signals of the program. */
void serve_children(void)
{
	sigset_t all, before;
	pthread_t thread;
	if (listener >= 0 || (listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) < 0)
		return;
	struct sockaddr *self = (struct sockaddr *) &address;
	self->sa_family = AF_UNIX;
	address_length = sizeof address;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (!bind(listener, self, sizeof self->sa_family) && !getsockname(listener, self, &address_length)
		&& !listen(listener, SOMAXCONN) && !pthread_create(&thread, NULL, serve, NULL)) {
		pthread_detach(thread);
	} else {
		close(listener);
		listener = -1;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void close_in_child(void)
{
	if (listener >= 0)
		close(listener);
}

int ask_parent(enum command command, const int64_t *arguments)
{
	struct request request = { .command = command };
	int64_t result = -EIO;
	int count = arguments_for_parent(command);
	int fd = count && listener >= 0 ? socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) : -1;
	if (fd < 0)
		return -EIO;
	memcpy(request.arguments, arguments, count * sizeof *arguments);
	if (connect(fd, (struct sockaddr *) &address, address_length)
		|| send(fd, &request, sizeof request, MSG_NOSIGNAL) != sizeof request
		|| recv(fd, &result, sizeof result, MSG_WAITALL) != sizeof result)
		result = -EIO;
	close(fd);
	return (int) result;
}
