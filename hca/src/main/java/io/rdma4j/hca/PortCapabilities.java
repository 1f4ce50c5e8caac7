// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.device.LinkLayer;
import io.rdma4j.verbs.device.PortCapability;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/** Determines which capabilities a port has itself and which ones programs may set and clear. */
final class PortCapabilities {
    /** Services of programs that use the port; the device does not implement them. */
    private static final Set<PortCapability> OF_PROGRAMS = EnumSet.of(
            PortCapability.SM,
            PortCapability.SM_DISABLED,
            PortCapability.NOTICE_SUP,
            PortCapability.TRAP_SUP,
            PortCapability.CAP_MASK_NOTICE_SUP,
            PortCapability.DR_NOTICE_SUP,
            PortCapability.PKEY_SW_EXT_PORT_TRAP_SUP,
            PortCapability.CM_SUP,
            PortCapability.SNMP_TUNNEL_SUP,
            PortCapability.DEVICE_MGMT_SUP,
            PortCapability.VENDOR_CLASS_SUP,
            PortCapability.BOOT_MGMT_SUP);

    /** The bits that programs set and clear; the port itself sets the others. */
    static final int MASK_OF_PROGRAMS = PortCapability.mask(OF_PROGRAMS);

    /** Capabilities of every port. */
    private static final Set<PortCapability> ALWAYS = EnumSet.of(
            PortCapability.OPT_IPD_SUP,
            PortCapability.SYS_IMAGE_GUID_SUP,
            PortCapability.LED_INFO_SUP,
            PortCapability.CLIENT_REG_SUP);

    /** Port capabilities that depend on a device capability. */
    private static final Map<DeviceCapability, PortCapability> OF_DEVICE = Map.of(
            DeviceCapability.AUTO_PATH_MIG, PortCapability.AUTO_MIGR_SUP,
            DeviceCapability.INIT_TYPE, PortCapability.REINIT_SUP);

    private PortCapabilities() {}

    /** @throws RdmaException EINVAL for a capability that programs may not change */
    static void checkOfPrograms(Set<PortCapability> capabilities) {
        for (PortCapability capability : capabilities) {
            if (!OF_PROGRAMS.contains(capability)) {
                throw new RdmaException(
                        Errno.EINVAL,
                        capability + " follows from what the device is: programs set and clear " + OF_PROGRAMS);
            }
        }
    }

    /**
     * Returns the capabilities of the port itself.
     *
     * @param lasting whether settings survive a restart
     */
    static Set<PortCapability> own(HcaCapabilities ofDevice, PortLink link, boolean lasting) {
        Set<PortCapability> own = EnumSet.copyOf(ALWAYS);
        OF_DEVICE.forEach((device, port) -> {
            if (ofDevice.has(device)) {
                own.add(port);
            }
        });
        if (link.layer() == LinkLayer.ETHERNET) {
            own.add(PortCapability.IP_BASED_GIDS);
        }
        if (lasting) {
            own.add(PortCapability.MKEY_NVRAM);
            own.add(PortCapability.PKEY_NVRAM);
        }
        if (link.lanes() > 1) {
            own.add(PortCapability.SL_MAP_SUP);
        }
        if (link.rate().isExtended()) {
            own.add(PortCapability.EXTENDED_SPEEDS_SUP);
        }
        if (link.hasLatency()) {
            own.add(PortCapability.LINK_LATENCY_SUP);
        }
        return own;
    }
}
