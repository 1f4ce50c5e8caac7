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

    /** True if there are devices, and a poll of any would find nothing at present. Any thread; a hint. */
    static boolean areQuiet(LoopDevice[] all) {
        for (LoopDevice driven : all) {
            if (!driven.device.driver().ops().isQuiet()) {
                return false;
            }
        }
        return all.length > 0;
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
