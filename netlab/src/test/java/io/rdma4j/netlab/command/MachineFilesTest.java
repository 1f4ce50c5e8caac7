// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.NanoClock;
import io.rdma4j.links.VethDevice;
import io.rdma4j.links.qemu.QemuDatagramDevice;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.receive.PacketTap;
import io.rdma4j.net.transmit.ClientGroup;
import io.rdma4j.net.transmit.GroupMember;
import io.rdma4j.netlab.Machine;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.ledger.Covers;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** {@code cat}, {@code echo}, {@code ls}, {@code sysctl} and {@code udevadm} on the files of a machine. */
class MachineFilesTest {
    private static final int FRAME_BYTES = 60;

    /** A broadcast frame to the device of {@link #wire}. */
    private DatagramPacket frame = new DatagramPacket(new byte[0], 0);

    private final Machine machine = new Machine("m", NanoClock.SYSTEM, ProgressMode.AUTOMATIC);
    private final Terminal terminal = new Terminal(machine);

    @AfterEach
    void close() {
        machine.close();
    }

    private NetDevice plug(String name) {
        return plug(name, "");
    }

    private NetDevice plug(String name, String type) {
        VethDevice.Pair pair = VethDevice.unregistered(
                VethDevice.end(name, 0, 1500, 0x0200_0000_0001L, List.of()),
                VethDevice.end("other", 0, 1500, 0x0200_0000_0002L, List.of()),
                VethDevice.DEFAULT_QUEUE_LENGTH);
        pair.first().node().type(type);
        machine.net().initial().register(pair.second()).up();
        machine.net().initial().register(pair.first()).up();
        return pair.first();
    }

    @Test
    void attributesOfDevicesAreReadAndWritten() {
        NetDevice card = plug("eth0");
        assertThat(terminal.type("ls /sys/class/net").lines()).containsExactlyInAnyOrder("eth0", "lo", "other");
        assertThat(terminal.type("cat /sys/class/net/eth0/mtu /sys/class/net/eth0/carrier"))
                .isEqualTo("1500\n1");
        terminal.type("echo 1400 > /sys/class/net/eth0/mtu");
        assertThat(card.mtu()).isEqualTo(1400);
        assertThat(terminal.type("echo no file here")).isEqualTo("no file here");
        assertThat(terminal.fail("cat /sys/class/net/eth0/colour")).contains("colour");
        assertThat(terminal.fail("echo 7 > /sys/class/net/eth0/ifindex")).contains("read-only");
        assertThat(terminal.fail("echo 7 >")).contains("one path");
    }

    @Test
    @Covers("TOOL-49")
    void udevadmTellsOfADevice() {
        NetDevice card = plug("eth0", "wlan");
        assertThat(terminal.type("udevadm info -q all -p /sys/class/net/eth0"))
                .isEqualTo("""
                    P: /devices/virtual/net/eth0
                    E: DEVPATH=/devices/virtual/net/eth0
                    E: DEVTYPE=wlan
                    E: IFINDEX=%d
                    E: INTERFACE=eth0
                    E: SUBSYSTEM=net\
                    """.formatted(card.ifindex()));
        assertThat(terminal.type("udevadm info -q path -p /class/net/eth0")).isEqualTo("/devices/virtual/net/eth0");
        assertThat(terminal.type("udevadm info -q property -p /devices/virtual/net/eth0"))
                .contains("INTERFACE=eth0\nSUBSYSTEM=net");
        assertThat(terminal.fail("udevadm info -q all -p /class/net/eth9")).contains("eth9");
    }

    @Test
    @Covers({"TOOL-50", "TOOL-51", "TOOL-52"})
    void whatTheWorkersDidIsShownAndAnInterruptIsGivenToOneOfThem() throws Exception {
        try (DatagramSocket virtualMachine = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            NetDevice card = wire(virtualMachine);
            try {
                terminal.type("cat /proc/irq/" + card.irq() + "/smp_affinity");
                terminal.type("echo 1 > /proc/irq/" + card.irq() + "/smp_affinity");
                assertThat(terminal.type("cat /proc/irq/" + card.irq() + "/smp_affinity"))
                        .isEqualTo("1");
                assertThat(machine.loop().interrupts().vector(card.irq()).affinity())
                        .isEqualTo(1);
                awaitInterrupt(card, virtualMachine);
                assertThat(terminal.type("cat /proc/interrupts").lines().toList())
                        .hasSize(2)
                        .first()
                        .asString()
                        .contains("W0");
                assertThat(terminal.type("cat /proc/interrupts"))
                        .containsPattern("(?m)^ *" + card.irq() + ": +[1-9][0-9]* .*MSI +vm0$");
                assertThat(processed()).isPositive();
                assertThat(terminal.fail("echo 0 > /proc/irq/" + card.irq() + "/smp_affinity"))
                        .contains("affinity 0");
                assertThat(terminal.fail("echo xyz > /proc/irq/" + card.irq() + "/smp_affinity"))
                        .contains("mask");
            } finally {
                machine.loop().remove(card);
                card.unregister();
            }
        }
    }

    /** A device with an interrupt, driven by the machine's loop. */
    private NetDevice wire(DatagramSocket virtualMachine) throws Exception {
        QemuDatagramDevice made = QemuDatagramDevice.open(
                QemuDatagramDevice.setup("vm0", 2, 1500, 0x0200_0000_0001L, List.of()),
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                (InetSocketAddress) virtualMachine.getLocalSocketAddress());
        machine.loop().add(made.netDevice());
        made.netDevice().up();
        byte[] toAll = new byte[FRAME_BYTES];
        Arrays.fill(toAll, 0, 6, (byte) 0xFF);
        frame = new DatagramPacket(
                toAll, FRAME_BYTES, new InetSocketAddress(InetAddress.getLoopbackAddress(), made.port()));
        return made.netDevice();
    }

    /** Sends frames until one raises an interrupt; a frame that the loop finds by polling raises none. */
    private void awaitInterrupt(NetDevice card, DatagramSocket virtualMachine) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (machine.loop().interrupts().vector(card.irq()).count(0) == 0 || processed() == 0) {
            long before = received(card);
            virtualMachine.send(frame);
            while (received(card) == before) {
                assertThat(System.nanoTime()).isLessThan(deadline);
                Thread.onSpinWait();
            }
        }
    }

    /** Number of packets that the loop has processed. */
    private long processed() {
        return terminal.type("cat /proc/net/softnet_stat")
                .lines()
                .mapToLong(line -> Long.parseLong(line.substring(0, 8), 16))
                .sum();
    }

    private static long received(NetDevice card) {
        return card.stats().rxPackets() + card.stats().rxDropped();
    }

    @Test
    @Covers("TOOL-53")
    void thePollBudgetIsReadAndSet() {
        assertThat(terminal.type("cat /proc/sys/net/core/netdev_budget")).isEqualTo("300");
        terminal.type("echo 64 > /proc/sys/net/core/netdev_budget");
        assertThat(machine.loop().budget()).isEqualTo(64);
        assertThat(terminal.type("sysctl -w net.core.netdev_budget=128")).isEqualTo("net.core.netdev_budget = 128");
        assertThat(machine.loop().budget()).isEqualTo(128);
        assertThat(terminal.type("sysctl net.core.netdev_budget")).isEqualTo("net.core.netdev_budget = 128");
        assertThat(terminal.fail("sysctl net.core.netdev_budget=0")).contains("0");
        assertThat(terminal.fail("sysctl net.core.netdev_budget=many")).contains("no number");
        assertThat(terminal.fail("sysctl net.core.colour")).contains("/proc/sys/net/core/colour");
    }

    @Test
    void sysctlMakesARouterOfAMachine() {
        terminal.type("sysctl net.ipv4.ip_forward=1");
        assertThat(machine.stack(machine.net().initial()).isForwarding()).isTrue();
        assertThat(terminal.type("sysctl -a"))
                .contains("net.core.netdev_max_backlog = 1000", "net.ipv4.ip_forward = 1");
    }

    @Test
    @Covers("TOOL-54")
    void aGroupOfSendersHasAPriorityOnADevice() {
        NetDevice card = plug("eth0");
        terminal.type("mkdir /sys/fs/cgroup/net_prio/batch");
        terminal.type("echo \"eth0 5\" > /sys/fs/cgroup/net_prio/batch/net_prio.ifpriomap");
        assertThat(terminal.type("cat /sys/fs/cgroup/net_prio/batch/net_prio.ifpriomap")
                        .lines())
                .containsExactlyInAnyOrder("lo 0", "other 0", "eth0 5");
        assertThat(prioritySent(card, Objects.requireNonNull(machine.groups().find("batch"))))
                .isEqualTo(5);
        assertThat(terminal.fail("echo \"eth9 5\" > /sys/fs/cgroup/net_prio/batch/net_prio.ifpriomap"))
                .contains("eth9");
        assertThat(terminal.fail("mkdir /tmp/batch")).contains("/sys/fs/cgroup/net_prio/");
        assertThat(terminal.fail("mkdir /sys/fs/cgroup/net_cls/batch")).contains("there is a group batch");
        assertThat(terminal.type("cat /sys/fs/cgroup/net_prio/batch/net_prio.prioidx"))
                .isEqualTo(terminal.type("cat /sys/fs/cgroup/net_cls,net_prio/batch/net_prio.prioidx"));
        terminal.type("rmdir /sys/fs/cgroup/net_prio/batch");
        assertThat(terminal.fail("rmdir /sys/fs/cgroup/net_prio/batch")).contains("No such file or directory");
    }

    /** Returns the priority of a group member's packet when the device sends it. */
    private int prioritySent(NetDevice card, ClientGroup group) {
        List<Integer> seen = new ArrayList<>();
        PacketTap tap = new PacketTap() {
            @Override
            public void see(SkBuff skb) {
                seen.add(skb.meta().priority());
            }

            @Override
            public boolean seesOutgoing() {
                return true;
            }
        };
        try (SkBuffPool pool = new SkBuffPool(2, 256)) {
            machine.loop().exclusively(() -> {
                card.protocols().addTap(0x88B5, tap);
                SkBuff skb = Objects.requireNonNull(pool.allocate());
                skb.reserve(64);
                skb.put(FRAME_BYTES);
                skb.meta().protocol(0x88B5);
                skb.destructor(_ -> {});
                skb.meta().owner((GroupMember) () -> group);
                card.pushLinkHeader(skb, 0x88B5, 0x0200_0000_0002L);
                card.transmit(skb);
                card.protocols().removeTap(tap);
            });
            machine.loop().progress(System.nanoTime());
        }
        return seen.getFirst();
    }

    @Test
    void namespacesAreTold() {
        String initial = terminal.type("readlink /proc/self/ns/net");
        assertThat(initial).isEqualTo("net:[" + machine.net().initial().id() + "]");
        machine.addNamespace("red");
        assertThat(terminal.type("ls /run/netns")).isEqualTo("red");
        assertThat(terminal.type("cat /run/netns/red")).isNotEqualTo(initial).startsWith("net:[");
    }
}
