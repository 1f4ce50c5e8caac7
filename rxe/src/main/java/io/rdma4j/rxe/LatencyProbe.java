package io.rdma4j.rxe;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.ip.PingEndpoint;
import io.rdma4j.ip.UdpPorts;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import org.jspecify.annotations.Nullable;

/**
 * Measures the round trip to another port (PortInfo:LinkRoundTripLatency) with an ICMP echo request. Every interface
 * with the destination address answers it. One request at a time; any thread, one at a time.
 */
final class LatencyProbe implements AutoCloseable {
    static final long NO_ANSWER = -1;
    private static final int PAYLOAD_BYTES = 8;

    private final RxePort port;
    private final SkBuffPool pool = new SkBuffPool(1, UdpPorts.HEADROOM + PAYLOAD_BYTES);
    private final PingEndpoint endpoint;
    private long sentNs;

    LatencyProbe(RxePort port) {
        this.port = port;
        this.endpoint = port.netLoop().exclusively(() -> port.stack().openPing());
    }

    /**
     * Sends an echo request.
     *
     * @throws RdmaException the error of the send, such as ENETUNREACH
     */
    void ask(Gid peer) {
        sentNs = port.options().clock().nanoTime();
        check(peer, port.netLoop().exclusively(() -> {
            SkBuff skb = pool.allocate();
            if (skb == null) {
                return Errno.ENOMEM;
            }
            skb.reserve(UdpPorts.HEADROOM);
            int at = skb.put(PAYLOAD_BYTES);
            skb.memory().asSlice(at, PAYLOAD_BYTES).fill((byte) 0);
            return endpoint.send(skb, peer, 0);
        }));
    }

    /**
     * Polls for the echo reply.
     *
     * @return time since the request in ns, or {@link #NO_ANSWER} if no reply has arrived
     * @throws RdmaException the error that a router or the neighbour table reported instead
     */
    long answerNs(Gid peer) {
        return port.netLoop().exclusively(() -> {
            check(peer, endpoint.takeError());
            SkBuff answer = endpoint.receive();
            if (answer == null) {
                return NO_ANSWER;
            }
            answer.free();
            return port.options().clock().nanoTime() - sentNs;
        });
    }

    private static void check(Gid peer, @Nullable Errno error) {
        if (error != null) {
            throw new RdmaException(error, "no echo from " + peer);
        }
    }

    /** Closes the endpoint. If a request still waits for neighbour resolution, its memory is not freed. */
    @Override
    public void close() {
        port.netLoop().exclusively(endpoint::close);
        if (pool.available() == pool.count()) {
            pool.close();
        }
    }
}
