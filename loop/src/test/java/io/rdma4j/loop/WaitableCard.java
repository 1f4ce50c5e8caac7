// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.loop;

import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceOps;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.packet.SkBuff;
import java.util.concurrent.Semaphore;

/**
 * A card with a link in which a thread can sleep: a permit of {@link #link} wakes it. Subclasses define how it waits,
 * and what a poll then returns.
 */
abstract class WaitableCard implements NetDeviceOps {
    final NetDevice device;
    final Semaphore link = new Semaphore(0);

    WaitableCard(String name) {
        device = NetLoopTest.device(name, this);
    }

    @Override
    public NetdevTx startXmit(SkBuff skb, NetDevice from) {
        skb.free();
        return NetdevTx.OK;
    }

    @Override
    public boolean hasInterrupt() {
        return true;
    }

    @Override
    public void wakeup() {
        link.release();
    }
}
