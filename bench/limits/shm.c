/* What shared memory between two processes can do.
 *
 * usage: shm pingpong BYTES COUNT  messages through a ring each way, copied in and copied out
 *        shm put BYTES COUNT       each side stores straight into the other's memory and watches the last byte of its own
 *        shm rate BYTES COUNT      one way through a ring, copied in and copied out
 *        shm copy BYTES COUNT      one way, a single copy into memory of the other process, acknowledged */
#include "common.h"

#define SLOTS 1024
#define LAZY 64 /* places that the consumer may keep before it gives them back */
#define PLACE (8u << 20)

struct ring {
    _Alignas(2 * LINE) _Atomic uint64_t produced;
    _Alignas(2 * LINE) _Atomic uint64_t consumed;
    _Alignas(PAGE) uint8_t slots[];
};

/* One end of a ring: its own index, and what it last knew of the other's. */
struct end {
    struct ring *ring;
    uint64_t own, other;
};

static size_t size, slot;

static void *shared(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (memory == MAP_FAILED) fail("mmap");
    return memory;
}

static struct ring *new_ring(void) { return shared(sizeof(struct ring) + SLOTS * slot); }

static uint8_t *slot_of(struct end *end) { return end->ring->slots + end->own % SLOTS * slot; }

static void put(struct end *end, const void *from) {
    while (end->own - end->other >= SLOTS) {
        spin_hint();
        end->other = atomic_load_explicit(&end->ring->consumed, memory_order_acquire);
    }
    memcpy(slot_of(end), from, size);
    atomic_store_explicit(&end->ring->produced, ++end->own, memory_order_release);
}

static void get(struct end *end, void *to) {
    while (end->own == end->other) {
        end->other = atomic_load_explicit(&end->ring->produced, memory_order_acquire);
        if (end->own == end->other) spin_hint();
    }
    memcpy(to, slot_of(end), size);
    if (++end->own % LAZY == 0) atomic_store_explicit(&end->ring->consumed, end->own, memory_order_release);
}

static void pingpong(int count) {
    struct end there = {new_ring(), 0, 0}, back = {new_ring(), 0, 0};
    uint8_t *source = allocate(size), *target = allocate(size);
    uint64_t *times = calloc((size_t)count, sizeof *times);
    pid_t child;
    if (in_child(&child))
        for (;;) get(&there, target), put(&back, source);
    for (int i = -count / 10; i < count; i++) {
        uint64_t start = now_ns();
        put(&there, source);
        get(&back, target);
        if (i >= 0) times[i] = now_ns() - start;
    }
    print_times("shm_pingpong", (int)size, times, count);
    kill(child, SIGKILL);
}

static void store(uint8_t *to, const uint8_t *from, uint8_t number) {
    memcpy(to, from, size - 1);
    atomic_store_explicit((_Atomic uint8_t *)(to + size - 1), number, memory_order_release);
}

static void await_byte(const uint8_t *memory, uint8_t number) {
    while (atomic_load_explicit((const _Atomic uint8_t *)(memory + size - 1), memory_order_acquire) != number) spin_hint();
}

static void puts_in_turn(int count) {
    size_t bytes = (size + PAGE - 1) / PAGE * PAGE;
    uint8_t *near = shared(bytes), *far = shared(bytes), *source = allocate(size);
    uint64_t *times = calloc((size_t)count, sizeof *times);
    pid_t child;
    if (in_child(&child))
        for (uint8_t i = 1;; i++) await_byte(far, i), store(near, source, i);
    uint8_t number = 1;
    for (int i = -count / 10; i < count; i++, number++) {
        uint64_t start = now_ns();
        store(far, source, number);
        await_byte(near, number);
        if (i >= 0) times[i] = now_ns() - start;
    }
    print_times("shm_put", (int)size, times, count);
    kill(child, SIGKILL);
}

static void rate(uint64_t count) {
    struct end end = {new_ring(), 0, 0};
    size_t messages = PLACE / size;
    uint8_t *memory = allocate(PLACE);
    pid_t child;
    if (in_child(&child)) {
        for (uint64_t i = 0; i < count; i++) get(&end, memory + i % messages * size);
        atomic_store_explicit(&end.ring->consumed, count, memory_order_release);
        _exit(0);
    }
    usleep(20000);
    uint64_t start = now_ns();
    for (uint64_t i = 0; i < count; i++) put(&end, memory + i % messages * size);
    while (atomic_load_explicit(&end.ring->consumed, memory_order_acquire) < count) spin_hint();
    print_rate("shm_rate", (int)size, count, now_ns() - start);
}

static void copy(uint64_t count) {
    struct ring *ring = shared(sizeof *ring + PLACE);
    size_t messages = PLACE / size;
    uint8_t *source = allocate(PLACE);
    pid_t child;
    if (in_child(&child)) {
        for (size_t at = 0; at < PLACE; at += LINE) ring->slots[at] = 1;
        for (uint64_t done = 0; done < count;) {
            uint64_t now = atomic_load_explicit(&ring->produced, memory_order_acquire);
            if (now != done) atomic_store_explicit(&ring->consumed, done = now, memory_order_release);
            else spin_hint();
        }
        _exit(0);
    }
    usleep(20000);
    uint64_t start = now_ns();
    for (uint64_t i = 0; i < count; i++) {
        while (i - atomic_load_explicit(&ring->consumed, memory_order_acquire) >= messages) spin_hint();
        memcpy(ring->slots + i % messages * size, source + i % messages * size, size);
        atomic_store_explicit(&ring->produced, i + 1, memory_order_release);
    }
    while (atomic_load_explicit(&ring->consumed, memory_order_acquire) < count) spin_hint();
    print_rate("shm_copy", (int)size, count, now_ns() - start);
}

int main(int n, char **words) {
    if (n != 4) return fprintf(stderr, "usage: shm pingpong|put|rate|copy BYTES COUNT\n"), 2;
    size = strtoull(words[2], NULL, 10);
    slot = (size + 2 * LINE - 1) / (2 * LINE) * (2 * LINE);
    uint64_t count = strtoull(words[3], NULL, 10);
    if (!strcmp(words[1], "pingpong")) pingpong((int)count);
    else if (!strcmp(words[1], "put")) puts_in_turn((int)count);
    else if (!strcmp(words[1], "rate")) rate(count);
    else if (!strcmp(words[1], "copy")) copy(count);
    else return fprintf(stderr, "shm does not know %s\n", words[1]), 2;
    return 0;
}
