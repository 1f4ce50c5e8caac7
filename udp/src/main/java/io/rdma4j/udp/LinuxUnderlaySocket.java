// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.udp;

import io.rdma4j.net.NetDevice;
import io.rdma4j.packet.SkBuff;
import org.jspecify.annotations.Nullable;

/**
 * The socket of one local address of a {@link LinuxUdpDevice}, or of a group that it has joined. For the owner of the
 * loop.
 */
final class LinuxUnderlaySocket {
    private final NativeUdpSocket socket;
    private final SyntheticHeader header;
    private final UdpReceiver receiver;

    /** @param socket closed with this object */
    LinuxUnderlaySocket(NativeUdpSocket socket, int maxDatagramBytes) {
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

    /** Returns true if the source address of a packet is this socket's. The packet starts with its IP header. */
    boolean isSourceOf(SkBuff skb) {
        return header.isSourceOf(skb);
    }

    /** See {@link UdpReceiver#receive}. */
    @Nullable
    SkBuff receive(SkBuff single, NetDevice device, UdpUnderlayEthtool ethtool) {
        return receiver.receive(single, device, ethtool);
    }

    /** Returns the payload bytes of a received packet. */
    int payloadBytes(SkBuff skb) {
        return skb.len() - header.bytes();
    }

    void close() {
        socket.close();
        receiver.close();
    }
}
