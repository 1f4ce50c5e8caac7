// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.ns.NetNamespace;
import java.util.ArrayList;
import java.util.List;

/**
 * Virtual functions of a parent device, as an SR-IOV adapter provides. The user of a function sees an Ethernet device.
 * The owner of the parent sets its link address and binds it to a VLAN, which the user cannot leave.
 */
public final class VirtualFunctions {
    private final NetDevice parent;
    private final List<MacvlanDevice> functions = new ArrayList<>();

    /**
     * Creates {@code count} functions and registers them in the parent's namespace ({@code sriov_numvfs}). Their names
     * are {@code <parent>v<number>}, and their link addresses are random.
     *
     * @param parent an Ethernet device, registered
     * @param count number of functions
     * @throws RdmaException as {@link MacvlanDevice#create}, or if their names are too long
     */
    public VirtualFunctions(NetDevice parent, int count) {
        this.parent = parent;
        for (int i = 0; i < count; i++) {
            MacvlanDevice function = MacvlanDevice.create(parent, parent.name() + "v" + i, 0);
            NetNamespace.of(parent).register(function.netDevice());
            functions.add(function);
        }
    }

    /**
     * {@return the device of a function}
     *
     * @param function its number, from 0
     */
    public NetDevice netDevice(int function) {
        return of(function).netDevice();
    }

    /**
     * Sets the link address of a function ({@code ndo_set_vf_mac}).
     *
     * @param function its number, from 0
     * @param mac 48 bits
     * @throws RdmaException EINVAL if there is no such function, EADDRNOTAVAIL for a group address or zero
     */
    public void setMac(int function, long mac) {
        of(function).netDevice().setMacAddress(mac);
    }

    /**
     * Binds a function to a VLAN ({@code ndo_set_vf_vlan}). Its frames have the tag on the parent's link and none in
     * the function. VLAN 0 with priority 0 removes the binding.
     *
     * @param function its number, from 0
     * @param vid 0..4094
     * @param codePoint priority in the tag, 0..7
     * @throws RdmaException EINVAL if there is no such function or the priority is out of range, ERANGE for a VLAN out
     *     of range
     */
    public void setVlan(int function, int vid, int codePoint) {
        of(function).portVlan(vid, codePoint);
    }

    private MacvlanDevice of(int function) {
        if (function < 0 || function >= functions.size()) {
            throw new RdmaException(
                    Errno.EINVAL,
                    parent.name() + " has no function " + function + ", but 0.." + (functions.size() - 1));
        }
        return functions.get(function);
    }
}
