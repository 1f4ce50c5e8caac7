// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net;

import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffQueue;
import io.rdma4j.testing.fixtures.Packets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A driver that records packets; busy after {@link #room} packets. */
class RecordingDriver implements NetDeviceOps {
    final List<byte[]> sent = new ArrayList<>();
    final List<SkBuff> whole = new ArrayList<>();
    final List<String> calls = new ArrayList<>();
    final SkBuffQueue arriving = new SkBuffQueue(100);
    int room = Integer.MAX_VALUE;
    /** Keeps the buffers in {@link #whole} instead of freeing them. */
    boolean keep;

    @Override
    public NetdevTx startXmit(SkBuff skb, NetDevice device) {
        if (room == 0) {
            return NetdevTx.BUSY;
        }
        room--;
        sent.add(Packets.bytes(skb));
        if (keep) {
            whole.add(skb);
        } else {
            skb.free();
        }
        return NetdevTx.OK;
    }

    @Override
    public @Nullable SkBuff pollReceive(NetDevice device) {
        return arriving.dequeue();
    }

    @Override
    public void open(NetDevice device) {
        calls.add("open");
    }

    @Override
    public void stop(NetDevice device) {
        calls.add("stop");
    }

    @Override
    public void uninit(NetDevice device) {
        calls.add("uninit");
    }
}
