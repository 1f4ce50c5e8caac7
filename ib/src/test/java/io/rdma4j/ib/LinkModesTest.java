// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import io.rdma4j.base.Mtu;
import io.rdma4j.fabric.IbPort;
import io.rdma4j.fabric.LinkModes;
import io.rdma4j.fabric.PortCount;
import io.rdma4j.sm.SubnetOptions;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.device.LinkSpeed;
import io.rdma4j.verbs.device.LinkWidth;
import io.rdma4j.verbs.device.PhysicalState;
import io.rdma4j.verbs.device.PortAttributes;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.sa.PathRecord;
import io.rdma4j.wire.mad.sa.SaHeader;
import io.rdma4j.wire.mad.sm.PortInfoAttribute;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Links of different widths, speeds and MTUs between two hosts, in virtual time. */
class LinkModesTest {
    /** 1X and 4X, SDR to EDR. */
    private static final LinkModes X4_EDR = new LinkModes(3, 7, 3);

    private static final LinkModes X1_SDR = new LinkModes(1, 1, 0);
    private static final int MESSAGES = 32;
    private static final int BYTES = 4096;
    private static final int RATE_2_5 = 2;
    private static final int RATE_100 = 16;

    private final VirtualFabric tree = new VirtualFabric(2, 1, 1, null);

    @AfterEach
    void close() {
        tree.close();
    }

    private void all(LinkModes modes) {
        tree.cables().forEach(name -> tree.change(name, port -> port.supported(modes), port -> port.supported(modes)));
    }

    private MemorySegment path(SaRequester sa) {
        sa.begin(MadMethod.GET, MadAttribute.PATH_RECORD);
        sa.component(PathRecord.SGID, new Gid(Gid.LINK_LOCAL_PREFIX, tree.portGuid(0)));
        sa.component(PathRecord.DGID, new Gid(Gid.LINK_LOCAL_PREFIX, tree.portGuid(1)));
        return sa.answer().asSlice(SaHeader.DATA);
    }

    /** Sends messages from host 0 to host 1; returns the time until all are acknowledged. */
    private long transferNs(VirtualEnd from, VirtualEnd to) {
        to.receive(MESSAGES, BYTES);
        for (int i = 0; i < MESSAGES; i++) {
            from.qp.postSend(SendRequest.send()
                    .wrId(i)
                    .sge(from.memory.sge(0, BYTES))
                    .signaled()
                    .build());
        }
        long ns = 0;
        while (from.sends.peek(MESSAGES) < MESSAGES && ns < 10_000_000) {
            tree.run(100);
            ns += 100;
        }
        assertThat(from.sends.poll(MESSAGES))
                .hasSize(MESSAGES)
                .allSatisfy(each -> assertThat(each.status()).isEqualTo(WcStatus.SUCCESS));
        assertThat(to.receives.poll(MESSAGES)).hasSize(MESSAGES);
        return ns;
    }

    /** A link has the best width and speed of both ends, and a path the rate of its slowest link: 2 Gb/s of data. */
    @Test
    @Covers({"PORT-18", "PORT-19"})
    void theSlowestLinkGivesTheRate() {
        all(X4_EDR);
        tree.change("ib1", port -> port.supported(X1_SDR), port -> {});
        try (IbManager manager = tree.manage(tree.hosts.getFirst(), SubnetOptions.DEFAULT);
                SaRequester sa = new SaRequester(tree, 1)) {
            tree.runUntilUp(manager);
            assertThat(manager.isUp()).isTrue();
            MemorySegment info = MemorySegment.ofArray(new byte[64]);
            tree.hosts.getFirst().agents().agent().read(MadAttribute.PORT_INFO, 1, info);
            assertThat(PortInfoAttribute.LINK_WIDTH_ACTIVE.getInt(info, 0)).isEqualTo(2);
            assertThat(PortInfoAttribute.LINK_SPEED_ACTIVE.getInt(info, 0)).isEqualTo(4);
            assertThat(PortInfoAttribute.LINK_SPEED_EXT_ACTIVE.getInt(info, 0)).isEqualTo(2);
            assertThat(PathRecord.RATE.getInt(path(sa), 0)).isEqualTo(RATE_2_5);
            try (VirtualEnd from = new VirtualEnd(tree, 0, QpType.RC);
                    VirtualEnd to = new VirtualEnd(tree, 1, QpType.RC)) {
                PortAttributes fast = from.context.queryPort(1);
                assertThat(fast.activeWidth()).isEqualTo(LinkWidth.X4);
                assertThat(fast.activeSpeed()).isEqualTo(LinkSpeed.EDR);
                PortAttributes slow = to.context.queryPort(1);
                assertThat(slow.activeWidth()).isEqualTo(LinkWidth.X1);
                assertThat(slow.activeSpeed()).isEqualTo(LinkSpeed.SDR);
                from.connect(to, LinkSetup.DEFAULT);
                to.connect(from, LinkSetup.DEFAULT);
                long dataNs = 4L * MESSAGES * BYTES;
                assertThat(transferNs(from, to)).isBetween(dataNs, dataNs * 106 / 100);
            }
        }
    }

    @Test
    void fasterLinksTakeLessTime() {
        all(X4_EDR);
        try (IbManager manager = tree.manage(tree.hosts.getFirst(), SubnetOptions.DEFAULT);
                SaRequester sa = new SaRequester(tree, 1)) {
            tree.runUntilUp(manager);
            assertThat(PathRecord.RATE.getInt(path(sa), 0)).isEqualTo(RATE_100);
            try (VirtualEnd from = new VirtualEnd(tree, 0, QpType.RC);
                    VirtualEnd to = new VirtualEnd(tree, 1, QpType.RC)) {
                from.connect(to, LinkSetup.DEFAULT);
                to.connect(from, LinkSetup.DEFAULT);
                assertThat(transferNs(from, to)).isLessThan(4L * MESSAGES * BYTES / 20);
            }
        }
    }

    /** Ports without a width in common do not find each other. */
    @Test
    void endsWithoutACommonWidthStayDown() {
        tree.change("ib1", port -> port.supported(new LinkModes(8, 1, 0)), port -> {});
        tree.run(1_000_000);
        IbPort port = tree.hosts.get(1).port();
        assertThat(port.physicalState()).isEqualTo(PhysicalState.POLLING);
        assertThat(port.active()).isNull();
    }

    /** The path has the MTU of its smallest link; longer packets are discarded there, and the connection fails. */
    @Test
    void theSmallestMtuIsThatOfThePath() {
        tree.change("leaf0-spine0", port -> port.mtuCap(Mtu.MTU_1024), port -> {});
        try (IbManager manager = tree.manage(tree.hosts.getFirst(), SubnetOptions.DEFAULT);
                SaRequester sa = new SaRequester(tree, 1)) {
            tree.runUntilUp(manager);
            assertThat(PathRecord.MTU.getInt(path(sa), 0)).isEqualTo(Mtu.MTU_1024.code());
            assertThat(tree.spines.getFirst().port(1).neighborMtu()).isEqualTo(Mtu.MTU_1024);
            try (VirtualEnd from = new VirtualEnd(tree, 0, QpType.RC);
                    VirtualEnd to = new VirtualEnd(tree, 1, QpType.RC)) {
                from.connect(to, LinkSetup.DEFAULT);
                to.connect(from, LinkSetup.DEFAULT);
                transferNs(from, to);
            }
            try (VirtualEnd from = new VirtualEnd(tree, 0, QpType.RC);
                    VirtualEnd to = new VirtualEnd(tree, 1, QpType.RC)) {
                from.connect(to, LinkSetup.SHORT_TIMEOUTS.mtu(Mtu.MTU_2048));
                to.connect(from, LinkSetup.SHORT_TIMEOUTS.mtu(Mtu.MTU_2048));
                to.receive(1, BYTES);
                from.qp.postSend(SendRequest.send()
                        .sge(from.memory.sge(0, BYTES))
                        .signaled()
                        .build());
                tree.run(5_000_000_000L);
                assertThat(from.sends.poll(1))
                        .singleElement()
                        .satisfies(failed -> assertThat(failed.status()).isEqualTo(WcStatus.RETRY_EXC_ERR));
                assertThat(tree.leaves.getFirst().port(2).counts().get(PortCount.NEIGHBOR_MTU_DISCARDS))
                        .isGreaterThan(3);
            }
        }
    }
}
