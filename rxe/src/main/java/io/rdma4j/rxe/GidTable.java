package io.rdma4j.rxe;

import io.rdma4j.base.Gid;
import io.rdma4j.net.NetDevice;
import io.rdma4j.packet.SkBuff;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The GID table of a port (IBA 4.1.1): the addresses of its network interface, in their order and without duplicates.
 * If the interface has no address, the table has only the default GID: subnet prefix and GUID. Any thread.
 */
final class GidTable {
    private final NetDevice device;
    private volatile long guid;
    private volatile Supplier<PortSettings> settings = () -> PortSettings.FIRST;

    GidTable(NetDevice device) {
        this.device = device;
    }

    /**
     * Sets the values of the default GID.
     *
     * @param portGuid EUI-64
     * @param written supplies the settings with the subnet prefix
     */
    void begin(long portGuid, Supplier<PortSettings> written) {
        guid = portGuid;
        settings = written;
    }

    /** Returns true if the table contains only the default GID. */
    boolean isDefault() {
        return device.addresses().isEmpty();
    }

    /** Returns the GID at {@code index}; null after the last one. */
    @Nullable
    Gid at(int index) {
        List<Gid> own = device.addresses();
        if (own.isEmpty() && index == 0) {
            return new Gid(settings.get().info().gidPrefix(), guid);
        }
        return index < own.size() ? own.get(index) : null;
    }

    /** Returns true if a GID belongs to the port. */
    boolean contains(Gid gid) {
        List<Gid> own = device.addresses();
        for (int i = 0; i < own.size(); i++) {
            if (own.get(i).equals(gid)) {
                return true;
            }
        }
        return false;
    }

    /** Returns true if the destination of a received packet is an address of the port. */
    boolean containsDestination(SkBuff skb) {
        List<Gid> own = device.addresses();
        for (int i = 0; i < own.size(); i++) {
            if (NetworkPath.wentTo(skb, own.get(i))) {
                return true;
            }
        }
        return false;
    }

    /** Returns true if the source of a received packet is an address of the port. */
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
