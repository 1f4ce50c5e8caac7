/* What the limit programs share: the clock, two processes on two CPUs, and the one line that each prints. Linux only. */
#ifndef COMMON_H
#define COMMON_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096
#define LINE 64

static inline uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline void spin_hint(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static inline void fail(const char *what) {
    fprintf(stderr, "%s: %s\n", what, errno ? strerror(errno) : "wrong");
    exit(1);
}

/* Keeps the process on one CPU of those it may use, counted from 0. */
static void pin(int index) {
    cpu_set_t all, one;
    if (sched_getaffinity(0, sizeof all, &all)) return;
    index %= CPU_COUNT(&all);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET(cpu, &all) && index-- == 0) {
            CPU_ZERO(&one);
            CPU_SET(cpu, &one);
            sched_setaffinity(0, sizeof one, &one);
        }
    }
}

/* A second process on the second CPU; the caller stays on the first. True in the child, which ends with its parent. */
static int in_child(pid_t *child) {
    fflush(stdout);
    *child = fork();
    if (*child < 0) fail("fork");
    if (*child == 0) prctl(PR_SET_PDEATHSIG, SIGKILL);
    pin(*child == 0);
    return *child == 0;
}

static void *allocate(size_t bytes) {
    void *memory = aligned_alloc(PAGE, (bytes + PAGE - 1) / PAGE * PAGE);
    if (!memory) fail("memory");
    memset(memory, 1, bytes);
    return memory;
}

static int by_size(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Round trips in nanoseconds; sorts them. */
static void print_times(const char *work, int bytes, uint64_t *times, int count) {
    double sum = 0;
    for (int i = 0; i < count; i++) sum += (double)times[i];
    qsort(times, (size_t)count, sizeof *times, by_size);
    printf("%s bytes=%d count=%d p50_us=%.4f p99_us=%.4f p999_us=%.4f mean_us=%.4f rate=%.0f\n", work, bytes, count,
           times[count / 2] / 1e3, times[(int)(count * 0.99)] / 1e3, times[(int)(count * 0.999)] / 1e3, sum / count / 1e3, count / (sum / 1e9));
}

/* Messages that went one way. */
static void print_rate(const char *work, int bytes, uint64_t count, uint64_t ns) {
    double seconds = (double)ns / 1e9;
    printf("%s bytes=%d count=%llu rate=%.0f gbit_s=%.3f gbyte_s=%.3f\n", work, bytes, (unsigned long long)count,
           count / seconds, count * 8.0 * bytes / seconds / 1e9, (double)count * bytes / seconds / 1e9);
}
#endif
