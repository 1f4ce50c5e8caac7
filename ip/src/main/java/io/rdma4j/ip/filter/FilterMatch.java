// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip.filter;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.address.IpPrefix;
import io.rdma4j.net.skb.FlowKeys;
import io.rdma4j.packet.FlowState;
import io.rdma4j.packet.PacketDevice;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Condition of a rule on a packet ({@code struct xt_match}); combined with {@link #and} and {@link #not}. */
@FunctionalInterface
public interface FilterMatch {
    /**
     * Tests a packet. Called by the owner of the loop; must not change the packet, allocate or throw.
     *
     * @param packet with its position and headers
     * @return true if the packet matches
     */
    boolean matches(FilterPacket packet);

    /**
     * {@return a match that is true if both are; the second is evaluated only if the first is true}
     *
     * @param other the second match
     */
    default FilterMatch and(FilterMatch other) {
        return packet -> matches(packet) && other.matches(packet);
    }

    /** {@return a match that is true if this one is false ({@code !})} */
    default FilterMatch not() {
        return packet -> !matches(packet);
    }

    /** {@return a match for any packet} */
    static FilterMatch all() {
        return _ -> true;
    }

    /**
     * {@return a match for packets that arrived on a device ({@code -i})}
     *
     * @param device its name
     */
    static FilterMatch in(String device) {
        return packet -> isNamed(packet.in(), device);
    }

    /**
     * {@return a match for packets that leave through a device ({@code -o})}
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
     * {@return a match for IP packets with a protocol ({@code -p})}
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
     * {@return a match for IP packets from a range of addresses ({@code -s})}
     *
     * @param addresses a packet of the other IP version does not match
     */
    static FilterMatch source(IpPrefix addresses) {
        return packet -> {
            FlowKeys keys = packet.keys();
            return keys != null && addresses.contains(keys.sourceHigh(), keys.sourceLow());
        };
    }

    /**
     * {@return a match for IP packets to a range of addresses ({@code -d})}
     *
     * @param addresses a packet of the other IP version does not match
     */
    static FilterMatch destination(IpPrefix addresses) {
        return packet -> {
            FlowKeys keys = packet.keys();
            return keys != null && addresses.contains(keys.destinationHigh(), keys.destinationLow());
        };
    }

    /**
     * {@return a match for TCP and UDP from a range of ports ({@code --sport})}
     *
     * @param least first port
     * @param most last port
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
     * {@return a match for TCP and UDP to a range of ports ({@code --dport})}
     *
     * @param least first port
     * @param most last port
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
     * {@return a match for packets with a mark ({@code -m mark})}
     *
     * @param mark 32 bits
     */
    static FilterMatch mark(int mark) {
        return mark(mark, -1);
    }

    /**
     * {@return a match for packets with some bits of a mark}
     *
     * @param mark 32 bits
     * @param mask the bits that are compared
     */
    static FilterMatch mark(int mark, int mask) {
        return packet -> ((packet.skb().marks().mark() ^ mark) & mask) == 0;
    }

    /**
     * {@return a match for packets with a security label}
     *
     * @param label 32 bits
     */
    static FilterMatch label(int label) {
        return packet -> packet.skb().marks().secmark() == label;
    }

    /**
     * {@return a match for packets whose flow is in one of some states ({@code -m conntrack --ctstate})}
     *
     * @param states at least one
     */
    static FilterMatch state(FlowState... states) {
        List<FlowState> wanted = List.of(states);
        return packet -> wanted.contains(packet.skb().marks().flowState());
    }
}
