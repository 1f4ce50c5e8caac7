// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.device;

import io.rdma4j.base.Mtu;
import java.util.Set;

/**
 * State and tables of a port; immutable. Corresponds to {@code struct ibv_port_attr}. {@link #ethernet} returns the
 * attributes of a RoCE port.
 *
 * @param state {@code state}
 * @param maxMtu {@code max_mtu}
 * @param activeMtu {@code active_mtu}: the largest path MTU that can be used now
 * @param gidTableLength {@code gid_tbl_len}
 * @param capabilities {@code port_cap_flags}
 * @param maxMessageSize {@code max_msg_sz}: bytes
 * @param badPkeyCounter {@code bad_pkey_cntr}
 * @param qkeyViolationCounter {@code qkey_viol_cntr}
 * @param pkeyTableLength {@code pkey_tbl_len}
 * @param lid {@code lid}: 16 bits; 0 on Ethernet
 * @param smLid {@code sm_lid}: 16 bits
 * @param lmc {@code lmc}: number of low LID bits that path selection may vary, 3 bits
 * @param maxVlNumber {@code max_vl_num}: 1..5 for 1, 2, 4, 8, 15 lanes
 * @param smSl {@code sm_sl}: 4 bits
 * @param subnetTimeout {@code subnet_timeout}: 4.096 µs · 2^value; 5 bits
 * @param initTypeReply {@code init_type_reply}: 4 bits
 * @param activeWidth {@code active_width}
 * @param activeSpeed {@code active_speed}
 * @param physicalState {@code phys_state}
 * @param linkLayer {@code link_layer}
 */
public record PortAttributes(
        PortState state,
        Mtu maxMtu,
        Mtu activeMtu,
        int gidTableLength,
        Set<PortCapability> capabilities,
        long maxMessageSize,
        int badPkeyCounter,
        int qkeyViolationCounter,
        int pkeyTableLength,
        int lid,
        int smLid,
        int lmc,
        int maxVlNumber,
        int smSl,
        int subnetTimeout,
        int initTypeReply,
        LinkWidth activeWidth,
        LinkSpeed activeSpeed,
        PhysicalState physicalState,
        LinkLayer linkLayer) {
    private static final int[] LANES = {0, 1, 2, 4, 8, 15};

    /** Unit of times that are encoded as powers of two. */
    private static final long TIME_UNIT_NS = 4096;

    /** Copies the set. */
    public PortAttributes {
        capabilities = Set.copyOf(capabilities);
    }

    /**
     * {@return the attributes of a RoCE port: link layer Ethernet, no LIDs, one data VL, 1X SDR; active with the link
     * up, or down and disabled}
     *
     * @param up true if the port can transfer packets
     * @param maxMtu {@code max_mtu}
     * @param activeMtu {@code active_mtu}: at most {@code maxMtu}
     * @param gidTableLength {@code gid_tbl_len}
     * @param pkeyTableLength {@code pkey_tbl_len}
     * @param maxMessageSize {@code max_msg_sz}: bytes
     */
    public static PortAttributes ethernet(
            boolean up, Mtu maxMtu, Mtu activeMtu, int gidTableLength, int pkeyTableLength, long maxMessageSize) {
        return new PortAttributes(
                up ? PortState.ACTIVE : PortState.DOWN,
                maxMtu,
                activeMtu,
                gidTableLength,
                Set.of(PortCapability.IP_BASED_GIDS),
                maxMessageSize,
                0,
                0,
                pkeyTableLength,
                0,
                0,
                0,
                1,
                0,
                0,
                0,
                LinkWidth.X1,
                LinkSpeed.SDR,
                up ? PhysicalState.LINK_UP : PhysicalState.DISABLED,
                LinkLayer.ETHERNET);
    }

    /** {@return data VLs: 1, 2, 4, 8 or 15; 0 for an undefined code} */
    public int virtualLanes() {
        return maxVlNumber > 0 && maxVlNumber < LANES.length ? LANES[maxVlNumber] : 0;
    }

    /**
     * {@return the code of {@code max_vl_num} for the largest defined number of VLs that is at most {@code lanes}}
     *
     * @param lanes 1 to 15
     */
    public static int vlCode(int lanes) {
        int code = 1;
        while (code + 1 < LANES.length && LANES[code + 1] <= lanes) {
            code++;
        }
        return code;
    }

    /** {@return the maximum time of a packet in the subnet, in ns: 4.096 µs · 2^{@code subnet_timeout}} */
    public long subnetTimeoutNs() {
        return timeoutNs(subnetTimeout);
    }

    /**
     * {@return the time of an encoded subnet timeout, in ns: 4.096 µs · 2^{@code value}}
     *
     * @param value 5 bits
     */
    public static long timeoutNs(int value) {
        return TIME_UNIT_NS << value;
    }
}
