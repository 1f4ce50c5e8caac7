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
    /** On the thread that owns the loop; changes and allocates nothing, throws nothing. */
    boolean matches(FilterPacket packet);

    /** Both hold; the second is asked if the first does. */
    default FilterMatch and(FilterMatch other) {
        return packet -> matches(packet) && other.matches(packet);
    }

    /** This one does not hold ({@code !}). */
    default FilterMatch not() {
        return packet -> !matches(packet);
    }

    /** Any packet. */
    static FilterMatch all() {
        return _ -> true;
    }

    /** It came in on a device of this name ({@code -i}). */
    static FilterMatch in(String device) {
        return packet -> isNamed(packet.in(), device);
    }

    /** It leaves by a device of this name ({@code -o}). */
    static FilterMatch out(String device) {
        return packet -> isNamed(packet.out(), device);
    }

    private static boolean isNamed(@Nullable PacketDevice device, String name) {
        return device != null && device.name().equals(name);
    }

    /** An IP packet with this protocol in it ({@code -p}), 8 bits. */
    static FilterMatch protocol(int protocol) {
        return packet -> {
            FlowKeys keys = packet.keys();
            return keys != null && keys.protocol() == protocol;
        };
    }

    /** An IP packet from one of these addresses ({@code -s}). */
    static FilterMatch source(IpPrefix addresses) {
        return packet -> {
            FlowKeys keys = packet.keys();
            return keys != null && addresses.contains(keys.sourceHigh(), keys.sourceLow());
        };
    }

    /** An IP packet to one of these addresses ({@code -d}). */
    static FilterMatch destination(IpPrefix addresses) {
        return packet -> {
            FlowKeys keys = packet.keys();
            return keys != null && addresses.contains(keys.destinationHigh(), keys.destinationLow());
        };
    }

    /**
     * TCP or UDP from one of these ports ({@code --sport}).
     *
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
     * TCP or UDP to one of these ports ({@code --dport}).
     *
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

    /** The mark has this value ({@code -m mark}). */
    static FilterMatch mark(int mark) {
        return mark(mark, -1);
    }

    /** These bits of the mark have this value. */
    static FilterMatch mark(int mark, int mask) {
        return packet -> ((packet.skb().mark() ^ mark) & mask) == 0;
    }

    /** The security label has this value. */
    static FilterMatch label(int label) {
        return packet -> packet.skb().secmark() == label;
    }

    /** Its flow is in one of these states ({@code -m conntrack --ctstate}). */
    static FilterMatch state(FlowState... states) {
        List<FlowState> wanted = List.of(states);
        return packet -> wanted.contains(packet.skb().flowState());
    }
}
