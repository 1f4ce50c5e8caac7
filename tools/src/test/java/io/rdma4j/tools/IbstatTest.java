// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.NanoClock;
import io.rdma4j.fabric.IbLinkProfile;
import io.rdma4j.ib.IbDevice;
import io.rdma4j.ib.IbFabric;
import io.rdma4j.ib.IbManager;
import io.rdma4j.ib.IbProvider;
import io.rdma4j.loop.NetLoop;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.sm.SubnetOptions;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.tools.cli.Tool;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.device.PortState;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code ibstat} and {@code ibstatus} of a device on a subnet, with the text of infiniband-diags. */
@Timeout(30)
class IbstatTest {
    private final NetLoop loop = new NetLoop(NanoClock.SYSTEM, ProgressMode.AUTOMATIC);
    private final IbFabric fabric = new IbFabric(loop);
    private final Host host = Host.create("ibstat");
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @BeforeEach
    void manage() {
        loop.start("fabric");
        IbDevice first = fabric.newDevice("ib0", 0x100000);
        IbDevice second = fabric.newDevice("ib1", 0x100002);
        fabric.connect(first.port(), second.port(), IbLinkProfile.PLAIN);
        host.register(new IbProvider(List.of(second)));
        try (IbManager manager = new IbManager(first, SubnetOptions.DEFAULT)) {
            while (!manager.isUp() || fabric.exclusively(() -> second.port().state()) != PortState.ACTIVE) {
                LockSupport.parkNanos(1_000_000);
            }
        }
    }

    @AfterEach
    void close() {
        host.close();
        fabric.close();
        loop.close();
    }

    private int run(String... words) {
        Tool ibstat = new Tool("ibstat", "", _ -> new IbstatCommand(() -> host));
        Tool ibstatus = new Tool("ibstatus", "", _ -> new IbstatusCommand(() -> host));
        return new Main(List.of(ibstat, ibstatus), new PrintWriter(out, true), new PrintWriter(err, true)).run(words);
    }

    @Test
    @Covers("TOOL-68")
    void ibstatPrintsDeviceAndPort() {
        assertThat(run("ibstat")).isZero();
        assertThat(out.toString())
                .startsWith("CA 'ib1'\n\tCA type: rdma4j\n\tNumber of ports: 1\n\tFirmware version: ")
                .contains("\n\tNode GUID: 0x0000000000100002\n\tSystem image GUID: 0x0000000000100002\n")
                .contains("\n\tPort 1:\n\t\tState: Active\n\t\tPhysical state: LinkUp\n\t\tRate: 10\n\t\tBase lid: 2\n"
                        + "\t\tLMC: 0\n\t\tSM lid: 1\n\t\tCapability mask: 0x")
                .endsWith("\t\tPort GUID: 0x0000000000100003\n\t\tLink layer: InfiniBand\n");
    }

    @Test
    void ibstatListsNamesGuidsAndOnePort() {
        assertThat(run("ibstat", "-l")).isZero();
        assertThat(run("ibstat", "-p")).isZero();
        assertThat(out.toString()).isEqualTo("ib1\n0x0000000000100003\n");
        assertThat(run("ibstat", "ib1", "1")).isZero();
        assertThat(out.toString()).contains("CA: 'ib1'\nPort 1:\nState: Active\n");
        assertThat(run("ibstat", "ib1", "2")).isEqualTo(255);
        assertThat(run("ibstat", "ib9")).isEqualTo(255);
        assertThat(err.toString()).contains("has no port number 2", "'ib9' not found");
    }

    @Test
    @Covers("TOOL-68")
    void ibstatusPrintsAParagraph() {
        assertThat(run("ibstatus", "ib1:1")).isZero();
        assertThat(out.toString()).isEqualTo("""
                        Infiniband device 'ib1' port 1 status:
                        \tdefault gid:\t fe80:0000:0000:0000:0000:0000:0010:0003
                        \tbase lid:\t 0x2
                        \tsm lid:\t\t 0x1
                        \tstate:\t\t 4: ACTIVE
                        \tphys state:\t 5: LinkUp
                        \trate:\t\t 10 Gb/sec (4X SDR)
                        \tlink_layer:\t InfiniBand

                        """);
        assertThat(run("ibstatus", "ib2")).isEqualTo(255);
    }
}
