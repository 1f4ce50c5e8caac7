// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib.umad2sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.NanoClock;
import io.rdma4j.fabric.IbLinkProfile;
import io.rdma4j.ib.IbFabric;
import io.rdma4j.ib.topology.FabricTopologyParser;
import io.rdma4j.loop.NetLoop;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.sm.NodeInfo;
import io.rdma4j.wire.mad.sm.Smp;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A client over the sockets of a server. */
@Timeout(30)
class Umad2SimServerTest {
    private static final String TOPOLOGY = "Switch 4 \"leaf\"\n[1] \"a\"[1]\n\nHca 1 \"a\"\n";

    private final NetLoop loop = new NetLoop(NanoClock.SYSTEM, ProgressMode.AUTOMATIC);

    private static MemorySegment ask(DatagramChannel channel, MemorySegment request) throws IOException {
        channel.write(request.asByteBuffer());
        ByteBuffer answer = ByteBuffer.allocate((int) request.byteSize());
        assertThat(channel.read(answer)).isEqualTo((int) request.byteSize());
        return MemorySegment.ofBuffer(answer.flip());
    }

    private static DatagramChannel channelTo(int port) throws IOException {
        return DatagramChannel.open().connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    }

    private static int localPort(DatagramChannel channel) throws IOException {
        return ((InetSocketAddress) channel.getLocalAddress()).getPort();
    }

    @Test
    @Covers("MAD-15")
    void aClientConnectsAsksTheSwitchAndLeaves() throws IOException {
        loop.start("fabric");
        IbFabric fabric = new IbFabric(loop);
        FabricTopologyParser.parse("test", TOPOLOGY).build(fabric, IbLinkProfile.PLAIN);
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (Umad2SimServer server = Umad2SimServer.open(fabric, any);
                DatagramChannel control = channelTo(server.port());
                DatagramChannel data = DatagramChannel.open().bind(any)) {
            MemorySegment stranger = ask(control, Program.connect(localPort(data), false, "nowhere"));
            assertThat(ControlMessage.type(stranger)).isEqualTo(ControlMessage.ERROR);

            MemorySegment connected = ask(control, Program.connect(localPort(data), false, "a"));
            assertThat(ControlMessage.type(connected)).isEqualTo(ControlMessage.CONNECT);
            assertThat(ControlMessage.name(connected)).isEqualTo("a");
            int number = ControlMessage.word(connected, 0);
            assertThat(ControlMessage.type(ask(control, Program.control(number, ControlMessage.GET_VENDOR))))
                    .isEqualTo(ControlMessage.GET_VENDOR);

            data.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port() + 1 + number));
            MemorySegment answer = ask(data, Program.direct(MadMethod.GET, MadAttribute.NODE_INFO, 5, 1));
            MemorySegment mad = DatagramMessage.mad(answer);
            assertThat(Mad.METHOD.getInt(mad, 0)).isEqualTo(MadMethod.GET.responseCode());
            assertThat(NodeInfo.NUM_PORTS.getInt(mad, Smp.DATA)).isEqualTo(4);

            MemorySegment bye = ask(control, Program.control(number, ControlMessage.DISCONNECT));
            assertThat(ControlMessage.type(bye)).isEqualTo(ControlMessage.DISCONNECT);
            assertThat(ControlMessage.type(ask(control, Program.control(number, ControlMessage.GET_PORT))))
                    .isEqualTo(ControlMessage.ERROR);
        } finally {
            fabric.close();
            loop.close();
        }
    }
}
