// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe.carrier;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.ip.IpStack;
import io.rdma4j.ip.PingEndpoint;
import io.rdma4j.ip.UdpPorts;
import io.rdma4j.loop.NetLoop;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import org.jspecify.annotations.Nullable;

/**
 * Measures the round trip to another port (PortInfo:LinkRoundTripLatency) with an ICMP echo request. Every interface
 * with the destination address answers it. One request at a time; any thread, one at a time.
 */
public final class LatencyProbe implements AutoCloseable {
    public static final long NO_ANSWER = -1;
    private static final int PAYLOAD_BYTES = 8;

    private final NetLoop loop;
    private final SkBuffPool pool = new SkBuffPool(1, UdpPorts.HEADROOM + PAYLOAD_BYTES);
    private final PingEndpoint endpoint;
    private long sentNs;

    public LatencyProbe(NetLoop loop, IpStack stack) {
        this.loop = loop;
        this.endpoint = loop.exclusively(stack::openPing);
    }

    /**
     * Sends an echo request.
     *
     * @throws RdmaException the error of the send, such as ENETUNREACH
     */
    public void ask(Gid peer) {
        sentNs = loop.clock().nanoTime();
        check(peer, loop.exclusively(() -> {
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
    public long answerNs(Gid peer) {
        return loop.exclusively(() -> {
            check(peer, endpoint.takeError());
            SkBuff answer = endpoint.receive();
            if (answer == null) {
                return NO_ANSWER;
            }
            answer.free();
            return loop.clock().nanoTime() - sentNs;
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
        loop.exclusively(endpoint::close);
        if (pool.available() == pool.count()) {
            pool.close();
        }
    }
}
