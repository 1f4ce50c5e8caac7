// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.shm;

import io.rdma4j.base.Gid;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import org.jspecify.annotations.Nullable;

/** Sends wake-up datagrams, which are shorter than any RoCE packet. For one thread. */
final class WakeupSender {
    /**
     * Payload of a datagram that requests the peer to accept connections, bytes. A datagram that only wakes the peer is
     * empty.
     */
    static final int VISIT_BYTES = 1;

    private final ByteBuffer message = ByteBuffer.allocateDirect(VISIT_BYTES);
    private @Nullable DatagramChannel ipv4;
    private @Nullable DatagramChannel ipv6;

    /** Returns the socket address of a peer for the other methods. */
    static InetSocketAddress listener(Gid address, int port) {
        return new InetSocketAddress(address.toInetAddress(), port);
    }

    /** Sends an empty datagram that ends the peer's wait. Errors are ignored. Allocates only on the first call. */
    void wake(InetSocketAddress listener) {
        sendWakeup(listener, 0);
    }

    /** Sends a datagram that requests the peer to accept connections. */
    void visit(InetSocketAddress listener) {
        sendWakeup(listener, VISIT_BYTES);
    }

    private void sendWakeup(InetSocketAddress listener, int bytes) {
        try {
            channel(listener).send(message.clear().limit(bytes), listener);
        } catch (IOException | RuntimeException e) {
            // The peer also polls without a wake-up.
        }
    }

    private DatagramChannel channel(InetSocketAddress listener) throws IOException {
        boolean isIpv4 = listener.getAddress() instanceof Inet4Address;
        DatagramChannel known = isIpv4 ? ipv4 : ipv6;
        if (known == null) {
            ProtocolFamily family = isIpv4 ? StandardProtocolFamily.INET : StandardProtocolFamily.INET6;
            known = DatagramChannel.open(family);
            known.configureBlocking(false);
            ipv4 = isIpv4 ? known : ipv4;
            ipv6 = isIpv4 ? ipv6 : known;
        }
        return known;
    }

    void close() {
        close(ipv4);
        close(ipv6);
    }

    private static void close(@Nullable DatagramChannel channel) {
        if (channel != null) {
            try {
                channel.close();
            } catch (IOException e) {
                // A failed close loses nothing: no data are buffered.
            }
        }
    }
}
