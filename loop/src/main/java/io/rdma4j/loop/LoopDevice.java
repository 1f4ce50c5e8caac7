// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.loop;

import io.rdma4j.net.NetDevice;

/** A device of a loop, with the deadlines of its transmit queues and of their watchdog. */
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
