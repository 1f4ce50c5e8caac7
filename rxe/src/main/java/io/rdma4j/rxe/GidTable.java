package io.rdma4j.rxe;

import io.rdma4j.base.Gid;
import io.rdma4j.net.NetDevice;
import io.rdma4j.packet.SkBuff;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The GID table of a port (IBA 4.1.1): the addresses of its network interface, in their order. Each is there once, since an interface
 * has no address twice. An interface without addresses leaves the port the one GID that each has: the prefix of the subnet and the
 * GUID. Any thread.
 */
final class GidTable {
    private final NetDevice device;
    private volatile long guid;
    private volatile Supplier<PortSettings> settings = () -> PortSettings.FIRST;

    GidTable(NetDevice device) {
        this.device = device;
    }

    /**
     * The port is there.
     *
     * @param portGuid EUI-64
     * @param written who knows the prefix of the subnet
     */
    void begin(long portGuid, Supplier<PortSettings> written) {
        guid = portGuid;
        settings = written;
    }

    /** True if there is the GID of prefix and GUID alone. */
    boolean isDefault() {
        return device.addresses().isEmpty();
    }

    /** The GID at {@code index}; null behind the last one. */
    @Nullable
    Gid at(int index) {
        List<Gid> own = device.addresses();
        if (own.isEmpty() && index == 0) {
            return new Gid(settings.get().info().gidPrefix(), guid);
        }
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
