package io.rdma4j.net.ip;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import org.jspecify.annotations.Nullable;

/** What a sender wishes for its packets ({@code struct inet_sock}): changed and read by the owner of the stack's loop. */
public final class SendOptions {
    private PmtuDiscovery mtuDiscover = PmtuDiscovery.WANT;
    private int trafficClass;
    private int hopLimit;
    private int priority;
    private @Nullable NetPriority netPriority;

    /** Linux's: "don't fragment" if the packet fits, and the rest the stack's. */
    public SendOptions() {}

    /** {@return what is done about packets that are too large ({@code IP_MTU_DISCOVER})} */
    public PmtuDiscovery mtuDiscover() {
        return mtuDiscover;
    }

    /**
     * Chooses that.
     *
     * @param mode what is done about the path MTU
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
     * Chooses DSCP and ECN, 8 bits, and the priority that goes with them.
     *
     * @param value 8 bits
     * @return these options
     */
    public SendOptions trafficClass(int value) {
        trafficClass = value & 0xFF;
        priority = TosPriority.of(trafficClass);
        return this;
    }

    /** {@return hops that packets may take, 0: the stack's default ({@code IP_TTL})} */
    public int hopLimit() {
        return hopLimit;
    }

    /**
     * Chooses how many hops.
     *
     * @param hops 0..255; 0 for the host's usual number
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
     * {@return priorities on devices that count while {@link #priority} is 0 ({@code net_prio}); null: none}
     *
     * @param rules or null
     */
    public SendOptions netPriority(@Nullable NetPriority rules) {
        netPriority = rules;
        return this;
    }

    /** What a packet has that leaves by {@code device} ({@code skb_update_prio}). */
    int priorityOn(NetDevice device) {
        return priority != 0 || netPriority == null ? priority : netPriority.on(device);
    }

    /** {@return queueing priority of packets ({@code SO_PRIORITY})} */
    public int priority() {
        return priority;
    }

    /**
     * Chooses the priority.
     *
     * @param value 0 is the lowest
     * @return these options
     */
    public SendOptions priority(int value) {
        priority = value;
        return this;
    }
}
