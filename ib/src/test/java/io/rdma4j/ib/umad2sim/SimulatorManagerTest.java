// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib.umad2sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.NanoClock;
import io.rdma4j.base.RdmaException;
import io.rdma4j.fabric.IbLink;
import io.rdma4j.fabric.IbLinkProfile;
import io.rdma4j.fabric.IbSwitch;
import io.rdma4j.ib.IbDevice;
import io.rdma4j.ib.IbFabric;
import io.rdma4j.loop.NetLoop;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.sm.SmState;
import io.rdma4j.sm.SubnetOptions;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.device.PortState;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadClass;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.MadStatus;
import io.rdma4j.wire.mad.sa.NodeRecord;
import io.rdma4j.wire.mad.sa.PathRecord;
import io.rdma4j.wire.mad.sa.SaHeader;
import io.rdma4j.wire.mad.sm.SmInfo;
import io.rdma4j.wire.mad.sm.Smp;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Our subnet manager over the sockets of a simulator, which is a subnet of this project. */
@Timeout(30)
class SimulatorManagerTest {
    private static final int QPN = 1;

    private final NetLoop loop = new NetLoop(NanoClock.SYSTEM, ProgressMode.AUTOMATIC);
    private final IbFabric fabric = new IbFabric(loop);
    private final IbDevice first = fabric.newDevice("a", 0x10);
    private final IbDevice second = fabric.newDevice("b", 0x20);
    private final List<IbDevice> devices = List.of(first, second);
    private final IbLink cableOfSecond;
    private final Umad2SimServer server;

    SimulatorManagerTest() throws IOException {
        IbSwitch near = fabric.newSwitch("leaf1", 0x100, 4);
        IbSwitch far = fabric.newSwitch("leaf2", 0x200, 4);
        fabric.connect(first.port(), near.port(1), IbLinkProfile.PLAIN);
        fabric.connect(near.port(3), far.port(3), IbLinkProfile.PLAIN);
        cableOfSecond = fabric.connect(second.port(), far.port(1), IbLinkProfile.PLAIN);
        loop.start("fabric");
        server = Umad2SimServer.open(fabric, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    @AfterEach
    void end() {
        server.close();
        fabric.close();
        loop.close();
    }

    private SimulatorPort attach(String node) throws IOException {
        return SimulatorPort.attach(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()), node);
    }

    private static void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    private static MemorySegment request(MadClass mgmtClass, MadMethod method, MadAttribute attribute, long id) {
        MemorySegment mad = MemorySegment.ofArray(new byte[Mad.BYTES]);
        Mad.write(mad, 0, mgmtClass, method.code(), attribute.attributeId(), id);
        return mad;
    }

    private static MemorySegment answer(SimulatorPort port) throws IOException {
        while (true) {
            MemorySegment message = port.receive();
            if (message != null) {
                assertThat(DatagramMessage.status(message)).isZero();
                return DatagramMessage.mad(message);
            }
            port.await(1000);
        }
    }

    @Test
    @Covers({"SM-1", "MAD-15"})
    void theManagerBringsTheSubnetUp() throws IOException {
        try (SimulatorPort port = attach("a");
                SimulatorManager manager = new SimulatorManager(port, SubnetOptions.DEFAULT)) {
            assertThat(port.guid()).isEqualTo(first.nodeGuid() + 1);
            await(manager::isUp);
            assertThat(manager.state()).isEqualTo(SmState.MASTER);
            assertThat(devices).allMatch(device -> device.port().state() == PortState.ACTIVE);
            assertThat(manager.describe())
                    .anyMatch(line -> line.contains("\"leaf2\""))
                    .hasSizeGreaterThan(8);
            assertThat(manager.datagramsSent()).isGreaterThan(40);
        }
    }

    @Test
    @Covers("SM-1")
    void theManagerRunsAtASwitch() throws IOException {
        try (SimulatorPort port = attach("leaf1");
                SimulatorManager manager = new SimulatorManager(port, SubnetOptions.DEFAULT)) {
            await(manager::isUp);
            assertThat(devices).allMatch(device -> device.port().state() == PortState.ACTIVE);
        }
    }

    @Test
    @Covers("SA-1")
    void otherProgramsGetTheirAnswers() throws IOException {
        try (SimulatorPort port = attach("a");
                SimulatorManager manager = new SimulatorManager(port, SubnetOptions.DEFAULT);
                SimulatorPort other = attach("b")) {
            await(manager::isUp);
            int managerLid = first.lid();
            int ownLid = second.lid();

            MemorySegment info = request(MadClass.SUBN_LID_ROUTED, MadMethod.GET, MadAttribute.SM_INFO, 7);
            other.sendManagement(info, managerLid);
            MemorySegment mad = answer(other);
            assertThat(Mad.TRANSACTION_ID.get(mad, 0)).isEqualTo(7);
            assertThat(SmInfo.STATE.getInt(mad, Smp.DATA)).isEqualTo(SmState.MASTER.ordinal());

            MemorySegment query = request(MadClass.SUBN_ADM, MadMethod.GET, MadAttribute.PATH_RECORD, 8);
            SaHeader.COMPONENT_MASK.put(
                    query, SaHeader.OFFSET, PathRecord.SLID.componentMask() | PathRecord.DLID.componentMask());
            PathRecord.SLID.put(query, SaHeader.DATA, ownLid);
            PathRecord.DLID.put(query, SaHeader.DATA, managerLid);
            other.sendGeneral(query, managerLid, QPN);
            mad = answer(other);
            assertThat(Mad.TRANSACTION_ID.get(mad, 0)).isEqualTo(8);
            assertThat(Mad.STATUS.getInt(mad, 0)).isEqualTo(MadStatus.SUCCESS);
            assertThat(PathRecord.DLID.getInt(mad, SaHeader.DATA)).isEqualTo(managerLid);
        }
    }

    @Test
    @Covers("SA-1")
    void ofATableTheFirstSegmentIsSentOnce() throws IOException {
        try (SimulatorPort port = attach("a");
                SimulatorManager manager = new SimulatorManager(port, SubnetOptions.DEFAULT);
                SimulatorPort other = attach("b")) {
            await(manager::isUp);
            MemorySegment query = request(MadClass.SUBN_ADM, MadMethod.GET_TABLE, MadAttribute.NODE_RECORD, 9);
            other.sendGeneral(query, first.lid(), QPN);
            MemorySegment mad = answer(other);
            assertThat(Mad.TRANSACTION_ID.get(mad, 0)).isEqualTo(9);
            assertThat(NodeRecord.LID.getInt(mad, SaHeader.DATA)).isPositive();
            other.await(1500); // a segment without ACK would be repeated after 1 s
            assertThat(other.receive()).isNull();
        }
    }

    @Test
    void aTrapCausesASweep() throws IOException {
        try (SimulatorPort port = attach("a");
                SimulatorManager manager = new SimulatorManager(port, SubnetOptions.DEFAULT)) {
            await(manager::isUp);
            assertThat(manager.describe()).anyMatch(line -> line.contains("\"b\""));
            fabric.exclusively(cableOfSecond::unplug);
            await(() -> manager.sweeps() > 1 && manager.isUp());
            await(() -> manager.describe().stream().noneMatch(line -> line.contains("\"b\"")));
        }
    }

    @Test
    void whatIsNotThereIsNamed() throws IOException {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> attach("nowhere"))
                .withMessageContaining("no node \"nowhere\"")
                .matches(e -> e.errno() == Errno.ENOENT);
        try (SimulatorPort port = attach("a");
                SimulatorManager manager = new SimulatorManager(port, SubnetOptions.DEFAULT)) {
            await(manager::isUp);
            server.close();
            manager.sweep();
            await(manager::hasEnded);
        }
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> attach("a"))
                .withMessageContaining("there is no simulator at")
                .matches(e -> e.errno() == Errno.ECONNREFUSED);
    }

    /** The number is added to a UDP port. */
    @Test
    void aServerThatAnswersWithAnImpossibleNumberIsRejected() throws Exception {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        for (int number : new int[] {-1, Integer.MAX_VALUE, 0xFFFF}) {
            try (DatagramSocket socket = new DatagramSocket(0, loopback)) {
                Thread answering = Thread.ofVirtual().start(() -> answer(socket, number));
                assertThatExceptionOfType(RdmaException.class)
                        .isThrownBy(
                                () -> SimulatorPort.attach(new InetSocketAddress(loopback, socket.getLocalPort()), ""))
                        .withMessageContaining("client number " + number)
                        .matches(e -> e.errno() == Errno.EIO);
                answering.join();
            }
        }
    }

    private static void answer(DatagramSocket socket, int number) {
        DatagramPacket packet = new DatagramPacket(new byte[ControlMessage.BYTES], ControlMessage.BYTES);
        try {
            socket.receive(packet);
            ControlMessage.word(MemorySegment.ofArray(packet.getData()), 0, number);
            socket.send(packet);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
