// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.conformance.mr;

import static io.rdma4j.testing.conformance.harness.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.testing.conformance.harness.Bytes;
import io.rdma4j.testing.conformance.harness.ConformanceCases;
import io.rdma4j.testing.conformance.harness.ConformanceTarget;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.endpoint.QpPair;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.FastMemoryRegion;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.MemoryKeys;
import io.rdma4j.verbs.wr.WcFlag;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Cases for registration by work request, and for invalidation by either side. */
public abstract class FastRegistrationCases extends ConformanceCases {
    private static final int PAGE = FastMemoryRegion.PAGE_BYTES;
    private static final Set<AccessFlag> RIGHTS = Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);

    private Endpoint a;
    private Endpoint b;
    private MemorySegment memory;
    private FastMemoryRegion region;

    protected FastRegistrationCases(Supplier<? extends ConformanceTarget> opener) {
        super(opener);
    }

    @BeforeEach
    void prepare() {
        require(DeviceCapability.MEM_MGT_EXTENSIONS);
        QpPair pair = connected(EndpointSetup.OPEN, LinkSetup.DEFAULT);
        a = pair.a();
        b = pair.b();
        memory = target().allocate(8 * PAGE, PAGE);
        region = closing(b.pd.allocateFastRegion(8));
    }

    private void register(int key) {
        b.qp.postSend(SendRequest.registerMemory(region, key, RIGHTS).signaled().build());
        assertThat(b.awaitSend().opcode()).isEqualTo(WcOpcode.REG_MR);
    }

    private WcStatus write(int rkey, long remote, int length) {
        a.qp.startSend()
                .signaled()
                .rdmaWrite(rkey, remote)
                .sge(a.mr.lkey(), a.mr.address(), length)
                .complete();
        return a.awaitSends(1).getFirst().status();
    }

    @Test
    @Covers({"WR-18", "WR-19", "CQ-58"})
    void aRegionIsRegisteredAndInvalidatedAgainAndAgain() {
        int key = region.key();
        for (int round = 0; round < 3; round++) {
            MemorySegment part = memory.asSlice(2L * round * PAGE, 2 * PAGE);
            region.map(List.of(part));
            key = MemoryKeys.next(key);
            register(key);
            Bytes.fill(a.memory.asSlice(0, 5000), round);
            assertThat(write(key, part.address() + 100, 5000)).isEqualTo(WcStatus.SUCCESS);
            Bytes.assertHolds(part.asSlice(100, 5000), round);
            b.qp.postSend(SendRequest.localInvalidate(key).signaled().build());
            b.awaitSend();
        }
        assertThat(write(key, memory.address(), 1)).isEqualTo(WcStatus.REM_ACCESS_ERR);
    }

    @Test
    void piecesFollowOneAnother() {
        MemorySegment second = target().allocate(PAGE, PAGE);
        region.map(List.of(memory.asSlice(PAGE, PAGE), second));
        register(region.key());
        Bytes.fill(a.memory.asSlice(0, PAGE), 3);
        assertThat(write(region.key(), region.iova() + PAGE / 2, PAGE)).isEqualTo(WcStatus.SUCCESS);
        Bytes.fill(a.memory.asSlice(PAGE, 2 * PAGE), 99);
        assertThat(memory.asSlice(PAGE + PAGE / 2, PAGE / 2).mismatch(a.memory.asSlice(0, PAGE / 2)))
                .isEqualTo(-1);
        assertThat(second.asSlice(0, PAGE / 2).mismatch(a.memory.asSlice(PAGE / 2, PAGE / 2)))
                .isEqualTo(-1);
    }

    /** The peer invalidates the key when it needs the memory no longer. */
    @Test
    @Covers({"WR-16", "CQ-67", "CQ-73"})
    void aPeerThatNeedsTheRegionNoLongerInvalidatesIt() {
        region.map(List.of(memory));
        register(region.key());
        assertThat(write(region.key(), memory.address(), 10)).isEqualTo(WcStatus.SUCCESS);
        b.postReceive(1, 0, 0);
        a.qp.postSend(SendRequest.sendWithInvalidate(region.key()).build());
        WorkCompletion received = b.awaitReceive();
        assertThat(received.flags()).contains(WcFlag.WITH_INV);
        assertThat(received.immediate()).isEqualTo(region.key());
        assertThat(write(region.key(), memory.address(), 10)).isEqualTo(WcStatus.REM_ACCESS_ERR);
    }

    /** The READ invalidates the key of its destination memory. */
    @Test
    @Covers("WR-17")
    void aReadInvalidatesTheRegionThatItLandedIn() {
        region.map(List.of(memory));
        register(region.key());
        Bytes.fill(a.memory.asSlice(0, 3000), 6);
        b.qp.startSend()
                .signaled()
                .rdmaReadInvalidate(a.mr.rkey(), a.remote(0), region.key())
                .sge(region.key(), memory.address(), 3000)
                .complete();
        b.awaitSend();
        Bytes.assertHolds(memory.asSlice(0, 3000), 6);
        assertThat(write(region.key(), memory.address(), 10)).isEqualTo(WcStatus.REM_ACCESS_ERR);
    }

    /**
     * IBA 11.4.1.1: a registered region must be invalidated before it is registered again; memory must be mapped
     * before.
     */
    @Test
    void aRegionIsNotRegisteredTwice() {
        assertRefused(
                Errno.EINVAL,
                () -> b.qp.postSend(
                        SendRequest.registerMemory(region, region.key(), RIGHTS).build()));
        region.map(List.of(memory));
        register(region.key());
        b.qp.postSend(SendRequest.registerMemory(region, MemoryKeys.next(region.key()), RIGHTS)
                .build());
        assertThat(b.awaitSends(1).getFirst().status()).isNotEqualTo(WcStatus.SUCCESS);
    }

    /** {@code wr.fast_reg}: the program chooses address space, rights, length and key. */
    @Test
    @Covers("WR-35")
    void aRegistrationSaysAddressLengthRightsAndKey() {
        MemorySegment second = target().allocate(PAGE, PAGE);
        long iova = 0x7700_0000_0000L;
        int key = MemoryKeys.withVariant(region.key(), 0xA5);
        region.map(List.of(memory.asSlice(PAGE, PAGE), second), iova);
        register(key);
        Bytes.fill(a.memory.asSlice(0, 2 * PAGE), 8);
        assertThat(write(key, iova, 2 * PAGE)).isEqualTo(WcStatus.SUCCESS);
        MemorySegment whole = Arena.ofAuto().allocate(2 * PAGE);
        whole.copyFrom(memory.asSlice(PAGE, PAGE));
        whole.asSlice(PAGE).copyFrom(second);
        Bytes.assertHolds(whole, 8);
        a.qp.startSend()
                .signaled()
                .rdmaRead(key, iova)
                .sge(a.mr.lkey(), a.mr.address(), 8)
                .complete();
        assertThat(a.awaitSends(1).getFirst().status())
                .as("it did not grant READs")
                .isEqualTo(WcStatus.REM_ACCESS_ERR);
    }

    @Test
    @Covers("WR-35")
    void aRegistrationEndsWhereItsLengthSays() {
        region.map(List.of(memory.asSlice(0, PAGE + 100)), 0x10000);
        register(region.key());
        assertThat(write(region.key(), 0x10000 + PAGE, 101)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        assertRefused(Errno.EINVAL, () -> region.map(List.of(memory), 0x10001));
    }
}
