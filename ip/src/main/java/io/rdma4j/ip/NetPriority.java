// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

import io.rdma4j.net.NetDevice;
import java.util.Arrays;

/**
 * Priorities by device for packets whose sender sets none, shared by a group of senders ({@code net_prio.ifpriomap} of
 * a control group). Any thread.
 */
public final class NetPriority {
    private record Rule(NetDevice device, int priority) {}

    private volatile Rule[] rules = {};

    /** Creates an object without rules. */
    public NetPriority() {}

    /**
     * Sets the priority of packets that leave through {@code device}.
     *
     * @param device through which packets leave
     * @param priority 0 removes the rule
     */
    public synchronized void set(NetDevice device, int priority) {
        Rule[] others =
                Arrays.stream(rules).filter(rule -> !rule.device.equals(device)).toArray(Rule[]::new);
        if (priority != 0) {
            others = Arrays.copyOf(others, others.length + 1);
            others[others.length - 1] = new Rule(device, priority);
        }
        rules = others;
    }

    /**
     * {@return the priority on a device; 0 without a rule}
     *
     * @param device through which a packet leaves
     */
    @SuppressWarnings("ReferenceEquality") // a device is itself
    public int on(NetDevice device) {
        for (Rule rule : rules) {
            if (rule.device == device) {
                return rule.priority;
            }
        }
        return 0;
    }
}
