// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric.sma;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.DropReason;
import io.rdma4j.fabric.IbLinkProfile;
import io.rdma4j.fabric.PortCount;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.device.PortState;
import io.rdma4j.wire.ib.Lid;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadClass;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.MadStatus;
import io.rdma4j.wire.mad.sm.GuidInfo;
import io.rdma4j.wire.mad.sm.MulticastForwardingTable;
import io.rdma4j.wire.mad.sm.NodeDescription;
import io.rdma4j.wire.mad.sm.NodeInfo;
import io.rdma4j.wire.mad.sm.PkeyTableBlock;
import io.rdma4j.wire.mad.sm.PortInfoAttribute;
import io.rdma4j.wire.mad.sm.SlToVlTable;
import io.rdma4j.wire.mad.sm.Smp;
import io.rdma4j.wire.mad.sm.SwitchInfo;
import io.rdma4j.wire.mad.sm.VlArbitrationTable;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class SubnetManagementTest {
    private static final int DATA = Smp.DATA;

    private final SweepWorld world = new SweepWorld(IbLinkProfile.wire(50, 64));

    /** Discovers the subnet as a subnet manager does: breadth first, over ports that are up. */
    private List<String> discover() {
        List<String> found = new ArrayList<>();
        Map<Long, String> known = new HashMap<>();
        Deque<int[]> paths = new ArrayDeque<>(List.of(new int[0], new int[] {1}));
        while (!paths.isEmpty()) {
            int[] path = paths.remove();
            MemorySegment info = world.get(MadAttribute.NODE_INFO, 0, path);
            long guid = NodeInfo.NODE_GUID.get(info, DATA);
            if (known.containsKey(guid)) {
                continue;
            }
            String name =
                    NodeDescription.NODE_DESCRIPTION.text(world.get(MadAttribute.NODE_DESCRIPTION, 0, path), DATA);
            known.put(guid, name);
            found.add(name + " in by " + NodeInfo.LOCAL_PORT_NUM.get(info, DATA));
            boolean isSwitch = NodeInfo.NODE_TYPE.getInt(info, DATA) == 2;
            for (int port = 1; isSwitch && port <= NodeInfo.NUM_PORTS.getInt(info, DATA); port++) {
                MemorySegment portInfo = world.get(MadAttribute.PORT_INFO, port, path);
                if (PortInfoAttribute.PORT_STATE.getInt(portInfo, DATA) != PortState.DOWN.code()) {
                    int[] next = Arrays.copyOf(path, path.length + 1);
                    next[path.length] = port;
                    paths.add(next);
                }
            }
        }
        return found;
    }

    @Test
    void directedRoutesDiscoverEveryNodeBeforeAnyLid() {
        assertThat(discover())
                .containsExactly(
                        "Host1 in by 1", "Switch1 in by 1", "Host2 in by 1", "Switch2 in by 3", "Host3 in by 1");
        assertThat(world.subnet.packetsInFlight()).isZero();
    }

    @Test
    void aResponseHasTheRouteThatTheRequestTook() {
        MemorySegment answer = world.get(MadAttribute.NODE_INFO, 0, 1, 3, 1);

        assertThat(Smp.HOP_POINTER.getInt(answer, 0)).isZero();
        assertThat(Mad.STATUS.getInt(answer, 0)).isEqualTo(MadStatus.DIRECTION);
        assertThat(Smp.RETURN_PATH.getInt(answer, 0, 1)).isEqualTo(1);
        assertThat(Smp.RETURN_PATH.getInt(answer, 0, 2)).isEqualTo(3);
        assertThat(Smp.RETURN_PATH.getInt(answer, 0, 3)).isEqualTo(1);
    }

    /** The smallest sweep: LIDs, tables, armed, active. Then packets pass, which no Java call has made possible. */
    @Test
    @Covers("SM-6")
    void aSweepMakesPacketsPass() {
        assertThat(world.sendData(1, 3)).isFalse();
        world.sweep();

        assertThat(world.sendData(1, 2)).isTrue();
        assertThat(world.sendData(1, 3)).isTrue();
        assertThat(world.sendData(3, 1)).isTrue();
        assertThat(world.dataAt).containsExactly(2, 3, 1);
    }

    /** A manager that finds the key in the table enforces it without writing the table. */
    @Test
    void enforcementAdmitsTheDefaultPartitionOfAnUnwrittenTable() {
        world.sweep();
        world.switches.getFirst().port(1).partitions().enforce(true, true);

        assertThat(world.sendData(1, 2)).isTrue();
        assertThat(world.dataAt).containsExactly(2);
    }

    @Test
    void afterTheSweepRequestsGoByLid() {
        world.sweep();
        world.begin(MadClass.SUBN_LID_ROUTED, MadMethod.GET, MadAttribute.NODE_INFO, 0);
        MemorySegment answer = Objects.requireNonNull(world.ask(5));
        assertThat(NodeInfo.NODE_GUID.get(answer, DATA)).isEqualTo(SweepWorld.SWITCH_GUID + 1);
        assertThat(NodeInfo.LOCAL_PORT_NUM.getInt(answer, DATA)).isEqualTo(3);
        world.begin(MadClass.SUBN_LID_ROUTED, MadMethod.GET, MadAttribute.NODE_DESCRIPTION, 0);
        answer = Objects.requireNonNull(world.ask(3));
        assertThat(NodeDescription.NODE_DESCRIPTION.text(answer, DATA)).isEqualTo("Host3");
    }

    @Test
    void aCombinedRouteIsRoutedByLidThenByPorts() {
        world.sweep();
        MemorySegment request = world.directed(MadMethod.GET, MadAttribute.NODE_INFO, 0, 1);
        Smp.DR_SLID.put(request, 0, 1);
        MemorySegment answer = Objects.requireNonNull(world.ask(5));

        assertThat(NodeInfo.NODE_GUID.get(answer, DATA)).isEqualTo(SweepWorld.HOST_GUID + 4);
    }

    @Test
    void routesThatDoNotExistAreDropped() {
        world.directed(MadMethod.GET, MadAttribute.NODE_INFO, 0, 1, 4); // no link
        assertThat(world.ask(Lid.PERMISSIVE)).isNull();
        assertThat(world.switches.getFirst().port(4).counts().dropped(DropReason.INACTIVE))
                .isEqualTo(1);
        world.directed(MadMethod.GET, MadAttribute.NODE_INFO, 0, 1, 200);
        assertThat(world.ask(Lid.PERMISSIVE)).isNull();
        world.directed(MadMethod.GET, MadAttribute.NODE_INFO, 0, 1, 2, 1); // through a channel adapter
        assertThat(world.ask(Lid.PERMISSIVE)).isNull();
        MemorySegment request = world.directed(MadMethod.GET, MadAttribute.NODE_INFO, 0, 1);
        Smp.HOP_COUNT.put(request, 0, 64);
        assertThat(world.ask(Lid.PERMISSIVE)).isNull();
        request = world.directed(MadMethod.GET, MadAttribute.NODE_INFO, 0, 1);
        Smp.HOP_POINTER.put(request, 0, 9);
        assertThat(world.ask(Lid.PERMISSIVE)).isNull();

        assertThat(world.interfaces.stream()
                        .mapToLong(smi -> smi.counts().unroutable())
                        .sum())
                .isEqualTo(4);
        assertThat(world.subnet.packetsInFlight()).isZero();
    }

    @Test
    void badValuesAreAnsweredWithTheStatusAndThePresentAttribute() {
        MemorySegment request = world.directed(MadMethod.SET, MadAttribute.PORT_INFO, 1, 1, 2);
        PortInfoAttribute.LID.put(request, DATA, 0xC000);
        PortInfoAttribute.MASTER_SM_LID.put(request, DATA, 7);
        PortInfoAttribute.NEIGHBOR_MTU.put(request, DATA, 3);
        MemorySegment answer = Objects.requireNonNull(world.ask(Lid.PERMISSIVE));

        assertThat(SweepWorld.status(answer)).isEqualTo(MadStatus.BAD_FIELD);
        assertThat(PortInfoAttribute.LID.getInt(answer, DATA)).isZero();
        assertThat(PortInfoAttribute.MASTER_SM_LID.getInt(answer, DATA)).isEqualTo(7);
        assertThat(PortInfoAttribute.NEIGHBOR_MTU.getInt(answer, DATA)).isEqualTo(3);
        assertThat(world.setState(PortState.ACTIVE, 1, 1, 2)).isEqualTo(MadStatus.BAD_FIELD);
        assertThat(SweepWorld.status(world.get(MadAttribute.PORT_INFO, 9, 1))).isEqualTo(MadStatus.BAD_FIELD);
        assertThat(SweepWorld.status(world.get(MadAttribute.LINEAR_FORWARDING_TABLE, 768, 1)))
                .isEqualTo(MadStatus.BAD_FIELD);
        assertThat(SweepWorld.status(world.get(MadAttribute.SWITCH_INFO, 0, 1, 2)))
                .isEqualTo(MadStatus.BAD_METHOD_ATTRIBUTE);
        world.directed(MadMethod.SET, MadAttribute.NODE_INFO, 0, 1);
        assertThat(world.set()).isEqualTo(MadStatus.BAD_METHOD_ATTRIBUTE);
        request = world.directed(MadMethod.GET, MadAttribute.NODE_INFO, 0, 1);
        Mad.CLASS_VERSION.put(request, 0, 2);
        assertThat(world.set()).isEqualTo(MadStatus.BAD_VERSION);
    }

    @Test
    void readOnlyComponentsOfASetAreIgnored() {
        MemorySegment present = world.get(MadAttribute.PORT_INFO, 3, 1);
        MemorySegment request = world.directed(MadMethod.SET, MadAttribute.PORT_INFO, 3, 1);
        MemorySegment.copy(present, DATA, request, DATA, Smp.DATA_BYTES);
        PortInfoAttribute.PORT_PHYSICAL_STATE.put(request, DATA, 0);
        PortInfoAttribute.PORT_STATE.put(request, DATA, 0);
        PortInfoAttribute.MTU_CAP.put(request, DATA, 1);
        PortInfoAttribute.LID.put(request, DATA, 0x1234); // an external port has no LID
        PortInfoAttribute.HOQ_LIFE.put(request, DATA, 16);
        MemorySegment answer = Objects.requireNonNull(world.ask(Lid.PERMISSIVE));

        assertThat(SweepWorld.status(answer)).isZero();
        assertThat(PortInfoAttribute.MTU_CAP.getInt(answer, DATA)).isEqualTo(5);
        assertThat(PortInfoAttribute.LID.getInt(answer, DATA)).isZero();
        assertThat(PortInfoAttribute.HOQ_LIFE.getInt(answer, DATA)).isEqualTo(16);
    }

    @Test
    void tablesAreReadBackAsWritten() {
        MemorySegment request = world.directed(MadMethod.SET, MadAttribute.MULTICAST_FORWARDING_TABLE, 0, 1);
        MulticastForwardingTable.MASKS.elements().get(5).put(request, DATA, 0b10110);
        MulticastForwardingTable.MASKS.elements().get(6).put(request, DATA, 0x8001); // the switch has no port 15
        assertThat(world.set()).isZero();
        MemorySegment masks = world.get(MadAttribute.MULTICAST_FORWARDING_TABLE, 0, 1);
        assertThat(MulticastForwardingTable.MASKS.getInt(masks, DATA, 5)).isEqualTo(0b10110);
        assertThat(MulticastForwardingTable.MASKS.getInt(masks, DATA, 6)).isEqualTo(1);
        assertThat(world.switches.getFirst().tables().isMulticastMember(0xC005, 4))
                .isTrue();
        assertThat(SweepWorld.status(world.get(MadAttribute.MULTICAST_FORWARDING_TABLE, 1 << 28, 1)))
                .isEqualTo(MadStatus.BAD_FIELD);

        request = world.directed(MadMethod.SET, MadAttribute.P_KEY_TABLE, 2 << 16, 1);
        PkeyTableBlock.PKEYS.elements().getFirst().put(request, DATA, 0x8001);
        assertThat(world.set()).isZero();
        assertThat(PkeyTableBlock.PKEYS.getInt(world.get(MadAttribute.P_KEY_TABLE, 2 << 16, 1), DATA, 0))
                .isEqualTo(0x8001);
        assertThat(PkeyTableBlock.PKEYS.getInt(world.get(MadAttribute.P_KEY_TABLE, 1 << 16, 1), DATA, 0))
                .isEqualTo(0xFFFF);

        request = world.directed(MadMethod.SET, MadAttribute.SWITCH_INFO, 0, 1);
        SwitchInfo.LINEAR_FDB_TOP.put(request, DATA, 8);
        SwitchInfo.LIFE_TIME_VALUE.put(request, DATA, 18);
        assertThat(world.set()).isZero();
        MemorySegment info = world.get(MadAttribute.SWITCH_INFO, 0, 1);
        assertThat(SwitchInfo.LINEAR_FDB_TOP.getInt(info, DATA)).isEqualTo(8);
        assertThat(SwitchInfo.LIFE_TIME_VALUE.getInt(info, DATA)).isEqualTo(18);
        assertThat(SwitchInfo.LINEAR_FDB_CAP.getInt(info, DATA)).isEqualTo(0xC000);
    }

    @Test
    void lanesAreProgrammedByManagement() {
        world.sweep();
        MemorySegment request = world.directed(MadMethod.SET, MadAttribute.SL_TO_VL_TABLE, 1 << 8 | 2, 1);
        SlToVlTable.LANES.elements().getFirst().put(request, DATA, 15); // drops level 0
        assertThat(world.set()).isZero();
        world.sendData(1, 2);
        assertThat(world.dataAt).isEmpty();
        assertThat(world.switches.getFirst().port(2).counts().dropped(DropReason.NO_LANE))
                .isEqualTo(1);
        assertThat(SweepWorld.status(world.get(MadAttribute.SL_TO_VL_TABLE, 1 << 8 | 9, 1)))
                .isEqualTo(MadStatus.BAD_FIELD);

        MemorySegment weights = world.directed(MadMethod.SET, MadAttribute.VL_ARBITRATION_TABLE, 3 << 16 | 2, 1);
        VlArbitrationTable.LANES.elements().get(1).put(weights, DATA, 4);
        VlArbitrationTable.WEIGHTS.elements().get(1).put(weights, DATA, 77);
        assertThat(world.set()).isZero();
        assertThat(world.switches.getFirst().port(2).arbitrationLane(true, 1)).isEqualTo(4);
        assertThat(world.switches.getFirst().port(2).arbitrationWeight(true, 1)).isEqualTo(77);
        MemorySegment low = world.get(MadAttribute.VL_ARBITRATION_TABLE, 1 << 16 | 2, 1);
        assertThat(VlArbitrationTable.LANES.getInt(low, DATA, 14)).isEqualTo(14);
        assertThat(SweepWorld.status(world.get(MadAttribute.VL_ARBITRATION_TABLE, 5 << 16 | 2, 1)))
                .isEqualTo(MadStatus.BAD_FIELD);
    }

    @Test
    void thePortGuidIsTheFirstOfTheGuids() {
        MemorySegment request = world.directed(MadMethod.SET, MadAttribute.GUID_INFO, 0, 1, 2);
        GuidInfo.GUIDS.elements().getFirst().put(request, DATA, 5);
        GuidInfo.GUIDS.elements().get(1).put(request, DATA, 6);
        assertThat(world.set()).isZero();
        MemorySegment guids = world.get(MadAttribute.GUID_INFO, 0, 1, 2);

        assertThat(GuidInfo.GUIDS.get(guids, DATA, 0)).isEqualTo(SweepWorld.HOST_GUID + 3);
        assertThat(GuidInfo.GUIDS.get(guids, DATA, 1)).isEqualTo(6);
    }

    @Test
    void aSwitchShowsThatPortsChangedUntilTheManagerClearsIt() {
        assertThat(SwitchInfo.PORT_STATE_CHANGE.isSet(world.get(MadAttribute.SWITCH_INFO, 0, 1), DATA))
                .isTrue();
        MemorySegment request = world.directed(MadMethod.SET, MadAttribute.SWITCH_INFO, 0, 1);
        SwitchInfo.PORT_STATE_CHANGE.put(request, DATA, 1);
        assertThat(world.set()).isZero();
        world.sweep();
        assertThat(SwitchInfo.PORT_STATE_CHANGE.isSet(world.get(MadAttribute.SWITCH_INFO, 0, 1), DATA))
                .isFalse();
        world.links.getLast().unplug();
        assertThat(SwitchInfo.PORT_STATE_CHANGE.isSet(world.get(MadAttribute.SWITCH_INFO, 0, 1), DATA))
                .isTrue();
    }

    @Test
    void aPortThatIsSetDownAnswersFirstAndComesBack() {
        world.sweep();
        assertThat(world.setState(PortState.DOWN, 1, 1, 2)).isZero();
        world.run();

        assertThat(world.hosts.get(1).port().state()).isEqualTo(PortState.INIT);
        assertThat(world.hosts.get(1).port().counts().get(PortCount.LINK_DOWNED))
                .isEqualTo(1);
    }

    @Test
    void aProtectedPortIgnoresStrangers() {
        MemorySegment present = world.get(MadAttribute.PORT_INFO, 1, 1, 2);
        MemorySegment request = world.directed(MadMethod.SET, MadAttribute.PORT_INFO, 1, 1, 2);
        MemorySegment.copy(present, DATA, request, DATA, Smp.DATA_BYTES);
        PortInfoAttribute.PORT_PHYSICAL_STATE.put(request, DATA, 0);
        PortInfoAttribute.PORT_STATE.put(request, DATA, 0);
        PortInfoAttribute.LID.put(request, DATA, 2);
        PortInfoAttribute.MASTER_SM_LID.put(request, DATA, 1);
        PortInfoAttribute.M_KEY.put(request, DATA, 0x1234);
        PortInfoAttribute.M_KEY_PROTECT_BITS.put(request, DATA, 1);
        assertThat(world.set()).isZero();

        MemorySegment answer = world.get(MadAttribute.PORT_INFO, 1, 1, 2);
        assertThat(PortInfoAttribute.M_KEY.get(answer, DATA)).isZero();
        world.directed(MadMethod.SET, MadAttribute.PORT_INFO, 1, 1, 2);
        assertThat(world.ask(Lid.PERMISSIVE)).isNull();
        assertThat(world.interfaces.get(1).counts().keyViolations()).isEqualTo(1);

        request = world.directed(MadMethod.GET, MadAttribute.PORT_INFO, 1, 1, 2);
        Smp.M_KEY.put(request, 0, 0x1234);
        answer = Objects.requireNonNull(world.ask(Lid.PERMISSIVE));
        assertThat(PortInfoAttribute.M_KEY.get(answer, DATA)).isEqualTo(0x1234);
        assertThat(PortInfoAttribute.M_KEY_VIOLATIONS.getInt(answer, DATA)).isEqualTo(1);
    }

    /** Any bytes: no exception, and the agent answers the next good request. */
    @Test
    void hostileDatagramsDoNoHarm() {
        SplittableRandom random = new SplittableRandom(5);
        byte[] bytes = new byte[Mad.BYTES];
        MadAttribute[] attributes = MadAttribute.values();
        for (int i = 0; i < 5_000; i++) {
            random.nextBytes(bytes);
            MemorySegment request = world.directed(
                    random.nextBoolean() ? MadMethod.SET : MadMethod.GET,
                    attributes[random.nextInt(attributes.length)],
                    random.nextInt(3) == 0 ? random.nextInt() : random.nextInt(5),
                    1,
                    random.nextInt(6));
            MemorySegment.copy(bytes, 0, request, ValueLayout.JAVA_BYTE, DATA, Smp.DATA_BYTES);
            if (random.nextInt(4) == 0) {
                request.set(ValueLayout.JAVA_BYTE, 4 + random.nextInt(60), (byte) random.nextInt());
            }
            PortInfoAttribute.M_KEY.put(request, DATA, 0);
            PortInfoAttribute.PORT_STATE.put(request, DATA, 0);
            PortInfoAttribute.PORT_PHYSICAL_STATE.put(request, DATA, 0);
            assertThat(world.manager().send(request, 0, Lid.PERMISSIVE)).isTrue();
            world.run();
        }

        assertThat(discover()).hasSize(5);
        assertThat(world.subnet.packetsInFlight()).isZero();
    }
}
