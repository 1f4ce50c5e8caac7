package io.rdma4j.net.linux;

import io.rdma4j.net.NetDevice;
import io.rdma4j.net.driver.SyntheticHeader;
import io.rdma4j.net.driver.UdpUnderlayEthtool;
import io.rdma4j.packet.SkBuff;
import org.jspecify.annotations.Nullable;

/** One local address of a {@link LinuxUdpDevice}, or a group that it has joined. For the owner of the loop. */
final class LinuxUdpEndpoint {
    private final NativeUdpSocket socket;
    private final SyntheticHeader header;
    private final UdpReceiver receiver;

    /** @param socket closed with this */
    LinuxUdpEndpoint(NativeUdpSocket socket, int maxDatagramBytes) {
        this.socket = socket;
        this.header = new SyntheticHeader(socket.local(), socket.port());
        this.receiver = new UdpReceiver(socket, header, maxDatagramBytes);
    }

    NativeUdpSocket socket() {
        return socket;
    }

    int descriptor() {
        return socket.descriptor();
    }

    /** True if a packet that starts with its IP header comes from this address. */
    boolean isSourceOf(SkBuff skb) {
        return header.isSourceOf(skb);
    }

    /** {@link UdpReceiver#receive}. */
    @Nullable
    SkBuff receive(SkBuff single, NetDevice device, UdpUnderlayEthtool ethtool) {
        return receiver.receive(single, device, ethtool);
    }

    /** Bytes of the datagram in a packet that was received. */
    int payloadBytes(SkBuff skb) {
        return skb.len() - header.bytes();
    }

    void close() {
        socket.close();
        receiver.close();
    }
}
