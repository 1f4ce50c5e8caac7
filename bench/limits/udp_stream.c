/* What reliable messages in one direction over UDP cost at least: trains of equal packets in one system call (UDP_SEGMENT, UDP_GRO), a
 * CRC a packet on both sides, one copy to where the payload belongs, a window, and an acknowledgement every quarter of it. Nothing gets lost.
 *
 * usage: udp_stream BYTES COUNT
 *   Messages of one packet go 64 to a call; of longer ones the first packet, with its longer header, goes alone. */
#include "udp.h"

#define WINDOW 256
#define SMALL_WINDOW 1024
#define BATCH 16
#define PLACE (8u << 20)

static int size, window, small;
static uint64_t packets_each, end;
static struct sockaddr_in sender_at, receiver_at;

static int header_bytes(uint64_t packet) { return packet % packets_each == 0 ? BTH + RETH : BTH; }

static int payload_bytes(uint64_t packet) {
    int left = size - (int)(packet % packets_each) * MTU;
    return left < MTU ? left : MTU;
}

static size_t place(uint64_t packet) {
    return packet / packets_each % (PLACE / (unsigned)size) * (unsigned)size + packet % packets_each * MTU;
}

/* Packets from this one on that are of one size and fit into one call. */
static int train(uint64_t packet) {
    uint64_t most = small ? 64 : 15, left = end - packet;
    if (!small) {
        uint64_t in_message = packet % packets_each;
        if (in_message == 0) return 1;
        left = packets_each - in_message;
    }
    return (int)(left < most ? left : most);
}

static uint64_t acknowledged(int fd, uint64_t known) {
    uint64_t packet[(ACK + 7) / 8];
    while (recv(fd, packet, ACK, MSG_DONTWAIT) == ACK) known = packet[0];
    return known;
}

static void send_all(int fd) {
    uint8_t *source = allocate(PLACE);
    uint8_t(*headers)[BTH + RETH] = calloc((size_t)window + 64, sizeof *headers);
    uint32_t *crcs = calloc((size_t)window + 64, sizeof *crcs);
    struct iovec(*parts)[64 * 3] = calloc(BATCH, sizeof *parts);
    struct mmsghdr *calls = calloc(BATCH, sizeof *calls);
    control *rooms = calloc(BATCH, sizeof *rooms);
    uint64_t next = 0, done = 0;
    while (done < end) {
        int count = 0;
        while (count < BATCH && next < end && next + (uint64_t)train(next) - done <= (uint64_t)window) {
            int packets = train(next), used = 0;
            struct msghdr *message = &calls[count].msg_hdr;
            *message = (struct msghdr){.msg_name = &receiver_at, .msg_namelen = sizeof receiver_at, .msg_iov = parts[count]};
            if (packets > 1) cut_at(message, &rooms[count], (uint16_t)(header_bytes(next) + payload_bytes(next) + ICRC));
            for (; packets > 0; packets--, next++) {
                uint64_t slot = next % ((uint64_t)window + 64);
                int head = header_bytes(next), payload = payload_bytes(next);
                memcpy(headers[slot], &next, sizeof next);
                crcs[slot] = crc_update(crc_update(PREFIX, headers[slot], (size_t)head), source + place(next), (size_t)payload);
                parts[count][used++] = (struct iovec){headers[slot], (size_t)head};
                parts[count][used++] = (struct iovec){source + place(next), (size_t)payload};
                parts[count][used++] = (struct iovec){&crcs[slot], ICRC};
            }
            message->msg_iovlen = (size_t)used;
            count++;
        }
        for (int sent = 0; sent < count;) {
            int now = sendmmsg(fd, calls + sent, (unsigned)(count - sent), 0);
            if (now < 0) fail("sendmmsg");
            sent += now;
        }
        done = acknowledged(fd, done);
    }
}

/* Checks a packet and copies what it brings. */
static void take(const uint8_t *packet, int bytes, uint64_t expected, uint8_t *target) {
    int head = header_bytes(expected), payload = payload_bytes(expected);
    if (bytes != head + payload + ICRC || memcmp(packet, &expected, sizeof expected)) fail("a packet was lost");
    uint32_t crc = crc_update(crc_update(PREFIX, packet, (size_t)head), packet + head, (size_t)payload);
    if (memcmp(packet + head + payload, &crc, ICRC)) fail("CRC");
    memcpy(target + place(expected), packet + head, (size_t)payload);
}

static void receive_all(int fd) {
    uint8_t *target = allocate(PLACE), *buffers = allocate((size_t)BATCH * DATAGRAM), answer[ACK] = {0};
    struct mmsghdr *calls = calloc(BATCH, sizeof *calls);
    struct iovec parts[BATCH];
    struct sockaddr_in from[BATCH];
    control *rooms = calloc(BATCH, sizeof *rooms);
    uint64_t expected = 0, told = 0;
    while (expected < end) {
        for (int i = 0; i < BATCH; i++) {
            parts[i] = (struct iovec){buffers + (size_t)i * DATAGRAM, DATAGRAM};
            calls[i].msg_hdr = (struct msghdr){.msg_name = &from[i], .msg_namelen = sizeof from[i], .msg_iov = &parts[i], .msg_iovlen = 1, .msg_control = rooms[i].bytes, .msg_controllen = sizeof rooms[i]};
        }
        int count = recvmmsg(fd, calls, BATCH, MSG_DONTWAIT, NULL);
        if (count < 0 && errno != EAGAIN) fail("recvmmsg");
        for (int i = 0; i < count; i++) {
            int all = (int)calls[i].msg_len, one = joined_of(&calls[i].msg_hdr, all);
            for (int at = 0; at < all; at += one) take(buffers + (size_t)i * DATAGRAM + at, all - at < one ? all - at : one, expected++, target);
        }
        if (expected == end || expected - told >= (uint64_t)window / 4) {
            memcpy(answer, &expected, sizeof expected);
            if (sendto(fd, answer, ACK, 0, (struct sockaddr *)&sender_at, sizeof sender_at) < 0) fail("sendto");
            told = expected;
        }
    }
}

int main(int n, char **words) {
    if (n != 3) return fprintf(stderr, "usage: udp_stream BYTES COUNT\n"), 2;
    size = atoi(words[1]);
    uint64_t count = strtoull(words[2], NULL, 10);
    packets_each = ((unsigned)size + MTU - 1) / MTU;
    small = packets_each == 1;
    window = small ? SMALL_WINDOW : WINDOW;
    end = count * packets_each;
    crc_init();
    int near = udp_socket(8 << 20, 0, &sender_at), far = udp_socket(8 << 20, 1, &receiver_at);
    pid_t child;
    if (in_child(&child)) {
        receive_all(far);
        _exit(0);
    }
    usleep(20000);
    uint64_t start = now_ns();
    send_all(near);
    print_rate("udp_stream", size, count, now_ns() - start);
    return 0;
}
