// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.device;

import io.rdma4j.base.Gid;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The files of a device below {@code /sys/class/infiniband/DEVICE}, with the texts of the kernel and without line end.
 */
public final class SysfsFiles {
    private SysfsFiles() {}

    /**
     * {@return the text of {@code node_type}}
     *
     * @param type of the device
     */
    public static String nodeType(NodeType type) {
        return type.code() + ": " + (type == NodeType.CA ? "CA" : type.text());
    }

    /**
     * {@return the files of a port by path below {@code ports/N}, without those of its tables}
     *
     * @param port attributes of the port
     */
    public static Map<String, String> port(PortAttributes port) {
        Map<String, String> files = new LinkedHashMap<>();
        files.put("state", port.state().code() + ": " + port.state().name());
        files.put("phys_state", physicalState(port.physicalState()));
        files.put("link_layer", port.linkLayer() == LinkLayer.ETHERNET ? "Ethernet" : "InfiniBand");
        files.put("rate", rate(port));
        files.put("cap_mask", "0x%08x".formatted(PortCapability.mask(port.capabilities())));
        files.put("lid", "0x" + Integer.toHexString(port.lid()));
        files.put("lid_mask_count", Integer.toString(port.lmc()));
        files.put("sm_lid", "0x" + Integer.toHexString(port.smLid()));
        files.put("sm_sl", Integer.toString(port.smSl()));
        return files;
    }

    /** The kernel's names, which differ from those of {@code ibv_devinfo}. */
    private static String physicalState(PhysicalState state) {
        String name = switch (state) {
            case SLEEP -> "Sleep";
            case POLLING -> "Polling";
            case DISABLED -> "Disabled";
            case PORT_CONFIGURATION_TRAINING -> "PortConfigurationTraining";
            case LINK_UP -> "LinkUp";
            case LINK_ERROR_RECOVERY -> "LinkErrorRecovery";
            case PHY_TEST -> "Phy Test";
            default -> "<unknown>";
        };
        return state.code() + ": " + name;
    }

    private static String rate(PortAttributes port) {
        String lane = port.activeSpeed().text();
        double gigabits = Double.parseDouble(lane.substring(0, lane.indexOf(' ')))
                * port.activeWidth().lanes();
        String number = gigabits == Math.rint(gigabits) ? Long.toString((long) gigabits) : Double.toString(gigabits);
        return number + " Gb/sec (" + port.activeWidth().text() + "X " + port.activeSpeed() + ")";
    }

    /**
     * {@return the text of {@code gids/N}: eight groups of four digits}
     *
     * @param gid of the table
     */
    public static String gid(Gid gid) {
        return gid.toHex().replaceAll("(....)(?=.)", "$1:");
    }

    /**
     * {@return the text of {@code pkeys/N}}
     *
     * @param pkey of the table: 16 bits
     */
    public static String pkey(int pkey) {
        return "0x%04x".formatted(pkey & 0xFFFF);
    }
}
