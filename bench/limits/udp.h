/* Sockets of the limit programs: unconnected, so that the identification is 0, on the loopback interface. */
#ifndef UDP_H
#define UDP_H
#include "common.h"
#include "crc.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <sys/socket.h>

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif
#ifndef UDP_GRO
#define UDP_GRO 104
#endif
#ifndef SOL_UDP
#define SOL_UDP 17
#endif

#define BTH 12
#define RETH 16
#define ICRC 4
#define ACK (BTH + 4 + ICRC)
#define MTU 4096
#define DATAGRAM 65536

/* State of the CRC after the headers of IP and UDP, which are always the same. */
static const uint32_t PREFIX = 0x12345678;

static int udp_socket(int buffer, int merge, struct sockaddr_in *address) {
    int fd = socket(AF_INET, SOCK_DGRAM, 0), discover = IP_PMTUDISC_DO, on = 1;
    if (fd < 0) fail("socket");
    setsockopt(fd, IPPROTO_IP, IP_MTU_DISCOVER, &discover, sizeof discover);
    if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &buffer, sizeof buffer)) setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
    if (setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &buffer, sizeof buffer)) setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &buffer, sizeof buffer);
    if (merge && setsockopt(fd, SOL_UDP, UDP_GRO, &on, sizeof on)) fail("UDP_GRO");
    *address = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof *address;
    if (bind(fd, (struct sockaddr *)address, length)) fail("bind");
    getsockname(fd, (struct sockaddr *)address, &length);
    return fd;
}

/* Room for the one control message that says where a datagram is to be cut, or where it was joined. */
typedef union {
    struct cmsghdr header;
    char bytes[64];
} control;

static void cut_at(struct msghdr *message, control *room, uint16_t bytes) {
    message->msg_control = room->bytes;
    message->msg_controllen = CMSG_SPACE(sizeof bytes);
    struct cmsghdr *c = CMSG_FIRSTHDR(message);
    c->cmsg_level = SOL_UDP;
    c->cmsg_type = UDP_SEGMENT;
    c->cmsg_len = CMSG_LEN(sizeof bytes);
    memcpy(CMSG_DATA(c), &bytes, sizeof bytes);
}

static int joined_of(struct msghdr *message, int bytes) {
    for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c))
        if (c->cmsg_level == SOL_UDP && c->cmsg_type == UDP_GRO) memcpy(&bytes, CMSG_DATA(c), sizeof bytes);
    return bytes;
}
#endif
