// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.state;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.device.GidEntry;
import io.rdma4j.verbs.device.LinkLayer;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.GlobalRoute;
import io.rdma4j.verbs.values.Rate;
import io.rdma4j.verbs.wr.WcFlag;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The 40 bytes before a received datagram, with its route. Corresponds to {@code struct ibv_grh}.
 *
 * <pre>
 * GRH or IPv6:  version(4)=6 class(8) flow label(20) | length(16) next(8) hop limit(8) | source(128) | destination(128)
 * IPv4:         20 bytes 0 | version(4)=4 …(4) TOS(8) … | … | source(32) | destination(32)
 * </pre>
 *
 * @param source {@code sgid}: the sender
 * @param destination {@code dgid}: the receiver
 * @param flowLabel 20 bits; 0 with IPv4
 * @param trafficClass 8 bits
 */
public record ReceivedRoute(Gid source, Gid destination, int flowLabel, int trafficClass) {
    private static final int BYTES = 40;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int FLOW_LABEL_MASK = 0xFFFFF;

    /** A reply uses the maximum hop limit, because the number of hops of the datagram is unknown. */
    private static final int REPLY_HOP_LIMIT = 0xFF;

    /**
     * @throws RdmaException EINVAL for fewer than 40 bytes, or without a GRH, IPv6 or IPv4 header
     */
    private static ReceivedRoute of(MemorySegment header) {
        if (header.byteSize() < BYTES) {
            throw new RdmaException(Errno.EINVAL, "a route header has " + BYTES + " bytes, not " + header.byteSize());
        }
        int first = header.get(INT, 0);
        if (first >>> 28 == 6) {
            return new ReceivedRoute(gid(header, 8), gid(header, 24), first & FLOW_LABEL_MASK, (first >>> 20) & 0xFF);
        }
        int ipv4 = header.get(INT, 20);
        if (ipv4 >>> 28 == 4) {
            return new ReceivedRoute(
                    Gid.ofIpv4(header.get(INT, 32)), Gid.ofIpv4(header.get(INT, 36)), 0, (ipv4 >>> 16) & 0xFF);
        }
        throw new RdmaException(Errno.EINVAL, "the buffer does not begin with a GRH, IPv6 or IPv4 header");
    }

    private static Gid gid(MemorySegment header, long offset) {
        return new Gid(header.get(LONG, offset), header.get(LONG, offset + Long.BYTES));
    }

    /**
     * The path to the sender of a received datagram.
     *
     * @throws RdmaException as {@link io.rdma4j.verbs.Context#replyPath}
     */
    public static AddressVector replyPath(PortTables ports, int port, WorkCompletion completion, MemorySegment header) {
        if (completion.status() != WcStatus.SUCCESS || !completion.opcode().isReceive()) {
            throw new RdmaException(
                    Errno.EINVAL,
                    "no reply to " + completion.opcode() + " with status " + completion.status()
                            + ": it must be a successful receive");
        }
        GlobalRoute route = completion.flags().contains(WcFlag.GRH) ? of(header).reply(ports, port) : null;
        AddressVector vector = new AddressVector(
                route,
                completion.sourceLid(),
                ports.attributes(port).linkLayer() == LinkLayer.ETHERNET ? 0 : completion.serviceLevel(),
                completion.destinationPathBits(),
                Rate.PORT_CURRENT,
                port);
        PathCheck.check(ports, vector);
        return vector;
    }

    /**
     * @throws RdmaException ENOENT if the port's GID table does not contain the destination
     */
    private GlobalRoute reply(PortTables ports, int port) {
        int slots = ports.attributes(port).gidTableLength();
        for (int index = 0; index < slots; index++) {
            GidEntry entry = ports.gid(port, index);
            if (entry != null && entry.gid().equals(destination)) {
                return new GlobalRoute(source, flowLabel, index, REPLY_HOP_LIMIT, trafficClass);
            }
        }
        throw new RdmaException(
                Errno.ENOENT, "the datagram came to " + destination + ", which port " + port + " has not as a GID");
    }
}
