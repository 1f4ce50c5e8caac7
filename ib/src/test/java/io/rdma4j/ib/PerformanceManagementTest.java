// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.IbPort;
import io.rdma4j.fabric.PortCount;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.wire.mad.ClassPortInfo;
import io.rdma4j.wire.mad.MadClass;
import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.MadStatus;
import io.rdma4j.wire.mad.pm.PortCountersAttribute;
import io.rdma4j.wire.mad.pm.PortCountersExtended;
import io.rdma4j.wire.mad.pm.PortErrorDetails;
import io.rdma4j.wire.mad.table.MadAttribute;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A program with queue pair 1 of the first device reads the counters of all nodes, as {@code perfquery} does. */
class PerformanceManagementTest {
    private static final int DATA = 64;
    private static final int ALL = 0xFF;
    /** LID of the switch: the manager's port has 1, the other one 2. */
    private static final int SWITCH = 3;

    private final SubnetTarget subnet = SubnetTarget.overSwitch();
    private final Qp0 gsi = new Qp0(subnet, subnet.first(), QpType.GSI);

    @AfterEach
    void close() {
        gsi.close();
        subnet.close();
    }

    private int ask(MadMethod method, MadAttribute attribute, int port, int select, int lid) {
        gsi.begin(MadClass.PERF_MGT, method, attribute, 0);
        gsi.request.asSlice(DATA).fill((byte) 0);
        PortCountersAttribute.PORT_SELECT.put(gsi.request, DATA, port);
        PortCountersAttribute.COUNTER_SELECT.put(gsi.request, DATA, select);
        return gsi.ask(lid);
    }

    private int get(MadAttribute attribute, int port, int lid) {
        return ask(MadMethod.GET, attribute, port, 0, lid);
    }

    private long counter(MadField field) {
        return field.get(gsi.response, DATA);
    }

    @Test
    @Covers({"MAD-1", "MAD-17", "MAD-18"})
    void theAgentsOfAllNodesAnswerOnQueuePair1() {
        int peer = subnet.second().queryPort(1).lid();
        int own = subnet.first().queryPort(1).lid();
        for (int lid : new int[] {peer, own, SWITCH}) {
            assertThat(get(MadAttribute.CLASS_PORT_INFO, 0, lid)).isZero();
            assertThat(ClassPortInfo.CAPABILITY_MASK.getInt(gsi.response, DATA)).isEqualTo(0x1300);
            assertThat(gsi.received().sourceLid()).isEqualTo(lid);
            assertThat(gsi.received().sourceQp()).isEqualTo(1);
        }
    }

    /** Words from LRH to ICRC, datagrams of management included: the two ends of a link agree. */
    @Test
    void theCountersTellTheTruth() {
        IbPort ofSwitch = subnet.switches.getFirst().port(2);
        assertThat(get(MadAttribute.PORT_COUNTERS_EXTENDED, 2, SWITCH)).isZero();
        long sent = counter(PortCountersExtended.XMIT_DATA);
        assertThat(sent).isEqualTo(ofSwitch.counts().get(PortCount.XMIT_DATA));
        assertThat(counter(PortCountersExtended.XMIT_PKTS))
                .isEqualTo(ofSwitch.counts().get(PortCount.XMIT_PKTS));
        assertThat(counter(PortCountersExtended.UNICAST_XMIT_PKTS)).isEqualTo(counter(PortCountersExtended.XMIT_PKTS));
        int peer = subnet.second().queryPort(1).lid();
        assertThat(get(MadAttribute.PORT_COUNTERS_EXTENDED, 1, peer)).isZero();

        // One more datagram of 72 words, the request itself, has passed.
        assertThat(counter(PortCountersExtended.RCV_DATA)).isEqualTo(sent + 72);
    }

    @Test
    void aSetClearsTheSelectedCountersOfItsAttributeOnly() {
        get(MadAttribute.PORT_COUNTERS, 1, SWITCH);
        long before = counter(PortCountersAttribute.RCV_PKTS);
        assertThat(before).isPositive();
        int rcvPkts = 1 << 15;
        assertThat(ask(MadMethod.SET, MadAttribute.PORT_COUNTERS, 1, rcvPkts, SWITCH))
                .isZero();
        assertThat(counter(PortCountersAttribute.RCV_PKTS)).isZero();
        assertThat(counter(PortCountersAttribute.XMIT_PKTS)).isPositive();

        get(MadAttribute.PORT_COUNTERS, 1, SWITCH);
        assertThat(counter(PortCountersAttribute.RCV_PKTS)).isEqualTo(1);
        get(MadAttribute.PORT_COUNTERS_EXTENDED, 1, SWITCH);
        assertThat(counter(PortCountersExtended.RCV_PKTS)).isGreaterThan(before);
    }

    @Test
    void allPortsAreSummedAndStopAtTheMaximum() {
        for (int i = 0; i < 20; i++) {
            subnet.fabric.exclusively(() -> subnet.links.getLast().unplug());
            subnet.fabric.exclusively(() -> subnet.links.getLast().plug());
        }
        get(MadAttribute.PORT_COUNTERS, 2, SWITCH);
        assertThat(counter(PortCountersAttribute.LINK_DOWNED)).isBetween(1L, 20L);
        long downed = counter(PortCountersAttribute.LINK_DOWNED);
        get(MadAttribute.PORT_COUNTERS, ALL, SWITCH);
        assertThat(counter(PortCountersAttribute.LINK_DOWNED)).isEqualTo(downed);
    }

    @Test
    void aDestinationThatLeadsNowhereIsInTheDetails() {
        subnet.fabric.exclusively(() -> subnet.switches.getFirst().tables().linear(40, 0xFF));
        long before = subnet.switches.getFirst().port(1).counts().get(PortCount.DLID_MAPPING_ERRORS);
        gsi.begin(MadClass.PERF_MGT, MadMethod.GET, MadAttribute.CLASS_PORT_INFO, 0);
        gsi.send(40);
        subnet.await(
                "the drop",
                () -> subnet.fabric.exclusively(() ->
                                subnet.switches.getFirst().port(1).counts().get(PortCount.DLID_MAPPING_ERRORS))
                        > before);

        assertThat(get(MadAttribute.PORT_RCV_ERROR_DETAILS, 1, SWITCH)).isZero();
        assertThat(counter(PortErrorDetails.DLID_MAPPING_ERRORS)).isEqualTo(before + 1);
        assertThat(get(MadAttribute.PORT_XMIT_DISCARD_DETAILS, 1, SWITCH)).isZero();
    }

    @Test
    void badRequestsAreAnsweredWithTheirStatus() {
        assertThat(get(MadAttribute.PORT_COUNTERS, 9, SWITCH)).isEqualTo(MadStatus.BAD_FIELD);
        assertThat(get(MadAttribute.PORT_SAMPLES_CONTROL, 1, SWITCH)).isEqualTo(MadStatus.BAD_METHOD_ATTRIBUTE);
        gsi.begin(MadClass.PERF_MGT, MadMethod.GET, MadAttribute.PORT_COUNTERS, 5);
        assertThat(gsi.ask(SWITCH)).isEqualTo(MadStatus.BAD_FIELD);
    }
}
