// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.qp;

import io.rdma4j.base.local.LinkRing;
import io.rdma4j.base.local.LocalChannel;
import io.rdma4j.transport.port.LinkWriter;
import org.jspecify.annotations.Nullable;

/** The rings of a channel that this process writes. For the owner of the port loop. */
final class ChannelRings {
    private final LocalChannel channel;
    private final @Nullable LinkWriter[] writers = new LinkWriter[LinkRing.COUNT];
    private final boolean[] taken = new boolean[LinkRing.COUNT];

    ChannelRings(LocalChannel channel) {
        this.channel = channel;
    }

    @SuppressWarnings("ReferenceEquality") // one object per channel
    boolean areOf(LocalChannel other) {
        return channel == other;
    }

    /** Returns a ring that no queue pair writes and no peer reads; null if there is none. */
    @Nullable
    LinkWriter take() {
        for (int i = 0; i < taken.length; i++) {
            LinkWriter writer = taken[i] ? null : writer(i);
            if (writer != null && writer.isFree()) {
                taken[i] = true;
                return writer;
            }
        }
        return null;
    }

    private LinkWriter writer(int number) {
        LinkWriter made = writers[number];
        if (made == null) {
            made = new LinkWriter(channel.linkRing(true, number), channel.peerMemory());
            writers[number] = made;
        }
        return made;
    }

    @SuppressWarnings("ReferenceEquality") // one object per ring
    int number(LinkWriter writer) {
        for (int i = 0; i < writers.length; i++) {
            if (writers[i] == writer) {
                return i;
            }
        }
        throw new IllegalArgumentException("the ring is of another channel");
    }

    void giveBack(LinkWriter writer) {
        taken[number(writer)] = false;
    }
}
