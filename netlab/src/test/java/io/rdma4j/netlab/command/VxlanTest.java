// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.NanoClock;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.netlab.Machine;
import io.rdma4j.testing.ledger.Covers;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.SocketException;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code ip link add type vxlan}: a tunnel through UDP sockets of the operating system. */
@Timeout(120)
class VxlanTest {
    @AutoClose
    private final Machine left = new Machine("left", NanoClock.SYSTEM, ProgressMode.AUTOMATIC);

    @AutoClose
    private final Machine right = new Machine("right", NanoClock.SYSTEM, ProgressMode.AUTOMATIC);

    private final Terminal a = new Terminal(left);
    private final Terminal b = new Terminal(right);

    @Test
    @Covers("NDEV-201")
    void twoMachinesReachEachOtherThroughATunnel() throws Exception {
        int port = freePort();
        a.type("ip link add vx0 type vxlan id 42 local 127.0.0.1 remote 127.0.0.2 dstport " + port);
        b.type("ip link add vx0 type vxlan id 42 local 127.0.0.2 remote 127.0.0.1 dstport " + port);
        a.type("ip addr add 10.7.0.1/24 dev vx0");
        b.type("ip addr add 10.7.0.2/24 dev vx0");
        a.type("ip link set vx0 up");
        b.type("ip link set vx0 up");
        assertThat(a.type("ping -c 2 10.7.0.2")).contains("2 packets transmitted, 2 received, 0% packet loss");
        assertThat(a.type("ip -br link show type vxlan")).startsWith("vx0 ");
        assertThat(a.type("udevadm info -q all -p /sys/class/net/vx0")).contains("E: DEVTYPE=vxlan");
    }

    @Test
    void whatAVxlanCannotBeIsRefused() {
        assertThat(a.fail("ip link add vx0 type vxlan local 127.0.0.1 dstport 0"))
                .contains("id -1 is not in 0..16777215");
        assertThat(a.fail("ip link add vx0 type vxlan id x local 127.0.0.1")).contains("id x is no number");
        assertThat(a.fail("ip link add vx0 type vxlan id 1 local somewhere"))
                .contains("\"somewhere\" is not an IP address");
        assertThat(a.fail("ip link add vx0 type vxlan id 1 dstport 65536"))
                .contains("dstport 65536 is not in 0..65535");
        assertThat(a.fail("ip link add vx0 type vxlan id 1 group 239.1.1.1")).contains("vxlan has id, local");
        assertThat(left.find(Machine.INITIAL, "vx0")).isNull();
    }

    private static int freePort() throws SocketException {
        try (DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
