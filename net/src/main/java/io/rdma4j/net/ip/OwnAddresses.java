package io.rdma4j.net.ip;

import io.rdma4j.base.Gid;
import io.rdma4j.net.NetDevice;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The IP addresses of a device. Reads them from the device each time, because they may change. Allocates nothing. */
final class OwnAddresses {
    private final NetDevice device;

    OwnAddresses(NetDevice device) {
        this.device = device;
    }

    boolean contains(long prefix, long interfaceId) {
        List<Gid> own = device.addresses();
        for (int i = 0; i < own.size(); i++) {
            if (own.get(i).prefix() == prefix && own.get(i).interfaceId() == interfaceId) {
                return true;
            }
        }
        return false;
    }

    /** Returns the first address of the IP version, which is the source of requests; null if there is none. */
    @Nullable
    Gid first(boolean ipv4) {
        List<Gid> own = device.addresses();
        for (int i = 0; i < own.size(); i++) {
            if (own.get(i).isIpv4() == ipv4) {
                return own.get(i);
            }
        }
        return null;
    }
}
