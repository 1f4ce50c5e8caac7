// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric.sma;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.EventSchedule;
import io.rdma4j.fabric.IbEndPort;
import io.rdma4j.fabric.IbLink;
import io.rdma4j.fabric.IbLinkProfile;
import io.rdma4j.fabric.IbSubnet;
import io.rdma4j.fabric.IbSwitch;
import io.rdma4j.fabric.PacketReceiver;
import io.rdma4j.fabric.PortObserver;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.verbs.device.PortState;
import io.rdma4j.wire.Bth;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.ib.Lid;
import io.rdma4j.wire.ib.LinkNextHeader;
import io.rdma4j.wire.ib.Lrh;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadClass;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.MadStatus;
import io.rdma4j.wire.mad.sm.LinearForwardingTable;
import io.rdma4j.wire.mad.sm.PortInfoAttribute;
import io.rdma4j.wire.mad.sm.Smp;
import io.rdma4j.wire.mad.table.MadAttribute;
import io.rdma4j.wire.roce.Icrc;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Hosts 1 and 2 at ports 1 and 2 of switch 1, host 3 at port 1 of switch 2, a link between ports 3 of the switches. A
 * subnet manager runs at host 1.
 */
final class SweepWorld {
    static final long HOST_GUID = 0x10_0000;
    static final long SWITCH_GUID = 0x20_0000;

    final EventSchedule schedule = new EventSchedule();
    final IbSubnet subnet = new IbSubnet(schedule);
    final SkBuffPool buffers = SkBuffPool.growing(1000, 512);
    final List<IbEndPort> hosts = new ArrayList<>();
    final List<IbSwitch> switches = new ArrayList<>();
    final List<SubnetManagementInterface> interfaces = new ArrayList<>();
    final List<IbLink> links = new ArrayList<>();
    final List<Integer> dataAt = new ArrayList<>();
    final List<MemorySegment> traps = new ArrayList<>();
    private final MemorySegment request = Arena.ofAuto().allocate(Mad.BYTES);
    private @Nullable MemorySegment response;
    private long transactionId;

    SweepWorld(IbLinkProfile profile) {
        for (int i = 0; i < 3; i++) {
            int number = i + 1;
            SubnetManagementInterface smi =
                    new SubnetManagementInterface(subnet, buffers, i == 0 ? this::responded : ManagementHandler.NONE);
            PacketReceiver receiver = (packet, inputPort) -> {
                if (Lrh.virtualLane(packet.memory(), packet.data()) == 15 || isManagement(packet)) {
                    smi.receive(packet, inputPort);
                } else {
                    dataAt.add(number);
                    packet.free();
                }
            };
            IbEndPort host = subnet.newEndPort(1, receiver, PortObserver.NONE);
            smi.attach(SubnetManagementAgent.of(host, HOST_GUID + 2L * i, "Host" + number, ManagedDevice.NONE));
            hosts.add(host);
            interfaces.add(smi);
        }
        for (int i = 0; i < 2; i++) {
            SubnetManagementInterface smi = new SubnetManagementInterface(subnet, buffers, ManagementHandler.NONE);
            IbSwitch node = subnet.newSwitch(4, smi, smi);
            smi.attach(SubnetManagementAgent.of(node, SWITCH_GUID + i, "Switch" + (i + 1)));
            switches.add(node);
            interfaces.add(smi);
        }
        links.add(subnet.connect(hosts.get(0).port(), switches.get(0).port(1), profile));
        links.add(subnet.connect(hosts.get(1).port(), switches.get(0).port(2), profile));
        links.add(subnet.connect(hosts.get(2).port(), switches.get(1).port(1), profile));
        links.add(subnet.connect(switches.get(0).port(3), switches.get(1).port(3), profile));
        schedule.runUntil(1000);
    }

    private static boolean isManagement(SkBuff packet) {
        return Bth.destinationQpn(packet.memory(), packet.data() + Lrh.BYTES) == 0;
    }

    private void responded(SkBuff packet, long mad, int inputPort) {
        MemorySegment copy =
                Arena.ofAuto().allocate(Mad.BYTES).copyFrom(packet.memory().asSlice(mad, Mad.BYTES));
        if (Mad.METHOD.getInt(copy, 0) == MadMethod.TRAP.code()) {
            traps.add(copy);
        } else {
            response = copy;
        }
        packet.free();
    }

    SubnetManagementInterface manager() {
        return interfaces.getFirst();
    }

    /** Begins a directed-routed request. Hops are the output ports. */
    MemorySegment directed(MadMethod method, MadAttribute attribute, int modifier, int... hops) {
        begin(MadClass.SUBN_DIRECTED_ROUTE, method, attribute, modifier);
        Smp.DR_SLID.put(request, 0, Lid.PERMISSIVE);
        Smp.DR_DLID.put(request, 0, Lid.PERMISSIVE);
        Smp.HOP_COUNT.put(request, 0, hops.length);
        for (int i = 0; i < hops.length; i++) {
            Smp.INITIAL_PATH.elements().get(i + 1).put(request, 0, hops[i]);
        }
        return request;
    }

    MemorySegment begin(MadClass mgmtClass, MadMethod method, MadAttribute attribute, int modifier) {
        Mad.write(request, 0, mgmtClass, method.code(), attribute.attributeId(), ++transactionId);
        Mad.ATTRIBUTE_MODIFIER.put(request, 0, modifier);
        return request;
    }

    /** Sends the request, and runs until nothing happens any more. Returns the response, or null. */
    @Nullable
    MemorySegment ask(int destinationLid) {
        response = null;
        assertThat(manager().send(request, 0, destinationLid)).isTrue();
        run();
        MemorySegment answer = response;
        if (answer != null) {
            assertThat(Mad.TRANSACTION_ID.get(answer, 0)).isEqualTo(transactionId);
            assertThat(Mad.METHOD.getInt(answer, 0)).isEqualTo(MadMethod.GET.responseCode());
        }
        return answer;
    }

    MemorySegment get(MadAttribute attribute, int modifier, int... hops) {
        directed(MadMethod.GET, attribute, modifier, hops);
        return Objects.requireNonNull(ask(Lid.PERMISSIVE));
    }

    static int status(MemorySegment mad) {
        return Mad.STATUS.getInt(mad, 0) & 0x7FFF;
    }

    /** Runs long enough for every datagram that is under way; traps are repeated later. */
    void run() {
        schedule.runUntil(schedule.nowNs() + 1_000_000);
    }

    boolean sendData(int from, int dlid) {
        int headers = Lrh.BYTES + Bth.BYTES;
        SkBuff skb = Objects.requireNonNull(buffers.allocate());
        int at = skb.put(headers + 64);
        Lrh.write(
                skb.memory(),
                at,
                0,
                0,
                LinkNextHeader.LOCAL,
                dlid,
                (headers + 64 + Icrc.BYTES) / 4,
                hosts.get(from - 1).lid());
        Bth.write(skb.memory(), at + Lrh.BYTES, Opcode.RC_SEND_ONLY, false, false, 0, 0xFFFF, 0x12, false, 1);
        boolean sent = hosts.get(from - 1).send(skb);
        run();
        return sent;
    }

    int set() {
        MemorySegment answer = Objects.requireNonNull(ask(Lid.PERMISSIVE), "no answer");
        return status(answer);
    }

    void setLid(int lid, int port, int... hops) {
        MemorySegment present = get(MadAttribute.PORT_INFO, port, hops);
        MemorySegment request = directed(MadMethod.SET, MadAttribute.PORT_INFO, port, hops);
        MemorySegment.copy(present, Smp.DATA, request, Smp.DATA, Smp.DATA_BYTES);
        PortInfoAttribute.LID.put(request, Smp.DATA, lid);
        PortInfoAttribute.MASTER_SM_LID.put(request, Smp.DATA, 1);
        PortInfoAttribute.PORT_STATE.put(request, Smp.DATA, 0);
        PortInfoAttribute.PORT_PHYSICAL_STATE.put(request, Smp.DATA, 0);
        assertThat(set()).isEqualTo(MadStatus.SUCCESS);
    }

    int setState(PortState state, int port, int... hops) {
        MemorySegment present = get(MadAttribute.PORT_INFO, port, hops);
        MemorySegment request = directed(MadMethod.SET, MadAttribute.PORT_INFO, port, hops);
        MemorySegment.copy(present, Smp.DATA, request, Smp.DATA, Smp.DATA_BYTES);
        PortInfoAttribute.PORT_PHYSICAL_STATE.put(request, Smp.DATA, 0);
        PortInfoAttribute.PORT_STATE.put(request, Smp.DATA, state.code());
        return set();
    }

    void setTable(Map<Integer, Integer> ports, int... hops) {
        MemorySegment request = directed(MadMethod.SET, MadAttribute.LINEAR_FORWARDING_TABLE, 0, hops);
        request.asSlice(Smp.DATA, Smp.DATA_BYTES).fill((byte) 0xFF);
        ports.forEach(
                (lid, port) -> LinearForwardingTable.PORTS.elements().get(lid).put(request, Smp.DATA, port));
        assertThat(set()).isEqualTo(MadStatus.SUCCESS);
    }

    void sweep() {
        setLid(1, 1);
        setLid(4, 0, 1);
        setLid(2, 1, 1, 2);
        setLid(5, 0, 1, 3);
        setLid(3, 1, 1, 3, 1);
        setTable(Map.of(1, 1, 2, 2, 3, 3, 4, 0, 5, 3), 1);
        setTable(Map.of(1, 3, 2, 3, 3, 1, 4, 3, 5, 0), 1, 3);
        for (PortState state : List.of(PortState.ARMED, PortState.ACTIVE)) {
            assertThat(setState(state, 1)).isZero();
            assertThat(setState(state, 1, 1, 2)).isZero();
            assertThat(setState(state, 1, 1, 3, 1)).isZero();
            for (int port : new int[] {1, 2, 3}) {
                assertThat(setState(state, port, 1)).isZero();
            }
            for (int port : new int[] {1, 3}) {
                assertThat(setState(state, port, 1, 3)).isZero();
            }
        }
    }
}
