// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.diag;

import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.sm.PortInfoAttribute;

/** The text of a link in {@code iblinkinfo} and {@code ibqueryerrors}. */
record LinkLine(FabricPort port) {
    private static final int CAPABILITY_EXTENDED = 1 << 14;

    private int value(MadField field) {
        return field.getInt(port.info(), 0);
    }

    private static String text(FieldFormat format, int value) {
        return format.text(value, 0);
    }

    String state() {
        return text(FieldFormat.PORT_STATE, value(PortInfoAttribute.PORT_STATE));
    }

    String physicalState() {
        return text(FieldFormat.PHYSICAL_STATE, value(PortInfoAttribute.PORT_PHYSICAL_STATE));
    }

    /** Returns width, speed and states between brackets. */
    private String link() {
        if (port.isDown()) {
            return "(              %6s/%8s)".formatted(state(), physicalState());
        }
        int extended = value(PortInfoAttribute.LINK_SPEED_EXT_ACTIVE);
        String speed = extended == 0
                ? text(FieldFormat.SPEED, value(PortInfoAttribute.LINK_SPEED_ACTIVE))
                : text(FieldFormat.EXTENDED_SPEED, extended);
        return "(%3s %18s %6s/%8s)"
                .formatted(
                        text(FieldFormat.WIDTH, value(PortInfoAttribute.LINK_WIDTH_ACTIVE)),
                        speed,
                        state(),
                        physicalState());
    }

    /** Returns what both ends could do better: the wider width, and the higher speed. */
    private String better(FabricPort remote) {
        return "("
                + better(
                        remote,
                        PortInfoAttribute.LINK_WIDTH_SUPPORTED,
                        PortInfoAttribute.LINK_WIDTH_ACTIVE,
                        FieldFormat.WIDTH)
                + " " + betterSpeed(remote) + ")";
    }

    private String betterSpeed(FabricPort remote) {
        boolean isExtended = isExtended(port)
                && isExtended(remote)
                && value(PortInfoAttribute.LINK_SPEED_EXT_SUPPORTED) != 0
                && PortInfoAttribute.LINK_SPEED_EXT_SUPPORTED.isSet(remote.info(), 0);
        return isExtended
                ? better(
                        remote,
                        PortInfoAttribute.LINK_SPEED_EXT_SUPPORTED,
                        PortInfoAttribute.LINK_SPEED_EXT_ACTIVE,
                        FieldFormat.EXTENDED_SPEED)
                : better(
                        remote,
                        PortInfoAttribute.LINK_SPEED_SUPPORTED,
                        PortInfoAttribute.LINK_SPEED_ACTIVE,
                        FieldFormat.SPEED);
    }

    /** Of a switch, port 0 has the capabilities. */
    private static boolean isExtended(FabricPort one) {
        FabricPort able = one.node().isSwitch() ? one.node().port(0) : one;
        return able != null && (PortInfoAttribute.CAPABILITY_MASK.getInt(able.info(), 0) & CAPABILITY_EXTENDED) != 0;
    }

    private String better(FabricPort remote, MadField supported, MadField active, FieldFormat format) {
        int both = value(supported) & supported.getInt(remote.info(), 0);
        int best = Math.max(1, Integer.highestOneBit(both));
        return (best & value(active)) == 0 ? "Could be " + text(format, best) : "";
    }

    /**
     * Returns the line of {@code iblinkinfo}.
     *
     * @param isLong with the GUIDs of both ends and the name of the node
     * @param isAdditional with head-of-queue life and stall count
     */
    String text(boolean isLong, boolean isAdditional) {
        String begin = isLong
                ? "0x%016x \"%30s\" ".formatted(port.guid(), port.node().description())
                : "      " + (port.node().isSwitch() ? "" : "0x%016x ".formatted(port.guid()));
        String more = isAdditional && !port.isDown()
                ? " (HOQ:%d VL_Stall:%d)"
                        .formatted(value(PortInfoAttribute.HOQ_LIFE), value(PortInfoAttribute.VL_STALL_COUNT))
                : "";
        return begin + link(more, isLong);
    }

    /** Returns the link as {@code ibqueryerrors} writes it. */
    String report() {
        String other = port.remote() == null ? "           [  ] \"\" ( )" : remote(true);
        return "%6d%4d[  ] ==%s==>  %s".formatted(port.lid(), port.number(), link(), other);
    }

    /** Returns the line from the LID on. */
    private String link(String more, boolean isLong) {
        return "%6d %4d[  ] ==%s%s==>  %s".formatted(port.lid(), port.number(), link(), more, remote(isLong));
    }

    private String remote(boolean isLong) {
        FabricPort remote = port.remote();
        if (remote == null) {
            return port.isDown() ? "           [  ] \"\" ( )" : "    \"Port not available\"";
        }
        return "%s%6d %4d[  ] \"%s\" %s"
                .formatted(
                        isLong ? "0x%016x ".formatted(remote.guid()) : "",
                        remote.lid(),
                        remote.number(),
                        remote.node().description(),
                        better(remote));
    }
}
