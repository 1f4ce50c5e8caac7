// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric;

/** Why a port drops a packet, and which of its counters count it. Each dropped packet has one reason. */
public enum DropReason {
    /** The state of the input port does not admit the packet. */
    STATE,
    /** The variant CRC is wrong. */
    BAD_VCRC(PortCount.RCV_ERRORS, PortCount.LOCAL_PHYSICAL_ERRORS),
    /** The packet arrived on a lane that is not in use. */
    BAD_LANE(PortCount.RCV_ERRORS, PortCount.VL_MAPPING_ERRORS),
    /** The buffer of the lane is full. */
    OVERRUN(PortCount.EXCESSIVE_BUFFER_OVERRUN_ERRORS, PortCount.BUFFER_OVERRUN_ERRORS),
    /** The buffer of VL15 is full. */
    MANAGEMENT_OVERRUN(PortCount.VL15_DROPPED),
    /** VL15 has another packet than one of subnet management, or such a packet has another lane. */
    MANAGEMENT_LANE(PortCount.RCV_ERRORS, PortCount.MALFORMED_PACKET_ERRORS),
    /** The source LID is not that of a port. */
    BAD_SLID(PortCount.RCV_ERRORS, PortCount.MALFORMED_PACKET_ERRORS),
    /** The destination LID is not that of the end port. */
    NOT_MINE,
    /** The P_Key is not in the table of the input port, or raw packets are filtered. */
    INBOUND_CONSTRAINT(PortCount.RCV_CONSTRAINT_ERRORS),
    /** The P_Key is not in the table of the output port, or raw packets are filtered. */
    OUTBOUND_CONSTRAINT(PortCount.XMIT_CONSTRAINT_ERRORS),
    /** The destination LID leads nowhere. */
    NO_ROUTE(PortCount.RCV_SWITCH_RELAY_ERRORS, PortCount.DLID_MAPPING_ERRORS),
    /** The output port is the input port. */
    LOOP(PortCount.RCV_SWITCH_RELAY_ERRORS, PortCount.LOOPING_ERRORS),
    /** The service level has no lane at the output port. */
    NO_LANE(PortCount.RCV_SWITCH_RELAY_ERRORS, PortCount.VL_MAPPING_ERRORS),
    /** The output port is not active. */
    INACTIVE(PortCount.XMIT_DISCARDS, PortCount.INACTIVE_DISCARDS),
    /** The payload is longer than the neighbour's MTU. */
    MTU(PortCount.XMIT_DISCARDS, PortCount.NEIGHBOR_MTU_DISCARDS),
    /** The packet stayed in the switch too long. */
    LIFETIME(PortCount.XMIT_DISCARDS, PortCount.SW_LIFETIME_LIMIT_DISCARDS),
    /** The packet stayed at the head of its lane too long, or the lane is stalled for that reason. */
    HEAD_OF_QUEUE(PortCount.XMIT_DISCARDS, PortCount.SW_HOQ_LIFETIME_LIMIT_DISCARDS);

    @SuppressWarnings("ImmutableEnumChecker") // private and not modified
    private final PortCount[] counts;

    DropReason(PortCount... counts) {
        this.counts = counts;
    }

    /** Adds 1 to each counter that counts the packet. */
    void addTo(long[] values) {
        for (PortCount count : counts) {
            values[count.ordinal()]++;
        }
    }
}
