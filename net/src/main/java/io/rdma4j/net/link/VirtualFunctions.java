package io.rdma4j.net.link;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.ns.NetNamespace;
import java.util.ArrayList;
import java.util.List;

/**
 * Devices carved from a parent, as an adapter with SR-IOV makes several of one: who uses such a device sees an Ethernet device, and who owns
 * the parent says which address it has and to which VLAN it is bound, and it cannot leave that.
 */
public final class VirtualFunctions {
    private final NetDevice parent;
    private final List<MacvlanDevice> functions = new ArrayList<>();

    /**
     * Carves {@code count} devices and registers them where the parent is ({@code sriov_numvfs}). They are called {@code <parent>v<number>}
     * and have addresses drawn by lot.
     *
     * @param parent an Ethernet device, registered
     * @param count how many
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
     * {@return the device of a function, from 0}
     *
     * @param function its number, from 0
     */
    public NetDevice netDevice(int function) {
        return of(function).netDevice();
    }

    /**
     * Gives a function its link address ({@code ndo_set_vf_mac}).
     *
     * @param function its number, from 0
     * @param mac 48 bits
     * @throws RdmaException EINVAL for a function that there is none, EADDRNOTAVAIL for a group or zero
     */
    public void setMac(int function, long mac) {
        of(function).netDevice().setMacAddress(mac);
    }

    /**
     * Binds a function to a VLAN ({@code ndo_set_vf_vlan}): outside its frames have the tag, inside they have none. VLAN 0 and priority 0: to none.
     *
     * @param function its number, from 0
     * @param vid 0..4094
     * @param codePoint priority in the tag, 0..7
     * @throws RdmaException EINVAL for a function that there is none or a priority out of range, ERANGE for a VLAN out of range
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
