package io.rdma4j.net.ip;

import io.rdma4j.net.NetDevice;
import java.util.Arrays;

/**
 * Priorities that a group of senders has on devices, for packets whose sender has no wish ({@code net_prio.ifpriomap} of a control
 * group). Any thread.
 */
public final class NetPriority {
    private record Rule(NetDevice device, int priority) {}

    private volatile Rule[] rules = {};

    /** No rules yet. */
    public NetPriority() {}

    /**
     * Packets that leave by {@code device} have {@code priority}; 0 takes the rule away.
     *
     * @param device that they leave by
     * @param priority 0 for no rule
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
     * @param device that a packet leaves by
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
