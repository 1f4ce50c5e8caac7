// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib.umad2sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Errno;
import io.rdma4j.fabric.IbLinkProfile;
import io.rdma4j.ib.IbDevice;
import io.rdma4j.ib.IbFabric;
import io.rdma4j.ib.IbManager;
import io.rdma4j.ib.NodeAgents;
import io.rdma4j.ib.topology.FabricTopologyParser;
import io.rdma4j.loop.NetLoop;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.sm.SubnetOptions;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadClass;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.MadStatus;
import io.rdma4j.wire.mad.Rmpp;
import io.rdma4j.wire.mad.sm.NodeInfo;
import io.rdma4j.wire.mad.sm.Notice;
import io.rdma4j.wire.mad.sm.PortInfoAttribute;
import io.rdma4j.wire.mad.sm.SmInfo;
import io.rdma4j.wire.mad.sm.Smp;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Clients on two hosts at one switch, in virtual time. */
class Umad2SimClientsTest {
    private static final String TOPOLOGY = """
            Switch 4 "leaf"
            [1] "a"[1]
            [2] "b"[1]

            Hca 1 "a"

            Hca 1 "b"
            """;
    private static final long SECOND_NS = 1_000_000_000;
    private static final int IS_SM = 1 << 1;
    private static final long ID = 0x0003_1234_5678L;

    private long nowNs = 1_000;
    private final NetLoop loop = new NetLoop(() -> nowNs, ProgressMode.MANUAL);
    private final IbFabric fabric = new IbFabric(loop);
    private final Umad2SimClients clients = new Umad2SimClients(fabric);
    private final List<MemorySegment> toA = new ArrayList<>();
    private final List<MemorySegment> toB = new ArrayList<>();
    private List<IbDevice> devices = List.of();
    private Umad2SimClient a;
    private Umad2SimClient b;

    @BeforeEach
    void attach() {
        devices = FabricTopologyParser.parse("test", TOPOLOGY).build(fabric, IbLinkProfile.PLAIN);
        try (IbManager manager = new IbManager(devices.getFirst(), SubnetOptions.DEFAULT)) {
            run(SECOND_NS);
            assertThat(manager.isUp()).isTrue();
        }
        a = attach(1, "a", toA);
        b = attach(2, "b", toB);
    }

    @AfterEach
    void close() {
        fabric.exclusively(clients::close);
        fabric.close();
        loop.close();
    }

    private NodeAgents node(String name) {
        return Objects.requireNonNull(clients.node(name), name);
    }

    private Umad2SimClient attach(int number, String name, List<MemorySegment> received) {
        Umad2SimClient client = new Umad2SimClient(
                number,
                node(name),
                false,
                message -> received.add(
                        MemorySegment.ofArray(new byte[DatagramMessage.BYTES]).copyFrom(message)));
        fabric.exclusively(() -> clients.attach(client));
        return client;
    }

    private void run(long ns) {
        long endNs = nowNs + ns;
        while (true) {
            while (loop.progress(nowNs)) {
                // more to do at this time
            }
            long next = loop.nextDeadlineNs();
            if (next == Deadline.NEVER || next - endNs > 0) {
                break;
            }
            nowNs = Math.max(nowNs, next);
        }
        nowNs = endNs;
    }

    private void send(Umad2SimClient client, MemorySegment message) {
        fabric.exclusively(() -> clients.datagram(client, message));
        run(1);
    }

    private void manager(Umad2SimClient client, boolean isThere) {
        fabric.exclusively(() -> clients.manager(client, isThere));
        run(1);
    }

    private int capabilities(String name) {
        MemorySegment info = MemorySegment.ofArray(new byte[Smp.DATA_BYTES]);
        node(name).agent().read(MadAttribute.PORT_INFO, 0, info);
        return PortInfoAttribute.CAPABILITY_MASK.getInt(info, 0);
    }

    @Test
    @Covers("MAD-16")
    void aDirectedRouteIsAnsweredWithItsTransactionIdAndPointerZero() {
        send(a, Program.direct(MadMethod.GET, MadAttribute.NODE_INFO, 0xABCD_0003_1234_5678L, 1, 2));

        assertThat(toA).hasSize(1);
        MemorySegment mad = DatagramMessage.mad(toA.getFirst());
        assertThat(DatagramMessage.status(toA.getFirst())).isZero();
        assertThat(DatagramMessage.length(toA.getFirst())).isEqualTo(Mad.BYTES);
        assertThat(Mad.METHOD.getInt(mad, 0)).isEqualTo(MadMethod.GET.responseCode());
        assertThat(Mad.STATUS.getInt(mad, 0)).isEqualTo(MadStatus.DIRECTION);
        assertThat(Mad.TRANSACTION_ID.get(mad, 0)).isEqualTo(0xABCD_0003_1234_5678L);
        assertThat(Smp.HOP_POINTER.getInt(mad, 0)).isZero();
        assertThat(NodeInfo.PORT_GUID.get(mad, Smp.DATA)).isEqualTo(0x100003);
        assertThat(NodeInfo.LOCAL_PORT_NUM.getInt(mad, Smp.DATA)).isEqualTo(1);
        assertThat(toB).isEmpty();
    }

    @Test
    void aRequestWithoutAnswerReturnsUnchangedAfterASecond() {
        MemorySegment request = Program.direct(MadMethod.GET, MadAttribute.NODE_INFO, ID, 1, 3);
        MemorySegment copy =
                MemorySegment.ofArray(new byte[DatagramMessage.BYTES]).copyFrom(request);
        send(a, request);
        assertThat(toA).isEmpty();

        run(2 * SECOND_NS);
        assertThat(toA).hasSize(1);
        assertThat(DatagramMessage.status(toA.getFirst())).isEqualTo(Errno.ETIMEDOUT.code());
        assertThat(DatagramMessage.mad(toA.getFirst()).mismatch(DatagramMessage.mad(copy)))
                .isEqualTo(-1);
    }

    @Test
    @Covers("PORT-21")
    void aManagerIsAnnouncedWhileItsFileIsOpen() {
        assertThat(capabilities("b") & IS_SM).isZero();
        manager(b, true);
        assertThat(capabilities("b") & IS_SM).isNotZero();
        manager(b, false);
        assertThat(capabilities("b") & IS_SM).isZero();
    }

    @Test
    void aRequestToAManagerReachesItsProgramAndTheAnswerComesBack() {
        manager(b, true);
        toA.clear();
        toB.clear();
        int lidOfB = node("b").lid();
        send(a, Program.toLid(MadClass.SUBN_ADM, MadMethod.GET_TABLE.code(), MadAttribute.NODE_RECORD, ID, lidOfB));

        assertThat(toB).hasSize(1);
        MemorySegment request = DatagramMessage.mad(toB.getFirst());
        long seen = Mad.TRANSACTION_ID.get(request, 0);
        assertThat(seen & 0xFFFF_FFFFL).isEqualTo(ID & 0xFFFF_FFFFL);

        // The library of the manager replaces the number of the agent; the length is that of one record.
        MemorySegment answer = Program.toLid(
                MadClass.SUBN_ADM,
                MadMethod.GET_TABLE.responseCode(),
                MadAttribute.NODE_RECORD,
                seen & ~0xFFFF_0000_0000L | 0x0009_0000_0000L,
                DatagramMessage.sourceLid(toB.getFirst()));
        DatagramMessage.length(answer, 56 + 112);
        send(b, answer);

        assertThat(toA).hasSize(1);
        MemorySegment mad = DatagramMessage.mad(toA.getFirst());
        assertThat(Mad.TRANSACTION_ID.get(mad, 0)).isEqualTo(ID);
        assertThat(DatagramMessage.length(toA.getFirst())).isEqualTo(56 + 112);
        assertThat(Rmpp.isFirst(mad, Rmpp.OFFSET)).isTrue();
        assertThat(DatagramMessage.sourceLid(toA.getFirst())).isEqualTo(lidOfB);
    }

    @Test
    void requestsForSmInfoReachAManagerAlongADirectedRoute() {
        send(a, Program.direct(MadMethod.GET, MadAttribute.SM_INFO, ID, 1, 2));
        assertThat(Mad.STATUS.getInt(DatagramMessage.mad(toA.getFirst()), 0) & ~MadStatus.DIRECTION)
                .isEqualTo(MadStatus.BAD_METHOD_ATTRIBUTE);
        toA.clear();
        manager(b, true);
        toB.clear();

        send(a, Program.direct(MadMethod.GET, MadAttribute.SM_INFO, ID + 1, 1, 2));
        assertThat(toB).hasSize(1);
        MemorySegment answer = toB.getFirst();
        MemorySegment mad = DatagramMessage.mad(answer);
        Mad.METHOD.put(mad, 0, MadMethod.GET.responseCode());
        Mad.STATUS.put(mad, 0, MadStatus.DIRECTION);
        Smp.HOP_POINTER.put(mad, 0, 0);
        send(b, answer);
        assertThat(toA).hasSize(1);
        assertThat(Mad.TRANSACTION_ID.get(DatagramMessage.mad(toA.getFirst()), 0))
                .isEqualTo(ID + 1);
    }

    @Test
    void theManagerOfThisProjectAnswersSmInfo() {
        try (IbManager _ = new IbManager(devices.getFirst(), SubnetOptions.DEFAULT)) {
            run(SECOND_NS);
            toB.clear();
            int lid = node("a").lid();
            send(b, Program.toLid(MadClass.SUBN_LID_ROUTED, MadMethod.GET.code(), MadAttribute.SM_INFO, ID, lid));
            send(b, Program.direct(MadMethod.GET, MadAttribute.SM_INFO, ID + 1, 1, 1));
            send(b, Program.direct(MadMethod.SET, MadAttribute.SM_INFO, ID + 2, 1, 1));

            assertThat(toB).hasSize(3);
            for (MemorySegment answer : toB.subList(0, 2)) {
                MemorySegment mad = DatagramMessage.mad(answer);
                assertThat(Mad.STATUS.getInt(mad, 0) & ~MadStatus.DIRECTION).isZero();
                assertThat(SmInfo.GUID.get(mad, Smp.DATA)).isEqualTo(0x100001);
                assertThat(SmInfo.STATE.getInt(mad, Smp.DATA)).isEqualTo(3);
                assertThat(SmInfo.SM_KEY.get(mad, Smp.DATA)).isEqualTo(1);
            }
            assertThat(Mad.STATUS.getInt(DatagramMessage.mad(toB.getLast()), 0) & ~MadStatus.DIRECTION)
                    .isEqualTo(MadStatus.BAD_FIELD);
        }
    }

    @Test
    void aTrapOfAProgramIsRepressedOrReturns() {
        int lid = node("a").lid();
        try (IbManager _ = new IbManager(devices.getFirst(), SubnetOptions.DEFAULT)) {
            run(SECOND_NS);
            toB.clear();
            send(b, trap(lid));
            assertThat(toB).hasSize(1);
            MemorySegment mad = DatagramMessage.mad(toB.getFirst());
            assertThat(Mad.METHOD.getInt(mad, 0)).isEqualTo(MadMethod.TRAP_REPRESS.code());
            assertThat(Mad.TRANSACTION_ID.get(mad, 0)).isEqualTo(ID);
            assertThat(DatagramMessage.status(toB.getFirst())).isZero();
        }
        toB.clear();
        send(b, trap(lid));
        run(2 * SECOND_NS);
        assertThat(toB).hasSize(1);
        assertThat(DatagramMessage.status(toB.getFirst())).isEqualTo(Errno.ETIMEDOUT.code());
    }

    private MemorySegment trap(int lidOfManager) {
        MemorySegment trap = Program.toLid(
                MadClass.SUBN_LID_ROUTED, MadMethod.TRAP.code(), MadAttribute.SM_NOTICE, ID, lidOfManager);
        Notice.ISSUER_LID.put(DatagramMessage.mad(trap), Smp.DATA, node("b").lid());
        return trap;
    }

    /** The preload library opens the file of a manager for ibping as well. */
    @Test
    void aResponderReceivesPingsAndIsNoManager() {
        List<MemorySegment> toResponder = new ArrayList<>();
        Umad2SimClient responder = new Umad2SimClient(3, node("b"), true, toResponder::add);
        fabric.exclusively(() -> clients.attach(responder));
        manager(responder, true);
        assertThat(capabilities("b") & IS_SM).isZero();

        MemorySegment ping = Program.toLid(
                MadClass.DEV_MGT,
                MadMethod.GET.code(),
                MadAttribute.CLASS_PORT_INFO,
                ID,
                node("b").lid());
        MemorySegment mad = DatagramMessage.mad(ping);
        Mad.MGMT_CLASS.put(mad, 0, 0x32);
        mad.set(ValueLayout.JAVA_BYTE, 38, (byte) 0x14);
        mad.set(ValueLayout.JAVA_BYTE, 39, (byte) 0x05);
        send(a, ping);
        assertThat(toResponder).hasSize(1);
    }

    @Test
    void aRequestForAClassWithoutAgentIsNotDelivered() {
        manager(b, true);
        toB.clear();
        send(
                a,
                Program.toLid(
                        MadClass.DEV_MGT,
                        MadMethod.GET.code(),
                        MadAttribute.CLASS_PORT_INFO,
                        ID,
                        node("b").lid()));
        assertThat(toB).isEmpty();
    }

    @Test
    void aManagerThatLeavesThreeRequestsUnansweredIsGone() {
        manager(b, true);
        for (int i = 0; i < 3; i++) {
            send(a, Program.direct(MadMethod.GET, MadAttribute.SM_INFO, ID + i, 1, 2));
        }
        run(3 * SECOND_NS);
        assertThat(capabilities("b") & IS_SM).isZero();
        assertThat(toA)
                .hasSize(3)
                .allSatisfy(
                        message -> assertThat(DatagramMessage.status(message)).isEqualTo(Errno.ETIMEDOUT.code()));
    }

    @Test
    void controlMessagesReadTheNode() {
        ControlAnswers answers = new ControlAnswers(node("b"));
        MemorySegment guid = Program.control(2, ControlMessage.GET_GUID);
        assertThat(answers.answer(guid)).isTrue();
        assertThat(NodeInfo.NODE_GUID.get(ControlMessage.data(guid), -NodeInfo.NODE_GUID.offset() + 0L))
                .isEqualTo(0x100003);

        MemorySegment port = Program.control(2, ControlMessage.GET_PORT);
        assertThat(answers.answer(port)).isTrue();
        assertThat(ControlMessage.word(port, 0) & 0xFFFF).isEqualTo(node("b").lid());
        assertThat(ControlMessage.word(port, 0) >>> Short.SIZE).isEqualTo(4);

        MemorySegment nodeInfo = Program.control(2, ControlMessage.GET_NODE_INFO);
        assertThat(answers.answer(nodeInfo)).isTrue();
        assertThat(NodeInfo.NODE_GUID.get(ControlMessage.data(nodeInfo), 0)).isEqualTo(0x100002);

        MemorySegment pkeys = Program.control(2, ControlMessage.GET_PKEYS);
        assertThat(answers.answer(pkeys)).isTrue();
        assertThat(ControlMessage.word(pkeys, 0)).isEqualTo(0xFFFF);
        assertThat(answers.answer(Program.control(2, 99))).isFalse();
    }
}
