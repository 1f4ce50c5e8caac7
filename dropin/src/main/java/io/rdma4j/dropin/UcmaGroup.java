// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.dropin;

import java.net.InetAddress;

/** A multicast group that an id has joined. Corresponds to {@code struct ucma_multicast}. */
final class UcmaGroup {
    private final UcmaId id;
    private final InetAddress address;

    /** The address of the program's structure. */
    private final long user;

    private volatile int number;
    private volatile int eventsReported;

    UcmaGroup(UcmaId id, InetAddress address, long user) {
        this.id = id;
        this.address = address;
        this.user = user;
    }

    UcmaId id() {
        return id;
    }

    InetAddress address() {
        return address;
    }

    long user() {
        return user;
    }

    int number() {
        return number;
    }

    void setNumber(int number) {
        this.number = number;
    }

    int eventsReported() {
        return eventsReported;
    }

    synchronized void countEvent() {
        eventsReported++;
    }
}
