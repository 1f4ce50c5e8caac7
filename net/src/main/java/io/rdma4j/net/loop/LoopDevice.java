package io.rdma4j.net.loop;

import io.rdma4j.net.NetDevice;

/** A device among those of a loop, with what of it waits for time: the transmit queues and their watchdog. */
final class LoopDevice extends Timed {
    private final NetDevice device;

    LoopDevice(NetDevice device) {
        this.device = device;
    }

    NetDevice device() {
        return device;
    }

    @Override
    protected long nextDeadlineNs() {
        return device.transmitQueues().nextDeadlineNs();
    }

    @Override
    protected void onDeadline(long nowNs) {
        device.transmitQueues().onDeadline(nowNs);
    }
}
