// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad.sm;

import io.rdma4j.wire.mad.MadArray;
import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadLayout;
import org.jspecify.annotations.Nullable;

/**
 * The layouts of {@link Notice#DATA_DETAILS} by trap number (IBA 14.2.5.1, 15.2.5.1). Offsets count from the first byte
 * of the details.
 */
public final class TrapDetails {
    /** A port became reachable. */
    public static final int GID_IN_SERVICE = 64;
    /** A port is no longer reachable. */
    public static final int GID_OUT_OF_SERVICE = 65;
    /** A multicast group was created. */
    public static final int MULTICAST_CREATED = 66;
    /** A multicast group was deleted. */
    public static final int MULTICAST_DELETED = 67;
    /** The state of a link changed. */
    public static final int LINK_STATE_CHANGE = 128;
    /** The threshold of link integrity errors was reached. */
    public static final int LINK_INTEGRITY = 129;
    /** The threshold of buffer overruns was reached. */
    public static final int BUFFER_OVERRUN = 130;
    /** Flow control stopped. */
    public static final int FLOW_CONTROL_WATCHDOG = 131;
    /** The capability mask, the node description or another attribute changed at the node itself. */
    public static final int CAPABILITY_CHANGE = 144;
    /** The system image GUID changed. */
    public static final int SYSTEM_IMAGE_GUID_CHANGE = 145;
    /** A datagram of subnet management had a wrong M_Key. */
    public static final int BAD_M_KEY = 256;
    /** A packet had a wrong P_Key. */
    public static final int BAD_P_KEY = 257;
    /** A packet had a wrong Q_Key. */
    public static final int BAD_Q_KEY = 258;
    /** A packet had a wrong P_Key at a port of a switch. */
    public static final int BAD_P_KEY_AT_SWITCH = 259;

    private static final int BYTES = 54;

    private static final MadLayout.Builder GID_FIELDS = MadLayout.builder("GID");
    /** 64 to 67: the port or the group. */
    public static final MadField GID = GID_FIELDS.gid("gid", 6);

    private static final MadLayout GID_LAYOUT = GID_FIELDS.build(BYTES);

    private static final MadLayout.Builder SWITCH_FIELDS = MadLayout.builder("switch");
    /** 128: the switch. */
    public static final MadField SWITCH_LID = SWITCH_FIELDS.hex("switchLid", 0, 16);

    private static final MadLayout SWITCH_LAYOUT = SWITCH_FIELDS.build(BYTES);

    private static final MadLayout.Builder PORT_FIELDS = MadLayout.builder("port");
    /** 129 to 131, 144, 145, 256: the node. */
    public static final MadField LID = PORT_FIELDS.hex("lid", 2, 16);
    /** 129 to 131: the port. */
    public static final MadField PORT_NUM = PORT_FIELDS.decimal("portNum", 4, 8);

    private static final MadLayout PORT_LAYOUT = PORT_FIELDS.build(BYTES);

    private static final MadLayout.Builder CHANGE_FIELDS = lid("change");
    /** 144: 1 if {@link #CHANGE_FLAGS} is valid. */
    public static final MadField LOCAL_CHANGES = CHANGE_FIELDS.decimal("localChanges", 5, 7, 1);
    /** 144: the new capability mask. */
    public static final MadField CAPABILITY_MASK = CHANGE_FIELDS.hex("capabilityMask", 6, 32);
    /** 144: 1 node description, 2 enabled widths, 4 enabled speeds, 8 priority of the subnet manager. */
    public static final MadField CHANGE_FLAGS = CHANGE_FIELDS.hex("changeFlags", 10, 16);
    /** 144: the new further capabilities. */
    public static final MadField CAPABILITY_MASK_2 = CHANGE_FIELDS.hex("capabilityMask2", 12, 16);

    private static final MadLayout CHANGE_LAYOUT = CHANGE_FIELDS.build(BYTES);

    private static final MadLayout.Builder IMAGE_FIELDS = lid("system image");
    /** 145: the new GUID. */
    public static final MadField SYSTEM_IMAGE_GUID = IMAGE_FIELDS.hex("systemImageGuid", 6, 64);

    private static final MadLayout IMAGE_LAYOUT = IMAGE_FIELDS.build(BYTES);

    private static final MadLayout.Builder M_KEY_FIELDS = lid("M_Key");
    /** 256: {@link Smp#DR_SLID} of the datagram. */
    public static final MadField DR_SLID = M_KEY_FIELDS.hex("drSlid", 4, 16);
    /** 256: its method. */
    public static final MadField METHOD = M_KEY_FIELDS.hex("method", 6, 8);
    /** 256: its attribute. */
    public static final MadField ATTRIBUTE_ID = M_KEY_FIELDS.hex("attributeId", 8, 16);
    /** 256: its attribute modifier. */
    public static final MadField ATTRIBUTE_MODIFIER = M_KEY_FIELDS.hex("attributeModifier", 10, 32);
    /** 256: its key. */
    public static final MadField M_KEY = M_KEY_FIELDS.hex("mKey", 14, 64);
    /** 256: 1 if the datagram was directed-routed. */
    public static final MadField DR_NOTICE = M_KEY_FIELDS.decimal("drNotice", 23, 0, 1);
    /** 256: 1 if {@link #DR_RETURN_PATH} is not complete. */
    public static final MadField DR_PATH_TRUNCATED = M_KEY_FIELDS.decimal("drPathTruncated", 23, 1, 1);
    /** 256: its hop count. */
    public static final MadField DR_HOP_COUNT = M_KEY_FIELDS.decimal("drHopCount", 23, 2, 6);
    /** 256: the beginning of its return path. */
    public static final MadArray DR_RETURN_PATH = M_KEY_FIELDS.decimalArray("drReturnPath", 24, 8, 30);

    private static final MadLayout M_KEY_LAYOUT = M_KEY_FIELDS.build(BYTES);

    private static final MadLayout.Builder KEY_FIELDS = MadLayout.builder("key");
    /** 257, 258: LID of the sender. */
    public static final MadField LID_1 = KEY_FIELDS.hex("lid1", 2, 16);
    /** 257, 258: LID of the receiver. */
    public static final MadField LID_2 = KEY_FIELDS.hex("lid2", 4, 16);
    /** 257, 258: the wrong key. */
    public static final MadField KEY = KEY_FIELDS.hex("key", 6, 32);
    /** 257, 258: service level of the packet. */
    public static final MadField SL = KEY_FIELDS.decimal("sl", 10, 0, 4);
    /** 257, 258: queue pair of the sender. */
    public static final MadField QPN_1 = KEY_FIELDS.hex("qpn1", 11, 24);
    /** 257, 258: queue pair of the receiver. */
    public static final MadField QPN_2 = KEY_FIELDS.hex("qpn2", 15, 24);
    /** 257, 258: GID of the sender. */
    public static final MadField GID_1 = KEY_FIELDS.gid("gid1", 18);
    /** 257, 258: GID of the receiver. */
    public static final MadField GID_2 = KEY_FIELDS.gid("gid2", 34);

    private static final MadLayout KEY_LAYOUT = KEY_FIELDS.build(BYTES);

    private static final MadLayout.Builder SWITCH_KEY_FIELDS = MadLayout.builder("P_Key at switch");
    /** 259: which of the following fields are valid. */
    public static final MadField DATA_VALID = SWITCH_KEY_FIELDS.hex("dataValid", 0, 16);
    /** 259: LID of the sender. */
    public static final MadField SENDER_LID = SWITCH_KEY_FIELDS.hex("lid1", 2, 16);
    /** 259: LID of the receiver. */
    public static final MadField RECEIVER_LID = SWITCH_KEY_FIELDS.hex("lid2", 4, 16);
    /** 259: the wrong P_Key. */
    public static final MadField P_KEY = SWITCH_KEY_FIELDS.hex("pkey", 6, 16);
    /** 259: service level of the packet. */
    public static final MadField PACKET_SL = SWITCH_KEY_FIELDS.decimal("sl", 8, 0, 4);
    /** 259: queue pair of the sender. */
    public static final MadField SENDER_QPN = SWITCH_KEY_FIELDS.hex("qpn1", 9, 24);
    /** 259: queue pair of the receiver. */
    public static final MadField RECEIVER_QPN = SWITCH_KEY_FIELDS.hex("qpn2", 13, 24);
    /** 259: GID of the sender. */
    public static final MadField SENDER_GID = SWITCH_KEY_FIELDS.gid("gid1", 16);
    /** 259: GID of the receiver. */
    public static final MadField RECEIVER_GID = SWITCH_KEY_FIELDS.gid("gid2", 32);
    /** 259: LID of the switch. */
    public static final MadField ENFORCING_LID = SWITCH_KEY_FIELDS.hex("switchLid", 48, 16);
    /** 259: port of the switch. */
    public static final MadField ENFORCING_PORT = SWITCH_KEY_FIELDS.decimal("portNum", 50, 8);

    private static final MadLayout SWITCH_KEY_LAYOUT = SWITCH_KEY_FIELDS.build(BYTES);

    private TrapDetails() {}

    private static MadLayout.Builder lid(String name) {
        MadLayout.Builder builder = MadLayout.builder(name);
        builder.hex("lid", LID.offset(), 16);
        return builder;
    }

    /**
     * {@return the layout of the details of a generic trap, or null if the number is unknown}
     *
     * @param trapNumber 16 bits
     */
    public static @Nullable MadLayout of(int trapNumber) {
        return switch (trapNumber) {
            case GID_IN_SERVICE, GID_OUT_OF_SERVICE, MULTICAST_CREATED, MULTICAST_DELETED -> GID_LAYOUT;
            case LINK_STATE_CHANGE -> SWITCH_LAYOUT;
            case LINK_INTEGRITY, BUFFER_OVERRUN, FLOW_CONTROL_WATCHDOG -> PORT_LAYOUT;
            case CAPABILITY_CHANGE -> CHANGE_LAYOUT;
            case SYSTEM_IMAGE_GUID_CHANGE -> IMAGE_LAYOUT;
            case BAD_M_KEY -> M_KEY_LAYOUT;
            case BAD_P_KEY, BAD_Q_KEY -> KEY_LAYOUT;
            case BAD_P_KEY_AT_SWITCH -> SWITCH_KEY_LAYOUT;
            default -> null;
        };
    }
}
