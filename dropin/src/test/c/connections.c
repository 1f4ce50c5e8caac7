/* SPDX-License-Identifier: Apache-2.0 */
/*
 * connections | connections server | connections ADDRESS PORT
 * Both ends of connections, or one of them, by the commands of rdma_cm, as librdmacm writes them to /dev/infiniband/rdma_cm. Runs preloaded. The names of structures are those of
 * <rdma/rdma_user_cm.h> without "rdma_ucm_".
 */
#include "program.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum {
	CREATE_ID, DESTROY_ID, BIND_IP, RESOLVE_IP, RESOLVE_ROUTE, QUERY_ROUTE, CONNECT, LISTEN, ACCEPT, REJECT, DISCONNECT, INIT_QP_ATTR, GET_EVENT, GET_OPTION,
	SET_OPTION, NOTIFY, JOIN_IP_MCAST, LEAVE_MCAST, MIGRATE_ID, QUERY, BIND, RESOLVE_ADDR, JOIN_MCAST, RESOLVE_IB_SERVICE, WRITE_CM_EVENT
};
enum {
	ADDR_RESOLVED, ROUTE_RESOLVED = 2, CONNECT_REQUEST = 4, CONNECT_RESPONSE, REJECTED = 8, ESTABLISHED, DISCONNECTED, MULTICAST_JOIN = 12, USER = 18,
	PS_TCP = 0x106, PS_UDP = 0x111, PS_IB = 0x13F, DEVICE_AF_IB = 27, GROUP_QPN = 0xFFFFFF
};

struct conn_param { uint32_t qp_num, qkey; char data[256]; uint8_t length, srq, responder_resources, initiator_depth, flow_control, retry, rnr_retry, valid; };
struct ud_param { uint32_t qp_num, qkey; uint8_t ah[32]; char data[256]; uint8_t length, reserved[7]; };
struct event { uint64_t uid; uint32_t id, type, status; union { struct conn_param conn; struct ud_param ud; uint32_t argument[2]; }; uint32_t reserved, ece[2]; };
struct path_rec { uint8_t dgid[16], sgid[16]; uint16_t dlid, slid; uint32_t raw, flow_label, reversible, mtu; uint16_t pkey; uint8_t hop_limit, rest[9]; };
struct route {
	uint64_t guid;
	struct path_rec paths[2];
	struct sockaddr_in6 src, dst;
	uint32_t num_paths;
	uint8_t port, reserved[3];
	uint32_t device_index, reserved1;
};
struct qp_attr_kernel { char bytes[144]; };

void ibv_copy_qp_attr_from_kern(struct ibv_qp_attr *, const void *);
uint64_t ibv_get_device_guid(struct ibv_device *);
int ibv_get_device_index(struct ibv_device *);

/* Writes a command; its members follow the header without a gap. */
static int command(int fd, int number, const void *body, int length, int room)
{
	char buffer[512];
	struct { uint32_t number; uint16_t in, out; } header = { number, length, room };
	memcpy(buffer, &header, sizeof header);
	memcpy(buffer + sizeof header, body, length);
	ssize_t written = write(fd, buffer, sizeof header + length);
	CHECK(written == -1 || written == (ssize_t) sizeof header + length);
	return written == -1 ? errno : 0;
}

struct with_answer { uint64_t answer; uint32_t id, argument; };

static int ask(int fd, int number, uint32_t id, uint32_t argument, void *answer, int room)
{
	struct with_answer body = { (uintptr_t) answer, id, argument };
	return command(fd, number, &body, sizeof body, room);
}

static int simple(int fd, int number, uint32_t id, uint32_t argument)
{
	uint32_t body[2] = { id, argument };
	return command(fd, number, body, sizeof body, 0);
}

static uint32_t create_id(int fd, uint64_t uid, int space, int type)
{
	uint32_t id = 0;
	struct { uint64_t uid, answer; uint16_t space; uint8_t type, reserved[5]; } body = { uid, (uintptr_t) &id, space, type, { 0 } };
	CHECK(!command(fd, CREATE_ID, &body, sizeof body, sizeof id));
	return id;
}

static int bind_ip(int fd, uint32_t id, const void *address, size_t length)
{
	struct { uint64_t answer; struct sockaddr_in6 address; uint32_t id; } body = { .id = id };
	memcpy(&body.address, address, length);
	return command(fd, BIND_IP, &body, sizeof body, 0);
}

static int resolve_ip(int fd, uint32_t id, const struct sockaddr_in *to)
{
	struct { struct sockaddr_in6 from, to; uint32_t id, timeout_ms; } body = { .id = id, .timeout_ms = 2000 };
	memcpy(&body.to, to, sizeof *to);
	return command(fd, RESOLVE_IP, &body, sizeof body, 0);
}

static int join_ip(int fd, uint32_t id, uint64_t uid, const struct sockaddr_in *group, uint32_t *number)
{
	struct { uint64_t answer, uid; struct sockaddr_in6 group; uint32_t id; } body = { .answer = (uintptr_t) number, .uid = uid, .id = id };
	memcpy(&body.group, group, sizeof *group);
	return command(fd, JOIN_IP_MCAST, &body, sizeof body, sizeof *number);
}

/* Options of the vendor that the next CONNECT or ACCEPT tells the peer; 0 for none. */
static uint32_t vendor_options;
enum { VENDOR = 7 };

static int send_parameters(int fd, int number, uint32_t id, uint64_t uid, const struct conn_param *parameters)
{
	uint32_t vendor = vendor_options ? VENDOR : 0;
	struct { struct conn_param parameters; uint32_t id, reserved, ece[2]; } body = { *parameters, id, 0, { vendor, vendor_options } };
	struct { uint64_t uid; struct conn_param parameters; uint32_t id, reserved, ece[2]; } accept = { uid, *parameters, id, 0, { vendor, vendor_options } };
	return number == CONNECT ? command(fd, CONNECT, &body, sizeof body, 0) : command(fd, ACCEPT, &accept, sizeof accept, 0);
}

static uint32_t destroy_id(int fd, uint32_t id)
{
	uint32_t events = 0;
	CHECK(!ask(fd, DESTROY_ID, id, 0, &events, sizeof events));
	return events;
}

static bool is_readable(int fd) { return poll(&(struct pollfd) { .fd = fd, .events = POLLIN }, 1, 0) == 1; }

static struct event next_event(int fd, unsigned type)
{
	struct event event = { 0 };
	uint64_t answer = (uintptr_t) &event;
	CHECK(!command(fd, GET_EVENT, &answer, sizeof answer, sizeof event));
	if (event.type != type)
		fprintf(stderr, "event %u, status %d, instead of %u\n", event.type, event.status, type);
	CHECK(event.type == type);
	return event;
}

static struct route query_route(int fd, uint32_t id)
{
	struct route route = { 0 };
	CHECK(!ask(fd, QUERY_ROUTE, id, 0, &route, sizeof route));
	return route;
}

static int open_channel(int flags)
{
	struct stat status;
	int fd = open("/dev/infiniband/rdma_cm", O_RDWR | O_CLOEXEC | flags);
	CHECK(fd >= 0 && !fstat(fd, &status) && S_ISCHR(status.st_mode));
	CHECK(!!(fcntl(fd, F_GETFL) & O_NONBLOCK) == !!flags);
	return fd;
}

/* Moves the queue pair of an end as librdmacm does. */
static void move_qp(int fd, uint32_t id, struct station *s, int state)
{
	struct qp_attr_kernel kernel;
	struct ibv_qp_attr attributes = { .qp_state = state };
	uint32_t mask;
	CHECK(!ask(fd, INIT_QP_ATTR, id, state, &kernel, sizeof kernel));
	memcpy(&mask, kernel.bytes, sizeof mask);
	ibv_copy_qp_attr_from_kern(&attributes, &kernel);
	CHECK(!ibv_modify_qp(s->qp, &attributes, mask));
	CHECK(s->qp->state == state);
}

static struct conn_param parameters_of(struct station *s, const char *data)
{
	struct conn_param parameters = {
		.qp_num = s->qp->qp_num, .length = strlen(data), .responder_resources = 4, .initiator_depth = 4, .retry = 7, .rnr_retry = 7, .valid = 1
	};
	strcpy(parameters.data, data);
	return parameters;
}

static struct station server, client;
static struct sockaddr_in address;

static uint32_t listen_at(int fd, uint64_t uid, int space)
{
	uint32_t id = create_id(fd, uid, space, 0);
	struct sockaddr_in own = { .sin_family = AF_INET };
	memcpy(&own.sin_addr, server.gid.raw + 12, 4);
	CHECK(!bind_ip(fd, id, &own, sizeof own));
	CHECK(!simple(fd, LISTEN, id, 8));
	struct route route = query_route(fd, id);
	memcpy(&address, &route.src, sizeof address);
	CHECK(address.sin_family == AF_INET && address.sin_port && address.sin_addr.s_addr == own.sin_addr.s_addr);
	CHECK(route.guid == ibv_get_device_guid(server.context->device) && route.port == 1);
	CHECK((int) route.device_index == ibv_get_device_index(server.context->device));
	return id;
}

static uint32_t route_to_server(int fd, uint64_t uid, int space)
{
	uint32_t id = create_id(fd, uid, space, 0);
	CHECK(!resolve_ip(fd, id, &address));
	CHECK(is_readable(fd));
	CHECK(next_event(fd, ADDR_RESOLVED).uid == uid);
	CHECK(!is_readable(fd));
	struct route route = query_route(fd, id);
	CHECK(route.guid && route.num_paths == 0);
	CHECK(!simple(fd, RESOLVE_ROUTE, id, 2000));
	CHECK(next_event(fd, ROUTE_RESOLVED).uid == uid);
	route = query_route(fd, id);
	CHECK(route.num_paths == 1 && !memcmp(route.paths[0].dgid, server.gid.raw, 16) && ntohs(route.paths[0].pkey) == 0xFFFF);
	CHECK(route.paths[0].mtu >= 1 && route.paths[0].mtu <= 5 && route.paths[0].hop_limit);
	return id;
}

static uint32_t request_connection(int fd, uint64_t uid)
{
	uint32_t id = route_to_server(fd, uid, PS_TCP);
	open_station(&client, false);
	move_qp(fd, id, &client, INIT);
	struct conn_param parameters = parameters_of(&client, "hello");
	vendor_options = 0x12;
	CHECK(!send_parameters(fd, CONNECT, id, 0, &parameters));
	return id;
}

/* Accepts the next request of a listener, on another channel. */
static uint32_t accept_connection(int at_listener, uint64_t listener_uid, int fd, uint64_t uid)
{
	struct event request = next_event(at_listener, CONNECT_REQUEST); /* waits */
	CHECK(request.uid == listener_uid && request.conn.qp_num && !strcmp(request.conn.data, "hello"));
	CHECK(request.ece[0] == VENDOR && request.ece[1] == 0x12);
	CHECK(request.conn.length == 56 && request.conn.responder_resources == 4 && request.conn.initiator_depth == 4);
	uint32_t reported = 9;
	CHECK(!ask(fd, MIGRATE_ID, request.id, at_listener, &reported, sizeof reported) && reported == 0);
	CHECK(simple(at_listener, DISCONNECT, request.id, 0) == EINVAL); /* it is on the other channel now */
	CHECK(query_route(fd, request.id).num_paths == 1);
	open_station(&server, false);
	for (int state = INIT; state <= RTS; state++)
		move_qp(fd, request.id, &server, state);
	receive(&server, 1, 0, 64);
	struct conn_param parameters = parameters_of(&server, "welcome");
	vendor_options = 0x34;
	CHECK(!send_parameters(fd, ACCEPT, request.id, uid, &parameters));
	return request.id;
}

static void confirm_connection(int fd, uint32_t id, uint64_t uid)
{
	struct event response = next_event(fd, CONNECT_RESPONSE);
	CHECK(response.uid == uid && response.conn.qp_num && !strcmp(response.conn.data, "welcome"));
	CHECK(response.ece[0] == VENDOR && response.ece[1] == 0x34);
	vendor_options = 0;
	move_qp(fd, id, &client, RTR);
	move_qp(fd, id, &client, RTS);
	CHECK(!send_parameters(fd, ACCEPT, id, 0, &(struct conn_param) { 0 }));
	strcpy(client.buffer, "over the connection");
	transfer(&client, OP_SEND, 2, 0, 64, NULL, 0);
	CHECK(completion(client.cq).status == 0);
}

static void receive_message(void)
{
	CHECK(completion(server.cq).status == 0 && !strcmp(server.buffer, "over the connection"));
}

/* A connection, a message over it, its end; each id on a channel of its own. */
static void test_connection(void)
{
	int at_server = open_channel(0), at_client = open_channel(0), of_child = open_channel(0);
	uint32_t listener = listen_at(at_server, 100, PS_TCP), id = request_connection(at_client, 200);
	uint32_t child = accept_connection(at_server, 100, of_child, 300);
	confirm_connection(at_client, id, 200);
	CHECK(next_event(of_child, ESTABLISHED).uid == 300);
	receive_message();
	CHECK(!simple(at_client, DISCONNECT, id, 0));
	CHECK(next_event(of_child, DISCONNECTED).uid == 300);
	CHECK(!simple(of_child, DISCONNECT, child, 0)); /* answers */
	CHECK(next_event(at_client, DISCONNECTED).uid == 200);
	CHECK(destroy_id(of_child, child) == 2);
	CHECK(destroy_id(at_client, id) == 4);
	CHECK(destroy_id(at_server, listener) == 1);
	close(of_child), close(at_client), close(at_server);
	printf("passed: connection\n");
}

/* The two ends in two processes. The client ends without a word: that closes its file, which disconnects. */
static void run_server(void)
{
	char text[INET_ADDRSTRLEN];
	int fd = open_channel(0);
	listen_at(fd, 1, PS_TCP);
	printf("listening %s %d\n", inet_ntop(AF_INET, &address.sin_addr, text, sizeof text), ntohs(address.sin_port));
	fflush(stdout);
	int of_child = open_channel(0);
	accept_connection(fd, 1, of_child, 2);
	next_event(of_child, ESTABLISHED);
	receive_message();
	next_event(of_child, DISCONNECTED);
	printf("passed: server\n");
}

static void run_client(const char *to, const char *port)
{
	int fd = open_channel(0);
	address = (struct sockaddr_in) { .sin_family = AF_INET, .sin_port = htons(atoi(port)) };
	CHECK(inet_pton(AF_INET, to, &address.sin_addr) == 1);
	memcpy(server.gid.raw, "\0\0\0\0\0\0\0\0\0\0\377\377", 12);
	memcpy(server.gid.raw + 12, &address.sin_addr, 4);
	uint32_t id = request_connection(fd, 3);
	confirm_connection(fd, id, 3);
	printf("passed: client\n");
}

/* A request that is rejected, and one whose listener goes without looking at it. */
static void test_rejection(void)
{
	int channel = open_channel(0), other = open_channel(O_NONBLOCK);
	uint32_t listener = listen_at(other, 1, PS_TCP), id = route_to_server(channel, 2, PS_TCP);
	struct conn_param parameters = { .qp_num = 77, .retry = 7, .rnr_retry = 7, .valid = 1 };
	CHECK(!send_parameters(channel, CONNECT, id, 0, &parameters));
	CHECK(poll(&(struct pollfd) { .fd = other, .events = POLLIN }, 1, -1) == 1);
	struct event request = next_event(other, CONNECT_REQUEST);
	struct { uint32_t id; uint8_t length, reason, reserved[2]; char data[256]; } reject = { request.id, 2, 0, { 0 }, "no" };
	CHECK(!command(other, REJECT, &reject, sizeof reject, 0));
	struct event rejected = next_event(channel, REJECTED);
	CHECK(rejected.status == 28 && !strcmp(rejected.conn.data, "no"));
	CHECK(destroy_id(other, request.id) == 0 && destroy_id(channel, id) == 3);

	id = route_to_server(channel, 3, PS_TCP);
	CHECK(!send_parameters(channel, CONNECT, id, 0, &parameters));
	CHECK(poll(&(struct pollfd) { .fd = other, .events = POLLIN }, 1, -1) == 1);
	reject.id = next_event(other, CONNECT_REQUEST).id;
	reject.reason = 35;
	CHECK(!command(other, REJECT, &reject, sizeof reject, 0));
	CHECK(next_event(channel, REJECTED).status == 35);
	destroy_id(other, reject.id), destroy_id(channel, id);

	id = route_to_server(channel, 3, PS_TCP);
	CHECK(!send_parameters(channel, CONNECT, id, 0, &parameters));
	CHECK(poll(&(struct pollfd) { .fd = other, .events = POLLIN }, 1, -1) == 1);
	CHECK(destroy_id(other, listener) == 2);
	CHECK(!is_readable(other)); /* the request has gone with it */
	CHECK(next_event(channel, REJECTED).status == 28);
	close(channel), close(other);
	printf("passed: rejection\n");
}

static void test_datagrams(void)
{
	int channel = open_channel(0), at_server = open_channel(0);
	uint32_t listener = listen_at(at_server, 1, PS_UDP), id = route_to_server(channel, 2, PS_UDP);
	struct conn_param parameters = { .qp_num = 5, .length = 3, .data = "sidr", .valid = 1 };
	CHECK(!send_parameters(channel, CONNECT, id, 0, &parameters));
	struct event request = next_event(at_server, CONNECT_REQUEST);
	CHECK(request.uid == 1 && !strcmp(request.ud.data, "sid"));
	parameters.qp_num = 0x4321;
	CHECK(!send_parameters(at_server, ACCEPT, request.id, 3, &parameters));
	struct event established = next_event(channel, ESTABLISHED);
	CHECK(established.ud.qp_num == 0x4321 && established.ud.qkey == 0x01234567 && established.ud.ah[29] == 1);
	CHECK(!memcmp(established.ud.ah, server.gid.raw, 16));
	destroy_id(at_server, request.id), destroy_id(at_server, listener), destroy_id(channel, id);

	struct sockaddr_in own = address, group = { .sin_family = AF_INET };
	uint32_t number = 99, reported = 99, wrong;
	own.sin_port = 0;
	inet_pton(AF_INET, "239.1.2.3", &group.sin_addr);
	id = create_id(channel, 4, PS_UDP, 0);
	CHECK(!bind_ip(channel, id, &own, sizeof own));
	CHECK(join_ip(channel, id, 5, &own, &wrong) == EINVAL);
	CHECK(!join_ip(channel, id, 5, &group, &number));
	struct event join = next_event(channel, MULTICAST_JOIN);
	CHECK(join.uid == 5 && join.id == number && join.ud.qp_num == GROUP_QPN && !memcmp(join.ud.ah + 12, &group.sin_addr, 4));
	CHECK(!ask(channel, LEAVE_MCAST, number, 0, &reported, sizeof reported) && reported == 1);
	CHECK(ask(channel, LEAVE_MCAST, number, 0, &reported, sizeof reported) == ENOENT);
	CHECK(destroy_id(channel, id) == 1);
	close(channel), close(at_server);
	printf("passed: datagrams\n");
}

static void test_errors(void)
{
	int channel = open_channel(O_NONBLOCK), other = open_channel(O_NONBLOCK);
	struct event event;
	uint64_t answer = (uintptr_t) &event;
	CHECK(command(channel, GET_EVENT, &answer, sizeof answer, sizeof event) == EAGAIN);
	uint32_t id = create_id(channel, 1, PS_TCP, 0), room;
	CHECK(simple(channel, LISTEN, id + 1000, 0) == ENOENT);
	CHECK(simple(other, LISTEN, id, 0) == EINVAL);
	CHECK(simple(channel, 99, id, 0) == EINVAL);
	CHECK(simple(channel, GET_OPTION, id, 0) == ENOSYS);
	CHECK(ask(channel, QUERY_ROUTE, id, 0, &room, sizeof room) == ENOSPC);
	CHECK(bind_ip(channel, id, &(struct sockaddr_in) { .sin_family = DEVICE_AF_IB }, sizeof address) == EAFNOSUPPORT);
	CHECK(resolve_ip(channel, id, &(struct sockaddr_in) { 0 }) == EINVAL);
	CHECK(simple(channel, DISCONNECT, id, 0) == EINVAL);
	struct { uint32_t id, reserved, event, status; uint64_t argument; } user = { id, 0, USER, 7, 0x123456789 };
	CHECK(!command(channel, WRITE_CM_EVENT, &user, sizeof user, 0));
	CHECK(command(channel, GET_EVENT, &answer, sizeof answer, 8) == ENOSPC); /* the event stays */
	CHECK(is_readable(channel));
	event = next_event(channel, USER);
	CHECK(event.status == 7 && !memcmp(event.argument, &user.argument, 8));
	uint8_t tos = 0x20;
	struct { uint64_t value; uint32_t id, level, name, length; } option = { (uintptr_t) &tos, id, 0, 0, 1 };
	CHECK(!command(channel, SET_OPTION, &option, sizeof option, 0));
	option.name = 1;
	CHECK(command(channel, SET_OPTION, &option, sizeof option, 0) == EINVAL);
	option.level = 2;
	CHECK(command(channel, SET_OPTION, &option, sizeof option, 0) == ENOSYS);
	CHECK(write(channel, &option, 1) == -1); /* shorter than a header: an eventfd refuses it */
	close(channel), close(other);
	printf("passed: errors\n");
}

/* struct ib_path_rec_data */
struct path_data { uint32_t flags, reserved; uint64_t service; uint8_t dgid[16], sgid[16], rest[8], class, rest1[15]; };

/* A path that the program sets in place of RESOLVE_ROUTE: the second one of two, because the first one has other flags. */
static void test_path_of_program(int channel, void *resolve, int length, const struct path_data *known)
{
	struct path_data paths[2] = { *known, *known }, found[2];
	struct { uint64_t value; uint32_t id, level, name, length; } option = {
		(uintptr_t) paths, create_id(channel, 3, PS_UDP, 0), 1, 1, sizeof paths
	};
	memcpy(resolve, &option.id, sizeof option.id);
	CHECK(!command(channel, RESOLVE_ADDR, resolve, length, 0));
	next_event(channel, ADDR_RESOLVED);
	paths[0].flags = 1;
	option.length--;
	CHECK(command(channel, SET_OPTION, &option, sizeof option, 0) == EINVAL);
	option.length = sizeof *paths;
	CHECK(command(channel, SET_OPTION, &option, sizeof option, 0) == EINVAL);
	option.length = sizeof paths;
	paths[1].sgid[15]++;
	CHECK(command(channel, SET_OPTION, &option, sizeof option, 0) == EINVAL);
	paths[1].sgid[15]--;
	paths[1].class = 0x60;
	CHECK(!command(channel, SET_OPTION, &option, sizeof option, 0));
	CHECK(next_event(channel, ROUTE_RESOLVED).uid == 3);
	CHECK(!ask(channel, QUERY, option.id, 1, found, 8 + sizeof *found));
	CHECK(!memcmp((char *) found + 8, &paths[1], sizeof *paths));
	destroy_id(channel, option.id);
}

/* The commands that take addresses of any family, and the questions that belong to them. */
static void test_general_commands(void)
{
	int channel = open_channel(0);
	uint32_t id = create_id(channel, 1, PS_UDP, 0), number = 99;
	struct { uint32_t id; uint16_t size, reserved; struct sockaddr_storage address; } bind = { .id = id, .size = sizeof address };
	struct sockaddr_in own = { .sin_family = AF_INET }, group = { .sin_family = AF_INET };
	memcpy(&own.sin_addr, server.gid.raw + 12, 4);
	memcpy(&bind.address, &own, sizeof own);
	CHECK(!command(channel, BIND, &bind, sizeof bind, 0));
	struct { uint64_t guid; uint8_t port, reserved; uint16_t pkey, src_size, dst_size; struct sockaddr_storage src, dst; uint32_t device_index, reserved1; } found = { 0 };
	CHECK(!ask(channel, QUERY, id, 0, &found, sizeof found));
	CHECK(found.guid && found.port == 1 && found.pkey == 0xFFFF && found.src_size == sizeof own && found.device_index == 1);
	CHECK(found.src.ss_family == AF_INET && found.dst.ss_family == AF_INET);
	own.sin_port = htons(7471);
	struct { uint32_t id, timeout_ms; uint16_t src_size, dst_size; uint32_t reserved; struct sockaddr_storage src, dst; } resolve = {
		.id = id, .timeout_ms = 2000, .dst_size = sizeof own
	};
	memcpy(&resolve.dst, &own, sizeof own);
	CHECK(!command(channel, RESOLVE_ADDR, &resolve, sizeof resolve, 0));
	next_event(channel, ADDR_RESOLVED);
	CHECK(!ask(channel, QUERY, id, 2, &found, sizeof found));
	CHECK(found.dst.ss_family == DEVICE_AF_IB && !memcmp((char *) &found.dst + 8, server.gid.raw, 16));
	struct { uint32_t count, reserved; struct path_data path; } paths = { 0 };
	CHECK(!ask(channel, QUERY, id, 1, &paths, sizeof paths) && paths.count == 0);
	CHECK(!simple(channel, RESOLVE_ROUTE, id, 2000));
	next_event(channel, ROUTE_RESOLVED);
	CHECK(!ask(channel, QUERY, id, 1, &paths, sizeof paths));
	CHECK(paths.count == 1 && !memcmp(paths.path.dgid, server.gid.raw, 16) && !memcmp(paths.path.sgid, server.gid.raw, 16));
	test_path_of_program(channel, &resolve, sizeof resolve, &paths.path);
	CHECK(ask(channel, QUERY, id, 3, &paths, sizeof paths) == ENOSYS);
	destroy_id(channel, id);

	id = create_id(channel, 2, PS_UDP, 0);
	own.sin_port = 0;
	CHECK(!bind_ip(channel, id, &own, sizeof own));
	inet_pton(AF_INET, "239.1.2.4", &group.sin_addr);
	struct { uint64_t answer, uid; uint32_t id; uint16_t size, flags; struct sockaddr_storage group; } join = {
		(uintptr_t) &number, 3, id, sizeof group, 1, { 0 }
	};
	memcpy(&join.group, &group, sizeof group);
	CHECK(!command(channel, JOIN_MCAST, &join, sizeof join, sizeof number));
	struct event event = next_event(channel, MULTICAST_JOIN);
	CHECK(event.uid == 3 && event.id == number);
	close(channel);
	printf("passed: general commands\n");
}

/* A number that is closed is that of an ordinary file again, also if the library has not seen how it was closed. */
static void test_descriptors(void)
{
	int channel = open_channel(O_NONBLOCK), ends[2];
	int copy = dup(channel);
	create_id(copy, 1, PS_TCP, 0);
	CHECK(!close(channel));
	create_id(copy, 2, PS_TCP, 0);
	CHECK(!pipe(ends));
	CHECK(dup2(ends[1], copy) == copy);
	char text[64] = "";
	CHECK(write(copy, "a text that is longer than a header", 36) == 36);
	CHECK(read(ends[0], text, sizeof text) == 36 && !strncmp(text, "a text", 6));
	printf("passed: descriptors\n");
}

static volatile bool forking = true;

static void *duplicate(void *fd)
{
	while (forking)
		CHECK(!close(dup(*(int *) fd)));
	return NULL;
}

/* A child closes its descriptors, whatever the other threads of the parent did when it was made. */
static void test_forks(void)
{
	enum { FORKS = 30, SECONDS = 20 };
	int channel = open_channel(O_NONBLOCK), status;
	pthread_t thread;
	CHECK(!pthread_create(&thread, NULL, duplicate, &channel));
	for (int i = 0; i < FORKS; i++) {
		pid_t child = fork();
		if (!child) {
			alarm(SECONDS);
			_exit(close(channel));
		}
		CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status));
	}
	forking = false;
	CHECK(!pthread_join(thread, NULL));
	create_id(channel, 1, PS_TCP, 0);
	CHECK(!close(channel));
	printf("passed: forks\n");
}

int main(int argc, char **argv)
{
	setlinebuf(stdout);
	open_first(argc == 3 ? &client : &server);
	if (argc == 3)
		return run_client(argv[1], argv[2]), 0;
	if (argc == 2)
		return run_server(), 0;
	open_first(&client);
	test_errors();
	test_descriptors();
	test_connection();
	test_rejection();
	test_datagrams();
	test_general_commands();
	test_forks();
	return 0; /* exit() with queues and contexts open */
}
