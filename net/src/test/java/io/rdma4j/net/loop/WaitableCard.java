package io.rdma4j.net.loop;

import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceOps;
import io.rdma4j.net.NetdevTx;
import io.rdma4j.packet.SkBuff;
import java.util.concurrent.Semaphore;

/**
 * A card with a link that a thread can wait for: a permit of {@link #link} wakes it. How it waits and what a poll then finds is what the
 * tests differ in.
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
