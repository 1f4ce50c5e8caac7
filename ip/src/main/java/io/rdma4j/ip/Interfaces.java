// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

import io.rdma4j.packet.PacketDevice;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The interfaces of a stack, in an array: they are few, so a scan is faster than a map. Only the owner of the loop
 * changes it.
 */
final class Interfaces {
    private IpInterface[] all = {};
    private @Nullable IpInterface loopback;

    void add(IpInterface one) {
        all = Arrays.copyOf(all, all.length + 1);
        all[all.length - 1] = one;
        if (one.isLoopback() && loopback == null) {
            loopback = one;
        }
    }

    @SuppressWarnings("ReferenceEquality") // an interface is itself
    void remove(IpInterface gone) {
        all = Arrays.stream(all).filter(one -> one != gone).toArray(IpInterface[]::new);
        if (loopback == gone) {
            loopback = Arrays.stream(all)
                    .filter(IpInterface::isLoopback)
                    .findFirst()
                    .orElse(null);
        }
    }

    /** Returns IP on a device; null if the device is not in the stack. */
    @Nullable
    IpInterface of(@Nullable PacketDevice device) {
        for (IpInterface one : all) {
            if (one.device() == device) {
                return one;
            }
        }
        return null;
    }

    /** True if an address, given by its halves, belongs to this host. */
    boolean isOwn(long prefix, long interfaceId) {
        for (IpInterface one : all) {
            if (one.isOwn(prefix, interfaceId)) {
                return true;
            }
        }
        return false;
    }

    /** The interface of packets from the host to itself; null if there is none. */
    @Nullable
    IpInterface loopback() {
        return loopback;
    }

    /** All interfaces; the caller must not change the array. */
    IpInterface[] array() {
        return all;
    }

    List<IpInterface> list() {
        return List.of(all);
    }
}
