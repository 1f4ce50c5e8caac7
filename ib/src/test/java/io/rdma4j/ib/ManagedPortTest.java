// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.device.LinkLayer;
import io.rdma4j.verbs.device.PhysicalState;
import io.rdma4j.verbs.device.PortAttributes;
import io.rdma4j.verbs.device.PortModification;
import io.rdma4j.verbs.device.PortState;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.wire.ib.Lid;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.MadStatus;
import io.rdma4j.wire.mad.sm.GuidInfo;
import io.rdma4j.wire.mad.sm.NodeDescription;
import io.rdma4j.wire.mad.sm.NodeInfo;
import io.rdma4j.wire.mad.sm.PkeyTableBlock;
import io.rdma4j.wire.mad.sm.PortInfoAttribute;
import io.rdma4j.wire.mad.sm.Smp;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a subnet manager writes to a port: a program with queue pair 0 of the first device manages the second one. */
class ManagedPortTest {
    private static final int[] TO_SECOND = {1, 2};

    private final SubnetTarget subnet = SubnetTarget.overSwitch();
    private final Qp0 qp0 = new Qp0(subnet, subnet.first(), QpType.SMI);
    private final Context managed = subnet.second();

    {
        SubnetTarget.drain(managed);
    }

    @AfterEach
    void close() {
        qp0.close();
        subnet.close();
    }

    private void write(Consumer<MemorySegment> changes) {
        int status = qp0.change(
                MadAttribute.PORT_INFO,
                1,
                info -> {
                    PortInfoAttribute.PORT_STATE.put(info, 0, 0);
                    PortInfoAttribute.PORT_PHYSICAL_STATE.put(info, 0, 0);
                    changes.accept(info);
                },
                TO_SECOND);
        assertThat(status).isEqualTo(MadStatus.SUCCESS);
    }

    private void writeState(PortState state) {
        write(info -> PortInfoAttribute.PORT_STATE.put(info, 0, state.code()));
    }

    private List<EventType> events() {
        List<EventType> all = new ArrayList<>();
        try {
            AsyncEvent event = managed.getAsyncEvent(Duration.ZERO);
            while (event != null) {
                all.add(event.type());
                managed.acknowledgeAsyncEvent(event);
                event = managed.getAsyncEvent(Duration.ZERO);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return all;
    }

    private PortAttributes attributes() {
        return managed.queryPort(1);
    }

    @Test
    @Covers({"QP-8", "MAD-1", "MAD-16"})
    void queuePair0SendsAlongDirectedRoutes() {
        qp0.direct(MadMethod.GET, MadAttribute.NODE_INFO, 0, TO_SECOND);
        assertThat(qp0.ask(Lid.PERMISSIVE)).isZero();
        assertThat(NodeInfo.NODE_GUID.get(qp0.response, Smp.DATA)).isEqualTo(SubnetTarget.SECOND_GUID);
        assertThat(qp0.received().sourceQp()).isZero();
        assertThat(qp0.received().port()).isEqualTo(1);

        qp0.direct(MadMethod.GET, MadAttribute.NODE_DESCRIPTION, 0); // the node itself
        assertThat(qp0.ask(Lid.PERMISSIVE)).isZero();
        assertThat(NodeDescription.NODE_DESCRIPTION.text(qp0.response, Smp.DATA))
                .isEqualTo("ib0");
    }

    @Test
    void queuePair0ExistsOnce() {
        QpInitAttributes another = QpInitAttributes.builder(qp0.endpoint.sendCq)
                .type(QpType.SMI)
                .port(1)
                .build();
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> qp0.endpoint.pd.createQp(another))
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EBUSY));
    }

    @Test
    @Covers({"PORT-44", "PORT-13", "PORT-14", "PORT-16"})
    void theManagerHasConfiguredThePort() {
        assertThat(managed.linkLayer(1)).isEqualTo(LinkLayer.INFINIBAND);
        assertThat(attributes().state()).isEqualTo(PortState.ACTIVE);
        assertThat(attributes().lid()).isEqualTo(1); // the manager runs there
        assertThat(attributes().smLid()).isEqualTo(1);
        assertThat(subnet.first().queryPort(1).lid()).isEqualTo(2);
        assertThat(attributes().subnetTimeout()).isEqualTo(18);
    }

    @Test
    @Covers({"EVT-18", "SM-2"})
    void anotherLidRaisesLidChange() {
        write(info -> {
            PortInfoAttribute.LID.put(info, 0, 16);
            PortInfoAttribute.LMC.put(info, 0, 3);
        });

        assertThat(events()).containsExactly(EventType.LID_CHANGE);
        assertThat(attributes().lid()).isEqualTo(16);
        assertThat(attributes().lmc()).isEqualTo(3);
    }

    @Test
    @Covers("EVT-20")
    void anotherManagerRaisesSmChange() {
        write(info -> PortInfoAttribute.MASTER_SM_LID.put(info, 0, 9));

        assertThat(events()).containsExactly(EventType.SM_CHANGE);
        assertThat(attributes().smLid()).isEqualTo(9);
    }

    @Test
    @Covers("EVT-24")
    void theManagerAsksClientsToRegister() {
        write(info -> PortInfoAttribute.CLIENT_REREGISTER.put(info, 0, 1));

        assertThat(events()).containsExactly(EventType.CLIENT_REREGISTER);
    }

    @Test
    @Covers({"EVT-25", "PORT-46"})
    void thePrefixOfTheSubnetAndTheGuidsMakeTheGids() {
        long prefix = 0xFEC0_0000_0000_0001L;
        write(info -> PortInfoAttribute.GID_PREFIX.put(info, 0, prefix));
        assertThat(events()).containsExactly(EventType.GID_CHANGE);
        assertThat(managed.queryGid(1, 0)).isEqualTo(new Gid(prefix, SubnetTarget.SECOND_GUID + 1));

        int status = qp0.change(
                MadAttribute.GUID_INFO,
                0,
                guids -> GuidInfo.GUIDS.elements().get(1).put(guids, 0, 0x77),
                TO_SECOND);
        assertThat(status).isZero();
        assertThat(events()).containsExactly(EventType.GID_CHANGE);
        assertThat(managed.queryGid(1, 1)).isEqualTo(new Gid(prefix, 0x77));
    }

    @Test
    @Covers({"EVT-19", "PORT-48", "SM-4"})
    void partitionsAreWritten() {
        assertThat(managed.queryPort(1).pkeyTableLength()).isEqualTo(32);
        assertThat(managed.queryPkey(1, 0)).isEqualTo(0xFFFF);
        int status = qp0.change(
                MadAttribute.P_KEY_TABLE,
                0,
                keys -> PkeyTableBlock.PKEYS.elements().get(5).put(keys, 0, 0x8123),
                TO_SECOND);

        assertThat(status).isZero();
        assertThat(events()).containsExactly(EventType.PKEY_CHANGE);
        assertThat(managed.pkeyIndex(1, 0x8123)).isEqualTo(5);
    }

    @Test
    @Covers({"EVT-16", "EVT-17", "PORT-3", "PORT-4", "PORT-5", "PORT-6", "SM-1"})
    void aPortThatWasDownIsArmedAndActivatedByTheManager() {
        subnet.manager.close();
        subnet.fabric.exclusively(() -> subnet.links.get(1).unplug());
        assertThat(events()).containsExactly(EventType.PORT_ERR);
        assertThat(attributes().state()).isEqualTo(PortState.DOWN);
        assertThat(attributes().physicalState()).isEqualTo(PhysicalState.POLLING);

        subnet.fabric.exclusively(() -> subnet.links.get(1).plug());
        subnet.await("the link", () -> attributes().state() == PortState.INIT);
        assertThat(attributes().physicalState()).isEqualTo(PhysicalState.LINK_UP);
        assertThat(events()).isEmpty();
        writeState(PortState.ARMED);
        assertThat(attributes().state()).isEqualTo(PortState.ARMED);
        assertThat(events()).isEmpty();
        writeState(PortState.ACTIVE);
        assertThat(attributes().state()).isEqualTo(PortState.ACTIVE);
        assertThat(events()).containsExactly(EventType.PORT_ACTIVE);
    }

    @Test
    @Covers("PORT-52")
    void aProgramTakesThePortDown() {
        managed.port(1).modify(PortModification.ofShutdown());

        assertThat(events()).containsExactly(EventType.PORT_ERR);
        assertThat(attributes().state()).isEqualTo(PortState.DOWN);
        assertThat(attributes().physicalState()).isEqualTo(PhysicalState.DISABLED);
        assertThat(subnet.fabric.exclusively(
                        () -> subnet.switches.getFirst().port(2).state()))
                .isEqualTo(PortState.DOWN);
    }

    @Test
    void aProgramCannotSetWhatTheManagerSets() {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> managed.port(1).setInfo(managed.port(1).info()))
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EOPNOTSUPP))
                .withMessageContaining("subnet manager");
    }
}
