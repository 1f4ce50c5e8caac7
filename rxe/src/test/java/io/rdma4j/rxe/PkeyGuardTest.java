// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.links.BridgeDevice;
import io.rdma4j.links.VethDevice;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.ns.NetHost;
import io.rdma4j.net.skb.EtherType;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.verbs.device.PortNotice;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A software switch with two stations, and a guard at the port of one of them. */
class PkeyGuardTest {
    private static final long INTERVAL_NS = 1_000_000;
    private static final int PORT = 2;
    private static final long BROADCAST = 0xFFFF_FFFF_FFFFL;

    private final NetHost machine = NetHost.create(() -> 0);
    private final VethDevice.Pair outside = plug("out", "ext");
    private final VethDevice.Pair inside = plug("in", "int");
    private final NetDevice bridge =
            machine.initial().register(BridgeDevice.create("br0", () -> 0).netDevice());
    private final SkBuffPool pool = new SkBuffPool(8, 512);
    private final List<PortNotice> traps = new ArrayList<>();
    private final PkeyGuard guard;
    private long now = 5;
    private int passed;

    PkeyGuardTest() {
        for (NetDevice port : List.of(outside.second(), inside.second())) {
            port.stack().enslave(bridge);
        }
        bridge.up();
        inside.first().protocols().addTap(EtherType.ALL, _ -> passed++);
        guard = new PkeyGuard(outside.second(), PORT, List.of(0x8001, 0x0002), () -> now, INTERVAL_NS, traps::add);
    }

    private VethDevice.Pair plug(String station, String port) {
        VethDevice.Pair pair = VethDevice.unregistered(
                VethDevice.end(station, 0, 1500, 0, List.of()), VethDevice.end(port, 0, 1500, 0, List.of()), 16);
        machine.initial().register(pair.first()).up();
        machine.initial().register(pair.second()).up();
        return pair;
    }

    @AfterEach
    void close() {
        guard.close();
        machine.unregister(machine.devices());
        pool.close();
    }

    private void send(byte[] packet) {
        SkBuff skb = Objects.requireNonNull(pool.allocate());
        skb.reserve(64);
        int at = skb.put(packet.length);
        MemorySegment.copy(packet, 0, skb.memory(), ValueLayout.JAVA_BYTE, at, packet.length);
        skb.setNetworkHeader(0);
        boolean v4 = packet[0] >>> 4 == 4;
        outside.first().pushLinkHeader(skb, v4 ? EtherType.IPV4 : EtherType.IPV6, BROADCAST);
        outside.first().transmit(skb);
        for (NetDevice device : List.of(outside.second(), inside.second(), inside.first(), outside.first())) {
            device.napi().poll(64);
        }
    }

    private static byte[] roce(int pkey, boolean v4) {
        PlainPacket packet =
                v4 ? new PlainPacket(Bench.PEER_V4, Bench.LOCAL_V4) : new PlainPacket(Bench.PEER_V6, Bench.LOCAL_V6);
        return packet.pkey(pkey).qpn(5).bytes();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aForeignPartitionAtAnExternalPortRaisesTheTrap(boolean v4) {
        send(roce(0x8001, v4));
        send(roce(0x8002, v4));
        assertThat(traps).isEmpty();
        send(roce(0x0002, v4));
        send(roce(0xFFFF, v4));
        now += INTERVAL_NS;
        send(roce(0x8003, v4));
        assertThat(traps)
                .containsExactly(
                        new PortNotice(PortNotice.Type.SWITCH_BAD_PKEY, PORT, 0x0002),
                        new PortNotice(PortNotice.Type.SWITCH_BAD_PKEY, PORT, 0x8003));
        assertThat(PortNotice.Type.SWITCH_BAD_PKEY.trapNumber()).isEqualTo(259);
        assertThat(guard.violations()).isEqualTo(3);
        assertThat(passed).as("it watches, and lets pass").isEqualTo(5);
    }

    @Test
    void whatIsNoRoceIsNoViolation() {
        byte[] other = roce(0xFFFF, true);
        other[22] = 0x13;
        send(other);
        byte[] tcp = roce(0xFFFF, true);
        tcp[9] = 6;
        send(tcp);
        send(new byte[] {0x45, 0, 0, 20, 0, 0, 0, 0, 64, 17, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
        guard.close();
        send(roce(0xFFFF, true));
        assertThat(guard.violations()).isZero();
        assertThat(passed).isEqualTo(4);
    }
}
