// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric.pma;

import static io.rdma4j.fabric.pma.CounterField.SECOND;
import static io.rdma4j.fabric.pma.CounterField.counter;
import static io.rdma4j.fabric.pma.CounterField.zero;

import io.rdma4j.fabric.PortCount;
import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.pm.PortCountersAttribute;
import io.rdma4j.wire.mad.pm.PortCountersExtended;
import io.rdma4j.wire.mad.pm.PortErrorDetails;
import java.util.List;

/** Which counters the attributes of performance management show, and their select bits (IBA 16.1.3.5, 16.1.4). */
final class CounterTables {
    static final List<CounterField> COUNTERS = List.of(
            zero(PortCountersAttribute.SYMBOL_ERRORS, 0),
            zero(PortCountersAttribute.LINK_ERROR_RECOVERY, 1),
            counter(PortCountersAttribute.LINK_DOWNED, 2, PortCount.LINK_DOWNED),
            counter(PortCountersAttribute.RCV_ERRORS, 3, PortCount.RCV_ERRORS),
            zero(PortCountersAttribute.RCV_REMOTE_PHYSICAL_ERRORS, 4),
            counter(PortCountersAttribute.RCV_SWITCH_RELAY_ERRORS, 5, PortCount.RCV_SWITCH_RELAY_ERRORS),
            counter(PortCountersAttribute.XMIT_DISCARDS, 6, PortCount.XMIT_DISCARDS),
            counter(PortCountersAttribute.XMIT_CONSTRAINT_ERRORS, 7, PortCount.XMIT_CONSTRAINT_ERRORS),
            counter(PortCountersAttribute.RCV_CONSTRAINT_ERRORS, 8, PortCount.RCV_CONSTRAINT_ERRORS),
            zero(PortCountersAttribute.LOCAL_LINK_INTEGRITY_ERRORS, 9),
            counter(
                    PortCountersAttribute.EXCESSIVE_BUFFER_OVERRUN_ERRORS,
                    10,
                    PortCount.EXCESSIVE_BUFFER_OVERRUN_ERRORS),
            counter(PortCountersAttribute.VL15_DROPPED, 11, PortCount.VL15_DROPPED),
            counter(PortCountersAttribute.XMIT_DATA, 12, PortCount.XMIT_DATA),
            counter(PortCountersAttribute.RCV_DATA, 13, PortCount.RCV_DATA),
            counter(PortCountersAttribute.XMIT_PKTS, 14, PortCount.XMIT_PKTS),
            counter(PortCountersAttribute.RCV_PKTS, 15, PortCount.RCV_PKTS),
            counter(PortCountersAttribute.XMIT_WAIT, SECOND, PortCount.XMIT_WAIT),
            zero(PortCountersAttribute.QP1_DROPPED, SECOND + 1));

    static final List<CounterField> EXTENDED = List.of(
            counter(PortCountersExtended.XMIT_DATA, 0, PortCount.XMIT_DATA),
            counter(PortCountersExtended.RCV_DATA, 1, PortCount.RCV_DATA),
            counter(PortCountersExtended.XMIT_PKTS, 2, PortCount.XMIT_PKTS),
            counter(PortCountersExtended.RCV_PKTS, 3, PortCount.RCV_PKTS),
            new CounterField(
                    PortCountersExtended.UNICAST_XMIT_PKTS, 4, PortCount.XMIT_PKTS, PortCount.MULTICAST_XMIT_PKTS),
            new CounterField(
                    PortCountersExtended.UNICAST_RCV_PKTS, 5, PortCount.RCV_PKTS, PortCount.MULTICAST_RCV_PKTS),
            counter(PortCountersExtended.MULTICAST_XMIT_PKTS, 6, PortCount.MULTICAST_XMIT_PKTS),
            counter(PortCountersExtended.MULTICAST_RCV_PKTS, 7, PortCount.MULTICAST_RCV_PKTS),
            zero(error(0), SECOND),
            zero(error(1), SECOND + 1),
            counter(error(2), SECOND + 2, PortCount.LINK_DOWNED),
            counter(error(3), SECOND + 3, PortCount.RCV_ERRORS),
            zero(error(4), SECOND + 4),
            counter(error(5), SECOND + 5, PortCount.RCV_SWITCH_RELAY_ERRORS),
            counter(error(6), SECOND + 6, PortCount.XMIT_DISCARDS),
            counter(error(7), SECOND + 7, PortCount.XMIT_CONSTRAINT_ERRORS),
            counter(error(8), SECOND + 8, PortCount.RCV_CONSTRAINT_ERRORS),
            zero(error(9), SECOND + 9),
            counter(error(10), SECOND + 10, PortCount.EXCESSIVE_BUFFER_OVERRUN_ERRORS),
            counter(error(11), SECOND + 11, PortCount.VL15_DROPPED),
            counter(error(12), SECOND + 12, PortCount.XMIT_WAIT),
            zero(error(13), SECOND + 13));

    static final List<CounterField> RCV_ERROR_DETAILS = List.of(
            counter(PortErrorDetails.LOCAL_PHYSICAL_ERRORS, 0, PortCount.LOCAL_PHYSICAL_ERRORS),
            counter(PortErrorDetails.MALFORMED_PACKET_ERRORS, 1, PortCount.MALFORMED_PACKET_ERRORS),
            counter(PortErrorDetails.BUFFER_OVERRUN_ERRORS, 2, PortCount.BUFFER_OVERRUN_ERRORS),
            counter(PortErrorDetails.DLID_MAPPING_ERRORS, 3, PortCount.DLID_MAPPING_ERRORS),
            counter(PortErrorDetails.VL_MAPPING_ERRORS, 4, PortCount.VL_MAPPING_ERRORS),
            counter(PortErrorDetails.LOOPING_ERRORS, 5, PortCount.LOOPING_ERRORS));

    static final List<CounterField> XMIT_DISCARD_DETAILS = List.of(
            counter(PortErrorDetails.INACTIVE_DISCARDS, 0, PortCount.INACTIVE_DISCARDS),
            counter(PortErrorDetails.NEIGHBOR_MTU_DISCARDS, 1, PortCount.NEIGHBOR_MTU_DISCARDS),
            counter(PortErrorDetails.SW_LIFETIME_LIMIT_DISCARDS, 2, PortCount.SW_LIFETIME_LIMIT_DISCARDS),
            counter(PortErrorDetails.SW_HOQ_LIFETIME_LIMIT_DISCARDS, 3, PortCount.SW_HOQ_LIFETIME_LIMIT_DISCARDS));

    private CounterTables() {}

    private static MadField error(int index) {
        return PortCountersExtended.ERRORS.elements().get(index);
    }
}
