package io.rdma4j.net;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * A queue in the tree of attributes ({@code /sys/class/net/DEVICE/queues/rx-0}).
 *
 * @param path below the device's node: {@code queues/rx-0}, {@code queues/tx-0}
 * @param attributes the value of each by its name, as text
 */
public record QueueNode(String path, Map<String, Supplier<String>> attributes) {
    /**
     * {@return the nodes of the queues in use of a device; none unless it is on the lists of its namespace, or about to
     * leave them}
     *
     * @param device whose it is
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

    private static QueueNode of(ReceiveQueue queue) {
        return new QueueNode("queues/rx-" + queue.index(), Map.of("rps_cpus", () -> Long.toHexString(queue.rpsCpus())));
    }

    private static QueueNode of(TransmitQueues queues, int index) {
        return new QueueNode(
                "queues/tx-" + index,
                Map.of(
                        "tx_timeout", () -> Long.toString(queues.queue(index).timeouts()),
                        "traffic_class", () -> Integer.toString(queues.classes().classOfQueue(index))));
    }
}
