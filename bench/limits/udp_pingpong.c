/* What a ping-pong of reliable messages over UDP costs at least: each side sends header, payload and CRC, and the acknowledgement of
 * what it received in the same system call; checks the CRC of what arrives and copies the payload. There are two ways to do so, and
 * which one is faster depends on the size: two datagrams by sendmmsg, gathered from where they are; or one flat buffer that the
 * kernel cuts (UDP_SEGMENT) and joins (UDP_GRO). Both are measured, and the better one is printed last.
 *
 * usage: udp_pingpong poll|epoll BYTES COUNT */
#include "udp.h"
#include <sys/epoll.h>

enum way { TWO_DATAGRAMS, ONE_BUFFER };

static enum way way;
static int fd, size, sleeper;
static struct sockaddr_in peer;
static uint8_t *source, *target, *buffer, *flat, header[BTH], trailer[ICRC], acknowledgement[ACK];

static void send_two(void) {
    uint32_t crc = crc_update(crc_update(PREFIX, header, BTH), source, (size_t)size);
    memcpy(trailer, &crc, ICRC);
    struct iovec parts[] = {{header, BTH}, {source, (size_t)size}, {trailer, ICRC}}, answer = {acknowledgement, ACK};
    struct mmsghdr both[2] = {{.msg_hdr = {.msg_name = &peer, .msg_namelen = sizeof peer, .msg_iov = parts, .msg_iovlen = 3}},
                              {.msg_hdr = {.msg_name = &peer, .msg_namelen = sizeof peer, .msg_iov = &answer, .msg_iovlen = 1}}};
    if (sendmmsg(fd, both, 2, 0) != 2) fail("sendmmsg");
}

static void send_flat(void) {
    size_t payload = (size_t)size, packet = BTH + payload + ICRC;
    memcpy(flat, header, BTH);
    memcpy(flat + BTH, source, payload);
    uint32_t crc = crc_update(PREFIX, flat, BTH + payload);
    memcpy(flat + BTH + payload, &crc, ICRC);
    memcpy(flat + packet, acknowledgement, ACK);
    control room;
    struct iovec part = {flat, packet + ACK};
    struct msghdr message = {.msg_name = &peer, .msg_namelen = sizeof peer, .msg_iov = &part, .msg_iovlen = 1};
    cut_at(&message, &room, (uint16_t)packet);
    if (sendmsg(fd, &message, 0) < 0) fail("sendmsg");
}

static void send_message(void) {
    if (way == TWO_DATAGRAMS) send_two();
    else send_flat();
}

static int receive(void) {
    struct sockaddr_in from;
    socklen_t length = sizeof from;
    int bytes = (int)recvfrom(fd, buffer, DATAGRAM, MSG_DONTWAIT, (struct sockaddr *)&from, &length);
    if (bytes < 0 && errno != EAGAIN) fail("recvfrom");
    return bytes;
}

static void await_message(void) {
    int packet = BTH + size + ICRC;
    struct epoll_event event;
    while (receive() < packet) /* an acknowledgement, if it was not joined to a message */
        if (sleeper >= 0) epoll_wait(sleeper, &event, 1, -1);
    uint32_t crc = crc_update(crc_update(PREFIX, buffer, BTH), buffer + BTH, (size_t)size);
    if (memcmp(buffer + BTH + size, &crc, ICRC)) fail("CRC");
    memcpy(target, buffer + BTH, (size_t)size);
}

/* Fills the times, which it sorts, and returns the median. */
static uint64_t measure(enum way chosen, int sleeps, uint64_t *times, int count) {
    struct sockaddr_in here, there;
    int near = udp_socket(1 << 20, chosen == ONE_BUFFER, &here), far = udp_socket(1 << 20, chosen == ONE_BUFFER, &there);
    pid_t child;
    int echoes = in_child(&child);
    way = chosen;
    fd = echoes ? far : near;
    peer = echoes ? here : there;
    sleeper = -1;
    if (sleeps) {
        struct epoll_event event = {.events = EPOLLIN};
        sleeper = epoll_create1(0);
        if (sleeper < 0 || epoll_ctl(sleeper, EPOLL_CTL_ADD, fd, &event)) fail("epoll");
    }
    if (echoes)
        for (;;) await_message(), send_message();
    for (int i = -count / 10; i < count; i++) {
        uint64_t start = now_ns();
        send_message();
        await_message();
        if (i >= 0) times[i] = now_ns() - start;
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    close(near);
    close(far);
    qsort(times, (size_t)count, sizeof *times, by_size);
    return times[count / 2];
}

int main(int n, char **words) {
    if (n != 4) return fprintf(stderr, "usage: udp_pingpong poll|epoll BYTES COUNT\n"), 2;
    int sleeps = !strcmp(words[1], "epoll"), count = atoi(words[3]);
    size = atoi(words[2]);
    crc_init();
    source = allocate(DATAGRAM);
    target = allocate(DATAGRAM);
    buffer = allocate(DATAGRAM);
    flat = allocate(DATAGRAM);
    uint64_t *two = calloc((size_t)count, sizeof *two), *one = calloc((size_t)count, sizeof *one);
    int flat_wins = measure(ONE_BUFFER, sleeps, one, count) < measure(TWO_DATAGRAMS, sleeps, two, count);
    print_times(flat_wins ? "udp_pingpong_two_datagrams" : "udp_pingpong_one_buffer", size, flat_wins ? two : one, count);
    print_times(flat_wins ? "udp_pingpong_one_buffer" : "udp_pingpong_two_datagrams", size, flat_wins ? one : two, count);
    return 0;
}
