// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.links.VirtualFunctions;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.net.ns.NetHost;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The virtual functions of a machine's interfaces ({@code /sys/class/net/eth0/device/sriov_numvfs}). An Ethernet device
 * can have some if it is not a software link. Any thread may call.
 */
public final class MachineFunctions {
    /** Maximum number of functions of one device ({@code sriov_totalvfs}). */
    public static final int TOTAL = 63;

    private final NetHost net;
    private final Map<NetDevice, Functions> functions = new HashMap<>();

    private record Functions(VirtualFunctions carved, int count) {}

    MachineFunctions(NetHost net) {
        this.net = net;
    }

    /**
     * {@return whether a device can have virtual functions}
     *
     * @param device device of the machine
     */
    public static boolean isPossible(NetDevice device) {
        return device.linkType() == LinkType.ETHERNET && device.node().kind().isEmpty();
    }

    /**
     * {@return the number of functions of a device}
     *
     * @param device device of the machine
     */
    public int count(NetDevice device) {
        return net.rtnl().call(() -> {
            Functions found = functions.get(device);
            return found == null ? 0 : found.count;
        });
    }

    /**
     * Creates the virtual functions of a device, as devices called {@code eth0v0} and so on, or removes all of them.
     *
     * @param device device of the machine
     * @param count number of functions; 0 removes them
     * @throws RdmaException ERANGE if the number is not in 0..{@link #TOTAL}; EBUSY if the device has another number of
     *     functions and {@code count} is not 0; errors of {@link VirtualFunctions}
     */
    public void count(NetDevice device, int count) {
        if (count < 0 || count > TOTAL) {
            throw new RdmaException(Errno.ERANGE, count + " virtual functions are not in 0.." + TOTAL);
        }
        net.rtnl().run(() -> {
            Functions there = functions.get(device);
            if (there == null && count > 0) {
                functions.put(device, new Functions(new VirtualFunctions(device, count), count));
            } else if (there != null && count == 0) {
                functions.remove(device);
                net.unregister(devices(there));
            } else if (there != null && there.count != count) {
                throw new RdmaException(
                        Errno.EBUSY,
                        device.name() + " has " + there.count + " virtual functions: take them away first");
            }
        });
    }

    private static List<NetDevice> devices(Functions functions) {
        List<NetDevice> devices = new ArrayList<>();
        for (int i = 0; i < functions.count; i++) {
            devices.add(functions.carved.netDevice(i));
        }
        return devices;
    }

    /**
     * {@return the functions of a device}
     *
     * @param device device of the machine
     * @throws RdmaException EOPNOTSUPP if the device has none
     */
    public VirtualFunctions of(NetDevice device) {
        Functions found = net.rtnl().call(() -> functions.get(device));
        if (found == null) {
            throw new RdmaException(Errno.EOPNOTSUPP, device.name() + " has no virtual functions");
        }
        return found.carved;
    }

    /** Removes the entry of an unregistered device, whose functions are unregistered with it. */
    void gone(NetDevice device) {
        net.rtnl().run(() -> functions.remove(device));
    }
}
