// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.loop;

import io.rdma4j.net.NetDevice;
import io.rdma4j.net.receive.Napi;
import java.util.Arrays;

/**
 * The devices of a loop. The owner calls the methods, unless they name another thread. An error of a driver takes its
 * device and the clients of the device out of service.
 */
final class LoopDevices {
    private final DeadlineQueue deadlines;
    private final LoopClients clients;
    private final LoopErrors log;
    private volatile LoopDevice[] all = {};

    /** True if a device may have packets to send. Written by the owner, and when a device is added. */
    private volatile boolean sending;

    /**
     * @param deadlines holds the deadlines of the devices' transmit queues
     * @param clients go out of service with a device that fails
     */
    LoopDevices(DeadlineQueue deadlines, LoopClients clients, LoopErrors log) {
        this.deadlines = deadlines;
        this.clients = clients;
        this.log = log;
    }

    /** Adds a device. Any thread; the caller ensures that only one thread at a time adds or removes. */
    void add(NetDevice device) {
        LoopDevice[] more = Arrays.copyOf(all, all.length + 1);
        more[all.length] = new LoopDevice(device);
        all = more;
        sending = true;
    }

    /** Removes a device, and detaches its polling contexts. Does nothing for a device of another loop. */
    @SuppressWarnings("ReferenceEquality") // a device is itself
    void remove(NetDevice device) {
        for (LoopDevice driven : all) {
            if (driven.device() == device) {
                device.napis().detach();
                deadlines.remove(driven);
            }
        }
        all = Arrays.stream(all).filter(driven -> driven.device() != device).toArray(LoopDevice[]::new);
    }

    /** True if there are devices, and a poll of any would find nothing at present. Any thread; a hint. */
    boolean areQuiet() {
        LoopDevice[] present = all;
        for (LoopDevice driven : present) {
            if (!driven.device().driver().ops().isQuiet()) {
                return false;
            }
        }
        return present.length > 0;
    }

    /** True if a packet waits for a device that did not accept it. Any thread; a hint. */
    boolean areHeldBack() {
        for (LoopDevice driven : all) {
            if (driven.device().transmitQueues().isHeldBack()) {
                return true;
            }
        }
        return false;
    }

    /** True if a device may have packets to send. */
    boolean areSending() {
        return sending;
    }

    /** Notes that a device has packets to send. */
    void expectFlush() {
        if (!sending) {
            sending = true;
        }
    }

    /** Lets the devices send the packets of their transmit queues ({@code net_tx_action}). */
    void send() {
        if (!sending) {
            return;
        }
        sending = false;
        for (LoopDevice driven : all) {
            if (driven.device().transmitQueues().isActive()) {
                flush(driven);
                if (driven.device().transmitQueues().isActive()) {
                    sending = true;
                }
            }
        }
    }

    private void flush(LoopDevice driven) {
        try {
            driven.device().flush();
            deadlines.update(driven);
        } catch (Throwable error) {
            breakDown(driven.device(), error);
        }
    }

    /**
     * Handles an error of the driver behind a polling context, as {@link #breakDown(NetDevice, Throwable)}.
     *
     * @return false, with nothing changed, if the context belongs to none of these devices
     */
    boolean breakDown(Napi napi, Throwable error) {
        for (LoopDevice driven : all) {
            if (driven.device().napis().all().contains(napi)) {
                breakDown(driven.device(), error);
                return true;
            }
        }
        return false;
    }

    /**
     * Handles an error of a device's driver. The device is not polled any more, drops its waiting packets, and its
     * clients go out of service.
     */
    void breakDown(NetDevice device, Throwable error) {
        log.error(device.name() + ": the driver has failed; the device is not polled any more", error);
        try {
            device.napis().all().forEach(Napi::disable);
            device.dropWaiting(_ -> true);
        } catch (Throwable again) {
            log.error(device.name() + ": the driver has failed again", again);
        }
        clients.breakDown(device, error);
    }
}
