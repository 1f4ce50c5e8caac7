// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip.neighbour;

import io.rdma4j.base.Gid;
import io.rdma4j.net.NetDevice;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The IP addresses of a device. Reads them from the device each time, because they may change. Allocates nothing. */
public final class OwnAddresses {
    private final NetDevice device;

    /**
     * Reads the addresses of a device.
     *
     * @param device any
     */
    public OwnAddresses(NetDevice device) {
        this.device = device;
    }

    /**
     * {@return true if an address belongs to the device}
     *
     * @param prefix first half of the address
     * @param interfaceId second half
     */
    public boolean contains(long prefix, long interfaceId) {
        List<Gid> own = device.addresses();
        for (int i = 0; i < own.size(); i++) {
            if (own.get(i).prefix() == prefix && own.get(i).interfaceId() == interfaceId) {
                return true;
            }
        }
        return false;
    }

    /**
     * {@return the first address of an IP version, which is the source of requests; null if there is none}
     *
     * @param ipv4 true for IPv4
     */
    public @Nullable Gid first(boolean ipv4) {
        List<Gid> own = device.addresses();
        for (int i = 0; i < own.size(); i++) {
            if (own.get(i).isIpv4() == ipv4) {
                return own.get(i);
            }
        }
        return null;
    }
}
