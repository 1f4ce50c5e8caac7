// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric;

/** The counters of a port, by the names of performance management (IBA 16.1.3.5, 16.1.4). */
public enum PortCount {
    /** Losses of the link. */
    LINK_DOWNED,
    /** Packets with an error that arrived. */
    RCV_ERRORS,
    /** Packets that the switch could not forward. */
    RCV_SWITCH_RELAY_ERRORS,
    /** Packets that were dropped instead of sent. */
    XMIT_DISCARDS,
    /** Packets that P_Key enforcement or a filter did not send. */
    XMIT_CONSTRAINT_ERRORS,
    /** Packets that P_Key enforcement or a filter did not accept. */
    RCV_CONSTRAINT_ERRORS,
    /** Packets that overran a buffer. */
    EXCESSIVE_BUFFER_OVERRUN_ERRORS,
    /** Packets of VL15 that were dropped for lack of buffers. */
    VL15_DROPPED,
    /** Words of 4 bytes that were sent. */
    XMIT_DATA,
    /** Words of 4 bytes that arrived. */
    RCV_DATA,
    /** Packets that were sent. */
    XMIT_PKTS,
    /** Packets that arrived. */
    RCV_PKTS,
    /** Multicast packets that were sent. */
    MULTICAST_XMIT_PKTS,
    /** Multicast packets that arrived. */
    MULTICAST_RCV_PKTS,
    /** Nanoseconds with a packet to send but without credits. */
    XMIT_WAIT,
    /** Packets with a wrong CRC. */
    LOCAL_PHYSICAL_ERRORS,
    /** Packets with a wrong length or an invalid field. */
    MALFORMED_PACKET_ERRORS,
    /** Packets that found no buffer. */
    BUFFER_OVERRUN_ERRORS,
    /** Packets whose DLID leads nowhere. */
    DLID_MAPPING_ERRORS,
    /** Packets whose service level has no lane, or whose lane does not exist. */
    VL_MAPPING_ERRORS,
    /** Packets that would leave by the port at which they arrived. */
    LOOPING_ERRORS,
    /** Packets to a port that is not active. */
    INACTIVE_DISCARDS,
    /** Packets that are longer than the neighbour's MTU. */
    NEIGHBOR_MTU_DISCARDS,
    /** Packets that stayed in the switch too long. */
    SW_LIFETIME_LIMIT_DISCARDS,
    /** Packets that stayed at the head of their lane too long. */
    SW_HOQ_LIFETIME_LIMIT_DISCARDS
}
