/* What a ping-pong of reliable messages over UDP costs at least: each side sends header, payload and CRC, and the acknowledgement of
 * what it received in the same system call; checks the CRC of what arrives and copies the payload. Two datagrams by sendmmsg are
 * about as fast as one that the kernel cuts (UDP_SEGMENT).
 *
 * usage: udp_pingpong poll|epoll BYTES COUNT */
#include "udp.h"
#include <sys/epoll.h>

static int fd, size, sleeper = -1;
static struct sockaddr_in peer;
static uint8_t *source, *target, *buffer, header[BTH], trailer[ICRC], acknowledgement[ACK];

static void send_message(void) {
    uint32_t crc = crc_update(crc_update(PREFIX, header, BTH), source, (size_t)size);
    memcpy(trailer, &crc, ICRC);
    struct iovec parts[] = {{header, BTH}, {source, (size_t)size}, {trailer, ICRC}}, answer = {acknowledgement, ACK};
    struct mmsghdr both[2] = {{.msg_hdr = {.msg_name = &peer, .msg_namelen = sizeof peer, .msg_iov = parts, .msg_iovlen = 3}},
                              {.msg_hdr = {.msg_name = &peer, .msg_namelen = sizeof peer, .msg_iov = &answer, .msg_iovlen = 1}}};
    if (sendmmsg(fd, both, 2, 0) != 2) fail("sendmmsg");
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
    while (receive() != packet)
        if (sleeper >= 0) epoll_wait(sleeper, &event, 1, -1);
    uint32_t crc = crc_update(crc_update(PREFIX, buffer, BTH), buffer + BTH, (size_t)size);
    if (memcmp(buffer + BTH + size, &crc, ICRC)) fail("CRC");
    memcpy(target, buffer + BTH, (size_t)size);
}

int main(int n, char **words) {
    if (n != 4) return fprintf(stderr, "usage: udp_pingpong poll|epoll BYTES COUNT\n"), 2;
    int sleeps = !strcmp(words[1], "epoll"), count = atoi(words[3]), warm = count / 10;
    size = atoi(words[2]);
    crc_init();
    source = allocate(DATAGRAM);
    target = allocate(DATAGRAM);
    buffer = allocate(DATAGRAM);
    struct sockaddr_in here, there;
    int near = udp_socket(1 << 20, 0, &here), far = udp_socket(1 << 20, 0, &there);
    pid_t child;
    int echoes = in_child(&child);
    fd = echoes ? far : near;
    peer = echoes ? here : there;
    if (sleeps) {
        struct epoll_event event = {.events = EPOLLIN};
        sleeper = epoll_create1(0);
        if (sleeper < 0 || epoll_ctl(sleeper, EPOLL_CTL_ADD, fd, &event)) fail("epoll");
    }
    if (echoes)
        for (;;) await_message(), send_message();
    uint64_t *times = calloc((size_t)count, sizeof *times);
    for (int i = -warm; i < count; i++) {
        uint64_t start = now_ns();
        send_message();
        await_message();
        if (i >= 0) times[i] = now_ns() - start;
    }
    print_times(sleeps ? "udp_pingpong_epoll" : "udp_pingpong", size, times, count);
    kill(child, SIGKILL);
    return 0;
}
