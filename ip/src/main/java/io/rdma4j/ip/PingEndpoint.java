// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.ip.Icmp;
import io.rdma4j.wire.ip.Icmpv6;
import org.jspecify.annotations.Nullable;

/**
 * Sends echo requests and receives the replies ({@code struct ping_sock}). The data of a received buffer begin behind
 * the ICMP header; {@link #sequence} returns the request's number. Belongs to the owner of the stack's loop.
 */
public final class PingEndpoint extends IpEndpoint {
    private final PingTable table;
    private final int identifier;
    private long errorPrefix;
    private long errorInterfaceId;

    /** Next endpoint of the table. */
    @Nullable
    PingEndpoint next;

    PingEndpoint(PingTable table, int identifier, int receiveBytes) {
        super(receiveBytes);
        this.table = table;
        this.identifier = identifier;
    }

    /** {@return the identifier of its echo requests, 16 bits} */
    public int identifier() {
        return identifier;
    }

    /**
     * Sends an echo request.
     *
     * @param payload with {@link UdpPorts#HEADROOM} bytes of headroom; no longer the caller's
     * @param to destination
     * @param sequence number of the request, 16 bits
     * @return null if it was passed on; else a pending error, or the error of this packet: that of the route,
     *     EADDRNOTAVAIL without a source address, or EMSGSIZE
     */
    public @Nullable Errno send(SkBuff payload, Gid to, int sequence) {
        Errno error = takeError();
        if (error == null) {
            return table.send(payload, to, identifier << 16 | sequence & 0xFFFF, options());
        }
        payload.free();
        return error;
    }

    /**
     * {@return the station that sent the ICMP error of the last {@link #takeError}, zero before the first one}
     * Allocates.
     */
    public Gid errorSource() {
        return new Gid(errorPrefix, errorInterfaceId);
    }

    /** Stores the error that an ICMP packet reports, with its sender. */
    void fail(Errno reason, SkBuff by) {
        errorPrefix = IpPacket.sourcePrefix(by);
        errorInterfaceId = IpPacket.sourceInterfaceId(by);
        fail(reason);
    }

    /**
     * {@return the number of the request to which a received packet replies, 16 bits}
     *
     * @param answer packet that was received here
     */
    public static int sequence(SkBuff answer) {
        return Icmp.sequence(answer.memory(), answer.transportHeader());
    }

    /**
     * {@return the sender of a received reply} Allocates.
     *
     * @param answer packet that was received here
     */
    public static Gid source(SkBuff answer) {
        return IpPacket.source(answer);
    }

    static int requestType(boolean isIpv4) {
        return isIpv4 ? Icmp.ECHO_REQUEST : Icmpv6.ECHO_REQUEST;
    }

    @Override
    public void close() {
        table.remove(this);
        discardAll();
    }
}
