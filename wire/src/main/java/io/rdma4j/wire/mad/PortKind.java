// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad;

import java.util.Set;

/** The kinds of ports that subnet management distinguishes: fields of PortInfo exist on some of them only. */
public enum PortKind {
    /** A port of a channel adapter or router. */
    CHANNEL_ADAPTER,
    /** Port 0 of a switch: the switch as the end of a path, without a link. */
    SWITCH_BASE,
    /** Port 0 of a switch that has the abilities of a channel adapter's port. */
    SWITCH_ENHANCED,
    /** A port of a switch with a link. */
    SWITCH_EXTERNAL;

    /** All kinds. */
    public static final Set<PortKind> ALL = Set.of(values());
    /** Ports with a LID. */
    public static final Set<PortKind> END = Set.of(CHANNEL_ADAPTER, SWITCH_BASE, SWITCH_ENHANCED);
    /** Ports with a LID whose low bits may vary. */
    public static final Set<PortKind> MASKED = Set.of(CHANNEL_ADAPTER, SWITCH_ENHANCED);
    /** Ports with a link. */
    public static final Set<PortKind> LINK = Set.of(CHANNEL_ADAPTER, SWITCH_EXTERNAL);
    /** Ports that send data packets. */
    public static final Set<PortKind> SENDING = Set.of(CHANNEL_ADAPTER, SWITCH_ENHANCED, SWITCH_EXTERNAL);
    /** Ports between which a switch forwards. */
    public static final Set<PortKind> FORWARDING = Set.of(SWITCH_EXTERNAL);
}
