// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import io.rdma4j.base.NanoClock;
import io.rdma4j.ip.UdpEndpoint;
import io.rdma4j.ip.UdpPorts;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.address.InterfaceAddress;
import io.rdma4j.net.receive.PacketTap;
import io.rdma4j.net.skb.EtherType;
import io.rdma4j.net.skb.HookPoint;
import io.rdma4j.netlab.Machine;
import io.rdma4j.netlab.command.shell.Wait;
import io.rdma4j.netlab.network.Network;
import io.rdma4j.netlab.topology.TopologyParser;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.ledger.Covers;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class IptablesCommandTest {
    private static final int HTTP = 80;

    private final Network network = Network.build(
            TopologyParser.parse("test", "host a\nhost b\nlink a/eth1 b/eth1\n"),
            NanoClock.SYSTEM,
            ProgressMode.AUTOMATIC,
            7);
    private final SkBuffPool pool = new SkBuffPool(16, 512);
    private final Machine a = network.machine("a");
    private final Machine b = network.machine("b");
    private final Terminal terminal = new Terminal(b);

    @BeforeEach
    void number() {
        device(a).ip().set(List.of(InterfaceAddress.parse("10.0.0.1/24")));
        device(b).ip().set(List.of(InterfaceAddress.parse("10.0.0.2/24")));
    }

    @AfterEach
    void close() {
        network.close();
        pool.close();
    }

    private static NetDevice device(Machine machine) {
        return Objects.requireNonNull(machine.find(Machine.INITIAL, "eth1"));
    }

    private static UdpEndpoint bind(Machine machine, int port) {
        return machine.loop()
                .exclusively(
                        () -> machine.stack(machine.net().initial()).ports().bind(port));
    }

    private void send(Machine from, UdpEndpoint endpoint, String to, int port) {
        from.loop().exclusively(() -> {
            SkBuff skb = Objects.requireNonNull(pool.allocate());
            skb.reserve(UdpPorts.HEADROOM);
            skb.put(10);
            assertThat(endpoint.sendTo(skb, Gid.parse(to), port)).isNull();
        });
    }

    /** The packet that arrives at b's port; the caller frees it. */
    private SkBuff received(UdpEndpoint server) {
        SkBuff skb = Wait.until(b, TimeUnit.SECONDS.toNanos(20), () -> b.loop().exclusively(server::receive));
        return Objects.requireNonNull(skb);
    }

    @Test
    @Covers("TOOL-47")
    void packetsAreMarkedBeforeTheyAreRouted() {
        terminal.type("iptables -A PREROUTING -t mangle -i eth1 -j MARK --set-mark 0x1234");
        assertThat(terminal.type("iptables -t mangle -S")).isEqualTo("-A PREROUTING -i eth1 -j MARK --set-mark 0x1234");
        AtomicInteger mark = new AtomicInteger();
        b.stack(b.net().initial()).hooks().register(HookPoint.INPUT, 0, (_, skb, _, _) -> {
            mark.set(skb.marks().mark());
            return true;
        });
        UdpEndpoint server = bind(b, HTTP);
        UdpEndpoint client = bind(a, 0);
        send(a, client, "10.0.0.2", HTTP);
        received(server).free();
        assertThat(mark).hasValue(0x1234);

        terminal.type("iptables -t mangle -D PREROUTING -i eth1 -j MARK --set-mark 0x1234");
        assertThat(terminal.type("iptables -t mangle -S")).isEmpty();
        send(a, client, "10.0.0.2", HTTP);
        received(server).free();
        assertThat(mark).hasValue(0);
    }

    @Test
    @Covers("TOOL-46")
    void packetsOfAServiceAreLabelled() {
        String context = "system_u:object_r:http_packet_t:s0";
        terminal.type("iptables -t mangle -A INPUT -p udp --dport 80 -j SECMARK --selctx " + context);
        terminal.type("iptables -t mangle -A OUTPUT -p udp --sport 80 -j SECMARK --selctx " + context);
        UdpEndpoint server = bind(b, HTTP);
        UdpEndpoint other = bind(b, 81);
        UdpEndpoint client = bind(a, 0);
        send(a, client, "10.0.0.2", 81);
        SkBuff plain = received(other);
        assertThat(plain.marks().secmark()).isZero();
        plain.free();
        send(a, client, "10.0.0.2", HTTP);
        SkBuff labelled = received(server);
        assertThat(b.contexts().context(labelled.marks().secmark())).isEqualTo(context);
        labelled.free();
        assertThat(b.contexts().context(labelSent(server, client.port()))).isEqualTo(context);
    }

    /** The security label of the answer when b sends it. */
    private int labelSent(UdpEndpoint server, int port) {
        AtomicInteger label = new AtomicInteger();
        PacketTap tap = new PacketTap() {
            @Override
            public void see(SkBuff skb) {
                label.compareAndSet(0, skb.marks().secmark());
            }

            @Override
            public boolean seesOutgoing() {
                return true;
            }
        };
        device(b).protocols().addTap(EtherType.IPV4, tap);
        send(b, server, "10.0.0.1", port);
        Wait.until(b, TimeUnit.SECONDS.toNanos(20), () -> label.get() == 0 ? null : label);
        device(b).protocols().removeTap(tap);
        return label.get();
    }

    @Test
    @Covers("TOOL-48")
    void packetsAreMarkedForTracing() {
        terminal.type("iptables -t raw -A PREROUTING -p udp --dport 80 -j TRACE");
        UdpEndpoint server = bind(b, HTTP);
        UdpEndpoint other = bind(b, 81);
        UdpEndpoint client = bind(a, 0);
        send(a, client, "10.0.0.2", HTTP);
        send(a, client, "10.0.0.2", 81);
        SkBuff traced = received(server);
        assertThat(traced.marks().trace()).isTrue();
        traced.free();
        SkBuff plain = received(other);
        assertThat(plain.marks().trace()).isFalse();
        plain.free();
    }

    @Test
    void whatMakesNoSenseIsRefused() {
        assertThat(terminal.fail("iptables -t nat -A INPUT -j DROP")).contains("no table \"nat\"");
        assertThat(terminal.fail("iptables -t raw -A INPUT -j DROP")).contains("table raw has no chain INPUT");
        assertThat(terminal.fail("iptables -A INPUT -j REJECT")).contains("\"REJECT\" is unknown");
        assertThat(terminal.fail("iptables -A INPUT -p udp")).contains("-j TARGET is missing");
        assertThat(terminal.fail("iptables -A INPUT --colour red -j DROP")).contains("\"--colour\"");
        assertThat(terminal.fail("iptables -D INPUT -j DROP")).contains("no rule \"-j DROP\"");
        assertThat(terminal.fail("iptables")).contains("is missing");
    }
}
