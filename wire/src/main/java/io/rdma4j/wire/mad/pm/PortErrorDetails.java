// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad.pm;

import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadLayout;

/**
 * The attributes PortRcvErrorDetails and PortXmitDiscardDetails of performance management (IBA 16.1.4.1, 16.1.4.2): the
 * reasons of the errors that {@link PortCountersAttribute} counts. The counters stop at their maximum.
 */
public final class PortErrorDetails {
    /** Bytes of both attributes. */
    private static final int BYTES = 64;

    private static final MadLayout.Builder RCV_FIELDS = PortOptionCounters.selecting("PortRcvErrorDetails");
    /** 0: packets with a wrong CRC. */
    public static final MadField LOCAL_PHYSICAL_ERRORS = RCV_FIELDS.decimal("localPhysicalErrors", 4, 16);
    /** 1: packets with a wrong length or an invalid field. */
    public static final MadField MALFORMED_PACKET_ERRORS = RCV_FIELDS.decimal("malformedPacketErrors", 6, 16);
    /** 2: packets that found no buffer. */
    public static final MadField BUFFER_OVERRUN_ERRORS = RCV_FIELDS.decimal("bufferOverrunErrors", 8, 16);
    /** 3: packets whose DLID leads nowhere. */
    public static final MadField DLID_MAPPING_ERRORS = RCV_FIELDS.decimal("dlidMappingErrors", 10, 16);
    /** 4: packets whose service level has no lane, or whose lane does not exist. */
    public static final MadField VL_MAPPING_ERRORS = RCV_FIELDS.decimal("vlMappingErrors", 12, 16);
    /** 5: packets that would leave by the port at which they arrived. */
    public static final MadField LOOPING_ERRORS = RCV_FIELDS.decimal("loopingErrors", 14, 16);
    /** PortRcvErrorDetails. */
    public static final MadLayout RCV_LAYOUT = RCV_FIELDS.build(BYTES);

    private static final MadLayout.Builder XMIT_FIELDS = PortOptionCounters.selecting("PortXmitDiscardDetails");
    /** 0: packets to a port that is not active. */
    public static final MadField INACTIVE_DISCARDS = XMIT_FIELDS.decimal("inactiveDiscards", 4, 16);
    /** 1: packets that are longer than the neighbour's MTU. */
    public static final MadField NEIGHBOR_MTU_DISCARDS = XMIT_FIELDS.decimal("neighborMtuDiscards", 6, 16);
    /** 2: packets that stayed in the switch too long. */
    public static final MadField SW_LIFETIME_LIMIT_DISCARDS = XMIT_FIELDS.decimal("swLifetimeLimitDiscards", 8, 16);
    /** 3: packets that stayed at the head of their lane too long. */
    public static final MadField SW_HOQ_LIFETIME_LIMIT_DISCARDS =
            XMIT_FIELDS.decimal("swHoqLifetimeLimitDiscards", 10, 16);
    /** PortXmitDiscardDetails. */
    public static final MadLayout XMIT_LAYOUT = XMIT_FIELDS.build(BYTES);

    private PortErrorDetails() {}
}
