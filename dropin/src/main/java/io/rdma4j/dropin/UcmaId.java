// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.dropin;

import io.rdma4j.rdmacm.RdmaId;

/** An id of rdma_cm that a program knows by number. Corresponds to {@code struct ucma_context}. */
final class UcmaId {
    private final RdmaId rdma;

    /** The address of the program's structure; 0 for a request that it has not accepted. */
    private volatile long user;

    private volatile int number;
    private volatile int eventsReported;
    private volatile UcmaFile file;

    UcmaId(UcmaFile file, RdmaId rdma, long user) {
        this.file = file;
        this.rdma = rdma;
        this.user = user;
    }

    RdmaId rdma() {
        return rdma;
    }

    int number() {
        return number;
    }

    void setNumber(int number) {
        this.number = number;
    }

    UcmaFile file() {
        return file;
    }

    void setFile(UcmaFile file) {
        this.file = file;
    }

    long user() {
        return user;
    }

    void setUser(long user) {
        this.user = user;
    }

    /** Events that the program has got, all of which it acknowledges before it frees its structure. */
    int eventsReported() {
        return eventsReported;
    }

    synchronized void countEvent() {
        eventsReported++;
    }
}
