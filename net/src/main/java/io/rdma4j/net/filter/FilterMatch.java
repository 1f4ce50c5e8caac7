package io.rdma4j.net.filter;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.IpPrefix;
import io.rdma4j.net.skb.FlowKeys;
import io.rdma4j.packet.FlowState;
import io.rdma4j.packet.PacketDevice;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Which packets a rule is for ({@code struct xt_match}); matches are put together with {@link #and} and {@link #not}. */
@FunctionalInterface
public interface FilterMatch {
    /**
     * Looks at a packet. On the thread that owns the loop; changes and allocates nothing, throws nothing.
     *
     * @param packet what is known of it
     * @return true if it holds
     */
    boolean matches(FilterPacket packet);

    /**
     * {@return one that holds if both do; the second is asked if the first does}
     *
     * @param other the second
     */
    default FilterMatch and(FilterMatch other) {
        return packet -> matches(packet) && other.matches(packet);
    }

    /** {@return one that holds if this does not ({@code !})} */
    default FilterMatch not() {
        return packet -> !matches(packet);
    }

    /** {@return one that holds of any packet} */
    static FilterMatch all() {
        return _ -> true;
    }

    /**
     * {@return one that holds if the packet came in on a device of this name ({@code -i})}
     *
     * @param device its name
     */
    static FilterMatch in(String device) {
        return packet -> isNamed(packet.in(), device);
    }

    /**
     * {@return one that holds if the packet leaves by a device of this name ({@code -o})}
     *
     * @param device its name
     */
    static FilterMatch out(String device) {
        return packet -> isNamed(packet.out(), device);
    }

    private static boolean isNamed(@Nullable PacketDevice device, String name) {
        return device != null && device.name().equals(name);
    }

    /**
     * {@return an IP packet with this protocol in it ({@code -p}), 8 bits}
     *
     * @param protocol 8 bits
     */
    static FilterMatch protocol(int protocol) {
        return packet -> {
            FlowKeys keys = packet.keys();
            return keys != null && keys.protocol() == protocol;
        };
    }

    /**
     * {@return an IP packet from one of these addresses ({@code -s})}
     *
     * @param addresses of the same IP version as the packet, or it does not hold
     */
    static FilterMatch source(IpPrefix addresses) {
        return packet -> {
            FlowKeys keys = packet.keys();
            return keys != null && addresses.contains(keys.sourceHigh(), keys.sourceLow());
        };
    }

    /**
     * {@return an IP packet to one of these addresses ({@code -d})}
     *
     * @param addresses of the same IP version as the packet, or it does not hold
     */
    static FilterMatch destination(IpPrefix addresses) {
        return packet -> {
            FlowKeys keys = packet.keys();
            return keys != null && addresses.contains(keys.destinationHigh(), keys.destinationLow());
        };
    }

    /**
     * {@return one that holds of TCP or UDP from one of these ports ({@code --sport})}
     *
     * @param least the first of them
     * @param most the last of them
     * @throws RdmaException EINVAL if they are not in order and in 0..65535
     */
    static FilterMatch sourcePort(int least, int most) {
        checkPorts(least, most);
        return packet -> {
            FlowKeys keys = packet.keys();
            return keys != null && keys.hasPorts() && keys.sourcePort() >= least && keys.sourcePort() <= most;
        };
    }

    /**
     * {@return one that holds of TCP or UDP to one of these ports ({@code --dport})}
     *
     * @param least the first of them
     * @param most the last of them
     * @throws RdmaException EINVAL if they are not in order and in 0..65535
     */
    static FilterMatch destinationPort(int least, int most) {
        checkPorts(least, most);
        return packet -> {
            FlowKeys keys = packet.keys();
            return keys != null && keys.hasPorts() && keys.destinationPort() >= least && keys.destinationPort() <= most;
        };
    }

    private static void checkPorts(int least, int most) {
        if (least < 0 || most > 0xFFFF || least > most) {
            throw new RdmaException(Errno.EINVAL, "ports " + least + ".." + most + " are not in 0..65535");
        }
    }

    /**
     * {@return one that holds if the mark has this value ({@code -m mark})}
     *
     * @param mark 32 bits
     */
    static FilterMatch mark(int mark) {
        return mark(mark, -1);
    }

    /**
     * {@return one that holds if these bits of the mark have this value}
     *
     * @param mark 32 bits
     * @param mask the bits that are compared
     */
    static FilterMatch mark(int mark, int mask) {
        return packet -> ((packet.skb().mark() ^ mark) & mask) == 0;
    }

    /**
     * {@return one that holds if the security label has this value}
     *
     * @param label 32 bits
     */
    static FilterMatch label(int label) {
        return packet -> packet.skb().secmark() == label;
    }

    /**
     * {@return one that holds if the packet's flow is in one of these states ({@code -m conntrack --ctstate})}
     *
     * @param states at least one
     */
    static FilterMatch state(FlowState... states) {
        List<FlowState> wanted = List.of(states);
        return packet -> wanted.contains(packet.skb().flowState());
    }
}
