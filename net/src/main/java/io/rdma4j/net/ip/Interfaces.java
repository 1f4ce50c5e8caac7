package io.rdma4j.net.ip;

import io.rdma4j.packet.PacketDevice;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The devices of a stack: few, so that a scan of an array beats any map. The owner of the loop changes it. */
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

    /** IP on a device; null if it is none of these. */
    @Nullable
    IpInterface of(@Nullable PacketDevice device) {
        for (IpInterface one : all) {
            if (one.device() == device) {
                return one;
            }
        }
        return null;
    }

    /** True if an address, given by its halves, is one of this host. */
    boolean isOwn(long prefix, long interfaceId) {
        for (IpInterface one : all) {
            if (one.isOwn(prefix, interfaceId)) {
                return true;
            }
        }
        return false;
    }

    /** Where packets of the host to itself go; null if there is no such device. */
    @Nullable
    IpInterface loopback() {
        return loopback;
    }

    /** For a loop over them; not to be changed. */
    IpInterface[] array() {
        return all;
    }

    List<IpInterface> list() {
        return List.of(all);
    }
}
