// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.SrqInitAttributes;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.kernel.Fmr;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.FmrAttributes;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.WindowType;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A device whose limits are 2 enforces them. */
class DeviceProfileTest {
    private static final DeviceProfile SMALL = DeviceProfile.FULL
            .withLimit(DeviceLimit.MAX_PD, 2)
            .withLimit(DeviceLimit.MAX_MR, 2)
            .withLimit(DeviceLimit.MAX_MW, 2)
            .withLimit(DeviceLimit.MAX_AH, 2)
            .withLimit(DeviceLimit.MAX_SRQ, 2)
            .withLimit(DeviceLimit.MAX_SRQ_WR, 20)
            .withLimit(DeviceLimit.MAX_SRQ_SGE, 3)
            .withLimit(DeviceLimit.MAX_RAW_IPV6_QP, 2)
            .withLimit(DeviceLimit.MAX_MCAST_GRP, 2)
            .withLimit(DeviceLimit.MAX_MCAST_QP_ATTACH, 1)
            .withLimit(DeviceLimit.MAX_TOTAL_MCAST_QP_ATTACH, 3)
            .withLimit(DeviceLimit.MAX_FAST_REG_PAGE_LIST_LEN, 4);

    private final Bench bench = new Bench(Set.of(), ProgressMode.MANUAL, DeviceProfileTest::small);
    private final List<AutoCloseable> made = new ArrayList<>();
    private final ProtectionDomain pd = made(bench.context.allocatePd());
    private final CompletionQueue cq = made(bench.context.createCq(16));

    private static RxeOptions small(RxeOptions options) {
        return options.withRawPackets().withProfile(SMALL);
    }

    private <T extends AutoCloseable> T made(T object) {
        made.addFirst(object);
        return object;
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable object : made) {
            object.close();
        }
        bench.close();
    }

    private static void assertRefused(Errno errno, String message, ThrowingCallable call) {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(call)
                .withMessageContaining(message)
                .satisfies(e -> assertThat(e.errno()).isEqualTo(errno));
    }

    private QueuePair qp(QpType type) {
        return made(pd.createQp(QpInitAttributes.builder(cq).type(type).build()));
    }

    @Test
    @Covers({"DEV-18", "DEV-26", "DEV-30"})
    void moreObjectsThanItSaysItDoesNotMake() {
        made(bench.context.allocatePd());
        assertRefused(Errno.ENOMEM, "2 protection domains, its max_pd", bench.context::allocatePd);
        Arena arena = Arena.ofAuto();
        made(pd.registerMemory(arena.allocate(64), Set.of(AccessFlag.LOCAL_WRITE)));
        made(pd.registerMemory(arena.allocate(64), Set.of(AccessFlag.LOCAL_WRITE)));
        assertRefused(
                Errno.ENOMEM, "2 memory regions, its max_mr", () -> pd.registerMemory(arena.allocate(64), Set.of()));
        made(pd.allocateWindow(WindowType.TYPE_1));
        made(pd.allocateWindow(WindowType.TYPE_2));
        assertRefused(Errno.ENOMEM, "2 memory windows, its max_mw", () -> pd.allocateWindow(WindowType.TYPE_1));
        AddressVector path = AddressVector.roce(1, Bench.PEER_V4, 0);
        made(pd.createAddressHandle(path));
        made(pd.createAddressHandle(path));
        assertRefused(Errno.ENOMEM, "2 address handles, its max_ah", () -> pd.createAddressHandle(path));
        made(pd.createSrq(SrqInitAttributes.basic(20, 3)));
        made(pd.createSrq(SrqInitAttributes.basic(1, 1)));
        assertRefused(
                Errno.ENOMEM,
                "2 shared receive queues, its max_srq",
                () -> pd.createSrq(SrqInitAttributes.basic(1, 1)));
        assertRefused(Errno.EINVAL, "max_wr 21 is not in 1..20", () -> pd.createSrq(SrqInitAttributes.basic(21, 1)));
        assertRefused(Errno.EINVAL, "max_sge 4 is not in 0..3", () -> pd.createSrq(SrqInitAttributes.basic(1, 4)));
    }

    /** The interface of the bench transmits IP packets, so that raw IPv6 is possible and raw Ethernet is not. */
    @Test
    @Covers("DEV-23")
    void rawQueuePairsHaveALimitOfTheirOwn() {
        qp(QpType.RAW_IPV6);
        qp(QpType.RAW_IPV6);
        assertRefused(Errno.ENOMEM, "2 raw IPv6 queue pairs, its max_raw_ipv6_qp", () -> qp(QpType.RAW_IPV6));
        qp(QpType.UD);
        assertThat(bench.context.queryDevice().limit(DeviceLimit.MAX_RAW_IPV6_QP))
                .isEqualTo(2);
        assertThat(bench.context.queryDevice().limit(DeviceLimit.MAX_RAW_ETHY_QP))
                .isZero();
    }

    @Test
    @Covers({"DEV-24", "MCAST-10"})
    void groupsMembersAndAttachmentsAreLimited() {
        QueuePair a = qp(QpType.UD);
        QueuePair b = qp(QpType.UD);
        a.attachMulticast(Gid.parse("::ffff:239.0.0.1"), 0);
        assertRefused(
                Errno.ENOMEM, "max_mcast_qp_attach is 1", () -> b.attachMulticast(Gid.parse("::ffff:239.0.0.1"), 0));
        b.attachMulticast(Gid.parse("::ffff:239.0.0.2"), 0);
        assertRefused(Errno.ENOMEM, "max_mcast_grp is 2", () -> b.attachMulticast(Gid.parse("::ffff:239.0.0.3"), 0));
        a.detachMulticast(Gid.parse("::ffff:239.0.0.1"), 0);
        b.attachMulticast(Gid.parse("::ffff:239.0.0.3"), 0);
    }

    @Test
    @Covers("DEV-27")
    void aFastRegistrationListsNoMorePages() {
        made(pd.allocateFastRegion(4));
        assertRefused(Errno.EINVAL, "max_num_sg 5 is not in 1..4", () -> pd.allocateFastRegion(5));
    }

    @Test
    @Covers("DEV-13")
    void everyPageSizeThatIsReportedIsTakenAndNoOther() {
        long sizes = bench.context.queryDevice().pageSizeCapability();
        assertThat(sizes).isNotZero();
        for (int shift = 0; shift < 32; shift++) {
            FmrAttributes attributes = FmrAttributes.of(1).withPageShift(shift);
            if ((sizes >> shift & 1) != 0) {
                Fmr.allocate(pd, attributes, Set.of(AccessFlag.LOCAL_WRITE)).close();
            } else {
                assertRefused(
                        Errno.EINVAL,
                        "page_shift " + shift,
                        () -> Fmr.allocate(pd, attributes, Set.of(AccessFlag.LOCAL_WRITE)));
            }
        }
    }

    /** On the clock of the device, which the test controls. */
    @Test
    @Covers("DEV-29")
    void anAnswerLeavesWithinTheReportedDelay() {
        Endpoint endpoint = made(bench.connected(Bench.PEER_V4, 14));
        endpoint.postReceive(1, 0, 64);
        bench.link.arrive(new PlainPacket(Bench.PEER_V4, Bench.LOCAL_V4)
                .qpn(endpoint.qp.qpn())
                .psn(Bench.FIRST_PSN)
                .ackRequest(true)
                .payload(new byte[8])
                .bytes());
        bench.run();
        bench.now += 4096L << bench.context.queryDevice().localCaAckDelay();
        bench.run();
        assertThat(bench.link.sent).hasSize(1);
    }

    @Test
    void aProfileMakesADeviceSmallerAndNeverLarger() {
        DeviceProfile full = DeviceProfile.FULL;
        assertRefused(
                Errno.EINVAL, "max_ah 32768 is not in 0..32767", () -> full.withLimit(DeviceLimit.MAX_AH, 32_768));
        assertRefused(Errno.EINVAL, "max_mr -1", () -> full.withLimit(DeviceLimit.MAX_MR, -1));
        assertRefused(Errno.EINVAL, "max_ee 1 is not in 0..0", () -> full.withLimit(DeviceLimit.MAX_EE, 1));
        assertRefused(
                Errno.EINVAL, "RC_RNR_NAK_GEN cannot be withheld", () -> full.without(DeviceCapability.RC_RNR_NAK_GEN));
        assertThat(bench.context.queryDevice().limit(DeviceLimit.MAX_QP_WR)).isEqualTo(0x4000);
        assertThat(bench.context.queryDevice().limit(DeviceLimit.MAX_AH)).isEqualTo(2);
    }
}
