package io.rdma4j.rxe;

import io.rdma4j.base.Gid;
import io.rdma4j.net.NetDevice;
import io.rdma4j.packet.SkBuff;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The GID table of a port (IBA 4.1.1): the addresses of its network interface, in their order. Any thread. */
final class GidTable {
    private final NetDevice device;

    GidTable(NetDevice device) {
        this.device = device;
    }

    /** The GID at {@code index}; null behind the last one. */
    @Nullable
    Gid at(int index) {
        List<Gid> own = device.addresses();
        return index < own.size() ? own.get(index) : null;
    }

    /** True if a GID is one of the port's own. */
    boolean contains(Gid gid) {
        List<Gid> own = device.addresses();
        for (int i = 0; i < own.size(); i++) {
            if (own.get(i).equals(gid)) {
                return true;
            }
        }
        return false;
    }

    /** True if a received packet was sent to one of the port's own addresses. */
    boolean containsDestination(SkBuff skb) {
        List<Gid> own = device.addresses();
        for (int i = 0; i < own.size(); i++) {
            if (NetworkPath.wentTo(skb, own.get(i))) {
                return true;
            }
        }
        return false;
    }

    /** True if a received packet was sent by one of the port's own addresses. */
    boolean containsSource(SkBuff skb) {
        List<Gid> own = device.addresses();
        for (int i = 0; i < own.size(); i++) {
            if (NetworkPath.cameFrom(skb, own.get(i))) {
                return true;
            }
        }
        return false;
    }
}
