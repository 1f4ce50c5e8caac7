// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.endpoint.Paths;
import io.rdma4j.testing.endpoint.Transitions;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.device.PortCapability;
import io.rdma4j.verbs.device.PortModification;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.wire.ib.Lid;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.sm.Notice;
import io.rdma4j.wire.mad.sm.PkeyTableBlock;
import io.rdma4j.wire.mad.sm.PortInfoAttribute;
import io.rdma4j.wire.mad.sm.Smp;
import io.rdma4j.wire.mad.sm.TrapDetails;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Traps of the first device reach the program that has queue pair 0 of the second one, the port of the manager. */
class DeviceTrapTest {
    private static final int FOREIGN_PKEY = 0x8123;

    private final SubnetTarget subnet = SubnetTarget.overSwitch();
    private final Qp0 qp0 = new Qp0(subnet, subnet.second(), QpType.SMI);

    @BeforeEach
    void takeThePlaceOfTheManager() {
        subnet.manager.close();
    }

    @AfterEach
    void close() {
        qp0.close();
        subnet.close();
    }

    private MemorySegment trap(int number) {
        qp0.endpoint.awaitReceive();
        assertThat(Mad.METHOD.getInt(qp0.response, 0)).isEqualTo(MadMethod.TRAP.code());
        assertThat(Notice.TRAP_NUMBER.getInt(qp0.response, Smp.DATA)).isEqualTo(number);
        assertThat(Notice.ISSUER_LID.getInt(qp0.response, Smp.DATA))
                .isEqualTo(subnet.first().queryPort(1).lid());
        return qp0.response.asSlice(Smp.DATA + Notice.DATA_DETAILS.offset());
    }

    @Test
    @Covers({"MAD-19", "PORT-40"})
    void aChangeOfTheCapabilitiesIsTold() {
        qp0.expect();
        subnet.first()
                .port(1)
                .modify(PortModification.ofCapabilities(Set.of(PortCapability.SNMP_TUNNEL_SUP), Set.of()));

        MemorySegment details = trap(TrapDetails.CAPABILITY_CHANGE);
        assertThat(PortCapability.ofMask(TrapDetails.CAPABILITY_MASK.getInt(details, 0)))
                .contains(PortCapability.SNMP_TUNNEL_SUP);
    }

    /** Of a directed-routed datagram the notice has the route. */
    @Test
    @Covers({"MAD-19", "PORT-39"})
    void aForeignKeyAlongADirectedRouteIsTold() {
        int[] toFirst = {1, 1};
        assertThat(subnet.first().queryPort(1).capabilities()).contains(PortCapability.DR_NOTICE_SUP);
        int status = qp0.change(
                MadAttribute.PORT_INFO,
                1,
                info -> {
                    PortInfoAttribute.PORT_STATE.put(info, 0, 0);
                    PortInfoAttribute.PORT_PHYSICAL_STATE.put(info, 0, 0);
                    PortInfoAttribute.M_KEY.put(info, 0, 0x1234);
                },
                toFirst);
        assertThat(status).isZero();
        qp0.direct(MadMethod.SET, MadAttribute.PORT_INFO, 1, toFirst);
        Smp.M_KEY.put(qp0.request, 0, 7);
        qp0.expect();
        qp0.send(Lid.PERMISSIVE);

        MemorySegment details = trap(TrapDetails.BAD_M_KEY);
        assertThat(TrapDetails.M_KEY.get(details, 0)).isEqualTo(7);
        assertThat(TrapDetails.DR_NOTICE.getInt(details, 0)).isEqualTo(1);
        assertThat(TrapDetails.DR_HOP_COUNT.getInt(details, 0)).isEqualTo(2);
        assertThat(TrapDetails.DR_RETURN_PATH.getInt(details, 0, 1)).isEqualTo(2);
    }

    @Test
    @Covers({"MAD-19", "PORT-12"})
    void aPacketOfAnotherPartitionIsCountedAndTold() {
        int status = qp0.change(
                MadAttribute.P_KEY_TABLE,
                0,
                keys -> PkeyTableBlock.PKEYS.elements().getFirst().put(keys, 0, FOREIGN_PKEY));
        assertThat(status).isZero();
        EndpointSetup datagrams = EndpointSetup.DEFAULT.type(QpType.UD);
        try (Endpoint from = new Endpoint(subnet, subnet.second(), datagrams);
                Endpoint to = new Endpoint(subnet, subnet.first(), datagrams)) {
            Transitions.connect(from.qp, Set.of(), LinkSetup.DEFAULT, 0, from.pathTo(to));
            Transitions.connect(to.qp, Set.of(), LinkSetup.DEFAULT, 0, to.pathTo(from));
            qp0.expect();
            try (AddressHandle handle = from.pd.createAddressHandle(Paths.to(subnet, subnet.first()))) {
                from.qp
                        .startSend()
                        .signaled()
                        .send()
                        .destination(handle, to.qp.qpn(), Transitions.QKEY)
                        .sge(from.mr.lkey(), from.mr.address(), 16)
                        .complete();
                from.awaitSend();
            }
            MemorySegment details = trap(TrapDetails.BAD_P_KEY);
            assertThat(TrapDetails.LID_1.getInt(details, 0))
                    .isEqualTo(subnet.second().queryPort(1).lid());
            assertThat(TrapDetails.KEY.getInt(details, 0)).isEqualTo(FOREIGN_PKEY);
            assertThat(TrapDetails.QPN_1.getInt(details, 0)).isEqualTo(from.qp.qpn());
            assertThat(TrapDetails.QPN_2.getInt(details, 0)).isEqualTo(to.qp.qpn());
        }
        assertThat(subnet.first().queryPort(1).badPkeyCounter()).isEqualTo(1);
    }
}
