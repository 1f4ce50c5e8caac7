// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.world;

import io.rdma4j.links.LinkEvent;

/** Kind of a trace event. */
public enum TraceKind {
    SENT("sent"),
    LOST("lost"),
    TOO_LONG("too long for the path"),
    QUEUE_FULL("queue full"),
    DUPLICATED("duplicated"),
    DELAYED("delayed"),
    MARKED("met congestion"),
    CORRUPTED("corrupted"),
    ARRIVED("arrived"),
    POSTED_SEND("posted send"),
    POSTED_RECEIVE("posted receive"),
    COMPLETED_SEND("completed send"),
    COMPLETED_RECEIVE("completed receive"),
    KILLED("killed connection"),
    REVIVED("revived connection");

    private final String text;

    TraceKind(String text) {
        this.text = text;
    }

    /** The kind for the event of a packet. */
    static TraceKind of(LinkEvent event) {
        return switch (event) {
            case SENT -> SENT;
            case LOST, HELD_BACK -> LOST;
            case TOO_LONG -> TOO_LONG;
            case QUEUE_FULL -> QUEUE_FULL;
            case DUPLICATED -> DUPLICATED;
            case DELAYED -> DELAYED;
            case MARKED -> MARKED;
            case CORRUPTED -> CORRUPTED;
            case ARRIVED -> ARRIVED;
        };
    }

    String text() {
        return text;
    }

    boolean isPacket() {
        return compareTo(POSTED_SEND) < 0;
    }
}
