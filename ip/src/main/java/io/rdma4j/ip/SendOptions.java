// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import org.jspecify.annotations.Nullable;

/**
 * Options of an endpoint for the packets that it sends ({@code struct inet_sock}). Belongs to the owner of the stack's
 * loop.
 */
public final class SendOptions {
    private PmtuDiscovery mtuDiscover = PmtuDiscovery.WANT;
    private int trafficClass;
    private int hopLimit;
    private int priority;
    private @Nullable NetPriority netPriority;

    /**
     * Creates options with the defaults of Linux: {@link PmtuDiscovery#WANT}, traffic class 0, and the stack's hop
     * limit.
     */
    public SendOptions() {}

    /** {@return the mode of path MTU discovery ({@code IP_MTU_DISCOVER})} */
    public PmtuDiscovery mtuDiscover() {
        return mtuDiscover;
    }

    /**
     * Sets the mode of path MTU discovery.
     *
     * @param mode for packets sent from now on
     * @return these options
     */
    public SendOptions mtuDiscover(PmtuDiscovery mode) {
        mtuDiscover = mode;
        return this;
    }

    /** {@return DSCP and ECN, 8 bits ({@code IP_TOS})} */
    public int trafficClass() {
        return trafficClass;
    }

    /**
     * Sets DSCP and ECN, and the priority that Linux assigns to them.
     *
     * @param value 8 bits
     * @return these options
     */
    public SendOptions trafficClass(int value) {
        trafficClass = value & 0xFF;
        priority = TosPriority.of(trafficClass);
        return this;
    }

    /** {@return the hop limit of packets ({@code IP_TTL}); 0 for the stack's default} */
    public int hopLimit() {
        return hopLimit;
    }

    /**
     * Sets the hop limit.
     *
     * @param hops 0..255; 0 for the stack's default
     * @return these options
     * @throws RdmaException EINVAL if it is not in 0..255
     */
    public SendOptions hopLimit(int hops) {
        if (hops < 0 || hops > 255) {
            throw new RdmaException(Errno.EINVAL, "hop limit " + hops + " is not in 0..255");
        }
        hopLimit = hops;
        return this;
    }

    /**
     * Sets the priorities by device that apply while {@link #priority} is 0 ({@code net_prio}).
     *
     * @param rules or null for none
     * @return these options
     */
    public SendOptions netPriority(@Nullable NetPriority rules) {
        netPriority = rules;
        return this;
    }

    /** Priority of a packet that leaves through {@code device} ({@code skb_update_prio}). */
    int priorityOn(NetDevice device) {
        return priority != 0 || netPriority == null ? priority : netPriority.on(device);
    }

    /**
     * Sets the queueing priority.
     *
     * @param value 0 is the lowest
     * @return these options
     */
    public SendOptions priority(int value) {
        priority = value;
        return this;
    }
}
