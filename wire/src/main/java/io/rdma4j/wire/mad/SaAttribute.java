// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad;

import org.jspecify.annotations.Nullable;

/** The table of attributes of subnet administration (IBA 15.2.5) that this project encodes. */
public enum SaAttribute {
    /** Capabilities of the class. */
    CLASS_PORT_INFO(0x0001, ClassPortInfo.LAYOUT),
    /** An event. */
    NOTICE(0x0002, Notice.LAYOUT),
    /** A subscription. */
    INFORM_INFO(0x0003, InformInfo.LAYOUT),
    /** A node. */
    NODE_RECORD(0x0011, NodeRecord.LAYOUT),
    /** A service. */
    SERVICE_RECORD(0x0031, ServiceRecord.LAYOUT),
    /** A path. */
    PATH_RECORD(0x0035, PathRecord.LAYOUT),
    /** A membership in a multicast group. */
    MC_MEMBER_RECORD(0x0038, McMemberRecord.LAYOUT);

    private final int attributeId;

    @SuppressWarnings("ImmutableEnumChecker") // has no state that changes
    private final MadLayout layout;

    SaAttribute(int attributeId, MadLayout layout) {
        this.attributeId = attributeId;
        this.layout = layout;
    }

    /** {@return 16 bits} */
    public int attributeId() {
        return attributeId;
    }

    /** {@return the fields of a record} */
    public MadLayout layout() {
        return layout;
    }

    /**
     * {@return the attribute with this ID, or null}
     *
     * @param attributeId 16 bits
     */
    public static @Nullable SaAttribute of(int attributeId) {
        for (SaAttribute attribute : values()) {
            if (attribute.attributeId == attributeId) {
                return attribute;
            }
        }
        return null;
    }
}
