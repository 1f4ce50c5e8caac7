// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.device.RegistrationState;
import io.rdma4j.net.receive.NetdevRxQueue;
import io.rdma4j.net.transmit.TransmitQueues;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A queue in the attribute tree ({@code /sys/class/net/DEVICE/queues/rx-0}).
 *
 * @param path path below the device's node: {@code queues/rx-0}, {@code queues/tx-0}
 * @param attributes attributes by name
 */
public record QueueNode(String path, Map<String, DeviceAttribute> attributes) {
    /**
     * {@return the nodes of the device's queues in use; none unless the device is registered or being unregistered}
     *
     * @param device the device
     */
    public static List<QueueNode> of(NetDevice device) {
        List<QueueNode> nodes = new ArrayList<>();
        RegistrationState state = device.registration().state();
        if (state == RegistrationState.REGISTERED || state == RegistrationState.UNREGISTERING) {
            for (int i = 0; i < device.receiveQueues().realCount(); i++) {
                nodes.add(of(device.receiveQueues().queue(i)));
            }
            for (int i = 0; i < device.transmitQueues().realCount(); i++) {
                nodes.add(of(device.transmitQueues(), i));
            }
        }
        return nodes;
    }

    private static QueueNode of(NetdevRxQueue queue) {
        DeviceAttribute rpsCpus =
                new DeviceAttribute(() -> Long.toHexString(queue.rpsCpus()), text -> queue.rpsCpus(mask(text)));
        return new QueueNode("queues/rx-" + queue.index(), Map.of("rps_cpus", rpsCpus));
    }

    private static long mask(String text) {
        try {
            return Long.parseUnsignedLong(text.replace(",", ""), 16);
        } catch (NumberFormatException e) {
            throw new RdmaException(Errno.EINVAL, "\"" + text + "\" is no hexadecimal mask", e);
        }
    }

    private static QueueNode of(TransmitQueues queues, int index) {
        return new QueueNode(
                "queues/tx-" + index,
                Map.of(
                        "tx_timeout",
                                DeviceAttribute.readOnly(
                                        () -> Long.toString(queues.queue(index).timeouts())),
                        "traffic_class",
                                DeviceAttribute.readOnly(
                                        () -> Integer.toString(queues.classes().classOfQueue(index)))));
    }
}
