// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib.carrier;

import io.rdma4j.base.Gid;
import io.rdma4j.hca.carrier.CarrierPath;
import io.rdma4j.verbs.values.GlobalRoute;
import io.rdma4j.verbs.values.Rate;
import io.rdma4j.wire.Bth;
import io.rdma4j.wire.Grh;
import io.rdma4j.wire.ib.Lid;
import io.rdma4j.wire.ib.LinkNextHeader;
import io.rdma4j.wire.ib.Lrh;
import io.rdma4j.wire.roce.Icrc;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A path by LID, with a global route header or without one.
 *
 * @param dlid destination LID
 * @param pathBits low bits of the source LID, as many as the LMC of the port
 * @param serviceLevel 4 bits
 * @param staticRate maximum rate
 * @param source GID of this port
 * @param route fields of the global route header; null for none
 */
record LidPath(
        int dlid,
        int pathBits,
        int serviceLevel,
        Rate staticRate,
        Gid source,
        @Nullable GlobalRoute route) implements CarrierPath {
    /** Longest headers in front of a BTH. */
    static final int MAX_HEADER_BYTES = Lrh.BYTES + Grh.BYTES;

    /** Without a route: a name for the LID, which no GID table contains. */
    @Override
    public Gid destination() {
        return route == null ? new Gid(0, dlid) : route.destination();
    }

    @Override
    public int headerBytes() {
        return Lrh.BYTES + (route == null ? 0 : Grh.BYTES);
    }

    boolean isMulticast() {
        return Lid.isMulticast(dlid);
    }

    /**
     * Writes the headers of a packet.
     *
     * @param transportBytes from BTH to ICRC
     */
    void write(MemorySegment memory, int at, int slid, int transportBytes) {
        GlobalRoute to = route;
        LinkNextHeader next = to == null ? LinkNextHeader.LOCAL : LinkNextHeader.GLOBAL;
        int words = (headerBytes() + transportBytes) / Lrh.WORD_BYTES;
        Lrh.write(memory, at, 0, serviceLevel, next, dlid, words, slid);
        if (to != null) {
            Gid destination = to.destination();
            Grh.write(
                    memory,
                    at + (long) Lrh.BYTES,
                    to.trafficClass(),
                    to.flowLabel(),
                    transportBytes,
                    to.hopLimit(),
                    source.prefix(),
                    source.interfaceId(),
                    destination.prefix(),
                    destination.interfaceId());
        }
    }

    /** Returns the bytes from BTH to ICRC of a packet with these bytes from BTH to padding. */
    static int transportBytes(int bytes) {
        if (bytes < Bth.BYTES) {
            throw new IllegalStateException("a packet without BTH");
        }
        return bytes + Icrc.BYTES;
    }
}
