// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad;

/**
 * Capabilities of a management class at a port, and the places to which it redirects requests and sends traps (IBA
 * 13.4.8.1).
 */
public final class ClassPortInfo {
    private static final MadLayout.Builder FIELDS = MadLayout.builder("ClassPortInfo");
    /** Base version. */
    public static final MadField BASE_VERSION = FIELDS.decimal("baseVersion", 0, 8);
    /** Class version. */
    public static final MadField CLASS_VERSION = FIELDS.decimal("classVersion", 1, 8);
    /** Bit 0: sends traps; bits 8 to 15 belong to the class. */
    public static final MadField CAPABILITY_MASK = FIELDS.hex("capabilityMask", 2, 16);
    /** Further capabilities of the class. */
    public static final MadField CAPABILITY_MASK_2 = FIELDS.hex("capabilityMask2", 4, 0, 27);
    /** Time within which the class answers, exponent of 4.096 µs. */
    public static final MadField RESP_TIME_VALUE = FIELDS.decimal("respTime", 7, 3, 5);
    /** GID to which requests are redirected. */
    public static final MadField REDIRECT_GID = FIELDS.gid("redirectGid", 8);
    /** Traffic class to that GID. */
    public static final MadField REDIRECT_TC = FIELDS.hex("redirectTc", 24, 8);
    /** Service level. */
    public static final MadField REDIRECT_SL = FIELDS.decimal("redirectSl", 25, 0, 4);
    /** Flow label. */
    public static final MadField REDIRECT_FLOW_LABEL = FIELDS.hex("redirectFlowLabel", 25, 4, 20);
    /** LID to which requests are redirected. */
    public static final MadField REDIRECT_LID = FIELDS.hex("redirectLid", 28, 16);
    /** P_Key. */
    public static final MadField REDIRECT_PKEY = FIELDS.hex("redirectPkey", 30, 16);
    /** Queue pair. */
    public static final MadField REDIRECT_QP = FIELDS.hex("redirectQp", 33, 24);
    /** Q_Key. */
    public static final MadField REDIRECT_QKEY = FIELDS.hex("redirectQkey", 36, 32);
    /** GID to which traps are sent. */
    public static final MadField TRAP_GID = FIELDS.gid("trapGid", 40);
    /** Traffic class to that GID. */
    public static final MadField TRAP_TC = FIELDS.hex("trapTc", 56, 8);
    /** Service level. */
    public static final MadField TRAP_SL = FIELDS.decimal("trapSl", 57, 0, 4);
    /** Flow label. */
    public static final MadField TRAP_FLOW_LABEL = FIELDS.hex("trapFlowLabel", 57, 4, 20);
    /** LID to which traps are sent. */
    public static final MadField TRAP_LID = FIELDS.hex("trapLid", 60, 16);
    /** P_Key. */
    public static final MadField TRAP_PKEY = FIELDS.hex("trapPkey", 62, 16);
    /** Hop limit. */
    public static final MadField TRAP_HL = FIELDS.decimal("trapHopLimit", 64, 8);
    /** Queue pair. */
    public static final MadField TRAP_QP = FIELDS.hex("trapQp", 65, 24);
    /** Q_Key. */
    public static final MadField TRAP_QKEY = FIELDS.hex("trapQkey", 68, 32);
    /** The structure. */
    public static final MadLayout LAYOUT = FIELDS.build(72);

    private ClassPortInfo() {}
}
