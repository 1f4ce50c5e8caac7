package io.rdma4j.net.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.Napi;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.UdpInput;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.wire.Ipv4;
import io.rdma4j.wire.Udp;
import java.net.InetAddress;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Groups over real sockets of the loopback interface. */
class UdpMulticastTest {
    private static final long PATIENCE_NS = 5_000_000_000L;
    private static final long QUIET_NS = 50_000_000;
    private static final int PAYLOAD = 12;
    private static final Gid SOURCE = Gid.parse("::ffff:127.0.0.1");

    /** 239.p.p.n: this process's own. */
    private static final Gid GROUP =
            Gid.ofIpv4(0xEF00_0000 | (int) (ProcessHandle.current().pid() & 0xFFFF) << 8 | 0x80);

    private final SkBuffPool pool = new SkBuffPool(4, 256);
    private NetDevice device;
    private int received;

    @BeforeEach
    void open() {
        InetAddress address = SOURCE.toInetAddress();
        device = UdpUnderlayDevice.open(UdpUnderlaySettings.of("lo", 1, address).withPort(0))
                .netDevice();
        device.up();
        UdpInput input = new UdpInput();
        input.register(device.udpSourcePort(), skb -> {
            assertThat(Ipv4.destination(skb.memory(), skb.networkHeader())).isEqualTo(GROUP.ipv4());
            assertThat(Ipv4.source(skb.memory(), skb.networkHeader())).isEqualTo(SOURCE.ipv4());
            assertThat(skb.len()).isEqualTo(PAYLOAD);
            received++;
            skb.free();
        });
        device.registerReceiveHandler(input);
    }

    @AfterEach
    void close() {
        device.unregister();
        pool.close();
    }

    private void sendToGroup() {
        SkBuff skb = Objects.requireNonNull(pool.allocate());
        skb.reserve(64);
        skb.put(PAYLOAD);
        int port = device.udpSourcePort();
        int udpBytes = Udp.BYTES + PAYLOAD;
        Udp.write(skb.memory(), skb.push(Udp.BYTES), port, port, udpBytes);
        int ip = skb.push(Ipv4.BYTES);
        Ipv4.write(skb.memory(), ip, Ipv4.BYTES + udpBytes, 0, 0, 64, Ipv4.PROTOCOL_UDP, SOURCE.ipv4(), GROUP.ipv4());
        device.transmit(skb);
    }

    private void poll(int expected, long forNs) {
        long end = System.nanoTime() + forNs;
        while (received < expected && System.nanoTime() - end < 0) {
            device.napi().poll(Napi.POLL_WEIGHT);
            Thread.onSpinWait();
        }
    }

    @Test
    void packetsToAGroupArriveFromJoiningToLeaving() {
        sendToGroup();
        poll(1, QUIET_NS);
        assertThat(received).isZero();

        device.joinMulticast(GROUP);
        sendToGroup();
        poll(1, PATIENCE_NS);
        assertThat(received).isEqualTo(1);

        device.leaveMulticast(GROUP);
        sendToGroup();
        poll(2, QUIET_NS);
        assertThat(received).isEqualTo(1);
    }

    /** Whoever sleeps on the device wakes for them as for others. */
    @Test
    void aGroupsPacketsWakeWhoSleeps() {
        device.joinMulticast(GROUP);
        device.awaitReadable(1);
        sendToGroup();
        long before = System.nanoTime();
        device.awaitReadable(PATIENCE_NS);
        assertThat(System.nanoTime() - before).isLessThan(PATIENCE_NS / 2);
        poll(1, PATIENCE_NS);
        assertThat(received).isEqualTo(1);
    }

    @Test
    void anAddressThatIsNoGroupCannotBeJoined() {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> device.joinMulticast(Gid.parse("::ffff:127.0.0.77")))
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EIO));
    }
}
