package io.rdma4j.verbs;

import io.rdma4j.base.Mtu;
import java.util.EnumSet;
import java.util.Set;

/**
 * State and tables of a port. Answers to {@code struct ibv_port_attr}; immutable. {@link #ethernet} gives what a RoCE
 * port looks like.
 *
 * @param state {@code state}
 * @param maxMtu {@code max_mtu}
 * @param activeMtu {@code active_mtu}: the largest path MTU that may be used now
 * @param gidTableLength {@code gid_tbl_len}
 * @param capabilities {@code port_cap_flags}
 * @param maxMessageSize {@code max_msg_sz}: bytes
 * @param badPkeyCounter {@code bad_pkey_cntr}
 * @param qkeyViolationCounter {@code qkey_viol_cntr}
 * @param pkeyTableLength {@code pkey_tbl_len}
 * @param lid {@code lid}: 16 bits; 0 on Ethernet
 * @param smLid {@code sm_lid}: 16 bits
 * @param lmc {@code lmc}: low LID bits that are free, 3 bits
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
    private static final int MAX_VIOLATIONS = 0xFFFF;

    public PortAttributes {
        capabilities = Set.copyOf(capabilities);
    }

    /** A RoCE port: link layer Ethernet, no LIDs, one lane class, 1X SDR; active and linked up, or down and disabled. */
    public static PortAttributes ethernet(
            boolean up, Mtu maxMtu, Mtu activeMtu, int gidTableLength, int pkeyTableLength, long maxMessageSize) {
        return new PortAttributes(
                up ? PortState.ACTIVE : PortState.DOWN,
                maxMtu,
                activeMtu,
                gidTableLength,
                Set.of(PortCapability.CM_SUP, PortCapability.IP_BASED_GIDS),
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

    /** The same with counters of violations, which have 16 bits and stop at 65535 (IBA 14.2.5.6). */
    public PortAttributes withViolations(long badPkeys, long qkeys) {
        return with(capabilities, (int) Math.min(badPkeys, MAX_VIOLATIONS), (int) Math.min(qkeys, MAX_VIOLATIONS));
    }

    /** The same with one capability more. */
    public PortAttributes withCapability(PortCapability more) {
        Set<PortCapability> all = EnumSet.of(more);
        all.addAll(capabilities);
        return with(all, badPkeyCounter, qkeyViolationCounter);
    }

    private PortAttributes with(Set<PortCapability> flags, int badPkeys, int qkeys) {
        return new PortAttributes(
                state,
                maxMtu,
                activeMtu,
                gidTableLength,
                flags,
                maxMessageSize,
                badPkeys,
                qkeys,
                pkeyTableLength,
                lid,
                smLid,
                lmc,
                maxVlNumber,
                smSl,
                subnetTimeout,
                initTypeReply,
                activeWidth,
                activeSpeed,
                physicalState,
                linkLayer);
    }
}
