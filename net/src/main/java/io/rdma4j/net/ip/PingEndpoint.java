package io.rdma4j.net.ip;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.Icmp;
import io.rdma4j.wire.Icmpv6;
import org.jspecify.annotations.Nullable;

/**
 * Asks whether others are there, and hears their answers ({@code struct ping_sock}). What is received begins behind the ICMP header;
 * {@link #sequence} says which question it answers.
 */
public final class PingEndpoint extends Endpoint {
    private final PingTable table;
    private final int identifier;
    private long errorPrefix;
    private long errorInterfaceId;

    /** In the table. */
    @Nullable
    PingEndpoint next;

    PingEndpoint(PingTable table, int identifier, int receiveBytes) {
        super(receiveBytes);
        this.table = table;
        this.identifier = identifier;
    }

    /** {@return what its questions are told from those of others by, 16 bits} */
    public int identifier() {
        return identifier;
    }

    /**
     * Sends an echo request.
     *
     * @param payload with {@link UdpPorts#HEADROOM} bytes of headroom; no longer the caller's
     * @param to whom to ask
     * @param sequence which question, 16 bits
     * @return null if it is on its way; else the error that has happened before, or what keeps it from being sent
     */
    public @Nullable Errno send(SkBuff payload, Gid to, int sequence) {
        Errno error = takeError();
        if (error == null) {
            return table.send(payload, to, identifier << 16 | sequence & 0xFFFF, options());
        }
        payload.free();
        return error;
    }

    /** {@return who told of the last error that {@link #takeError} told of, zero before there is one} Allocates. */
    public Gid errorSource() {
        return new Gid(errorPrefix, errorInterfaceId);
    }

    /** A packet told of an error. */
    void fail(Errno reason, SkBuff by) {
        errorPrefix = IpPacket.sourcePrefix(by);
        errorInterfaceId = IpPacket.sourceInterfaceId(by);
        fail(reason);
    }

    /**
     * {@return which question an answer that was received here is to, 16 bits}
     *
     * @param answer what was received here
     */
    public static int sequence(SkBuff answer) {
        return Icmp.sequence(answer.memory(), answer.transportHeader());
    }

    /**
     * {@return whom an answer that was received here is from} Allocates.
     *
     * @param answer what was received here
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
