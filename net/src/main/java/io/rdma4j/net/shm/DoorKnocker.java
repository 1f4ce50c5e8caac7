package io.rdma4j.net.shm;

import io.rdma4j.base.Gid;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import org.jspecify.annotations.Nullable;

/** Sends datagrams that are too short to be anything but a knock. For one thread. */
final class DoorKnocker {
    /** Of a knock by somebody who is at the door; one that wakes a sleeper has none. */
    static final int VISIT_BYTES = 1;

    private final ByteBuffer message = ByteBuffer.allocateDirect(VISIT_BYTES);
    private @Nullable DatagramChannel ipv4;
    private @Nullable DatagramChannel ipv6;

    /** Where a peer listens, as the others want it. */
    static InetSocketAddress door(Gid address, int port) {
        return new InetSocketAddress(address.toInetAddress(), port);
    }

    /** Wakes who sleeps there; nobody learns if it was in vain. Allocates only the first time. */
    void wake(InetSocketAddress door) {
        knock(door, 0);
    }

    /** Says that somebody is at the door. */
    void visit(InetSocketAddress door) {
        knock(door, VISIT_BYTES);
    }

    private void knock(InetSocketAddress door, int bytes) {
        try {
            channel(door).send(message.clear().limit(bytes), door);
        } catch (IOException | RuntimeException e) {
            // The peer looks up now and then anyway.
        }
    }

    private DatagramChannel channel(InetSocketAddress door) throws IOException {
        boolean isIpv4 = door.getAddress().getAddress().length == 4;
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
                // It holds nothing.
            }
        }
    }
}
