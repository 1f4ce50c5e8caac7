// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.conformance.traffic;

import static io.rdma4j.testing.conformance.harness.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.testing.conformance.harness.Bytes;
import io.rdma4j.testing.conformance.harness.ConformanceCases;
import io.rdma4j.testing.conformance.harness.ConformanceTarget;
import io.rdma4j.testing.conformance.harness.XrcSide;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.endpoint.QpPair;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.device.AtomicCapability;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.values.QpCreateFlag;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Cases for atomics that compare some bits, or add to several fields, between two devices that support them. */
public abstract class MaskedAtomicCases extends ConformanceCases {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final long AT = 128;
    private static final EndpointSetup SETUP = EndpointSetup.OPEN.createFlags(QpCreateFlag.MASKED_ATOMICS);

    protected MaskedAtomicCases(Supplier<? extends ConformanceTarget> opener) {
        super(opener);
    }

    @BeforeEach
    void needMaskedAtomics() {
        Assumptions.assumeTrue(
                context().queryDevice().maskedAtomicCapability() != AtomicCapability.NONE,
                "the device has no masked atomics");
    }

    private static void assertOnly(Endpoint of, long value) {
        assertThat(of.memory.get(LONG, AT)).isEqualTo(value);
        Bytes.assertUntouched(of.memory.asSlice(0, AT));
        Bytes.assertUntouched(of.memory.asSlice(AT + Long.BYTES, 1000));
    }

    @ParameterizedTest
    @CsvSource({"0x1234, 0x34, 0xFF, 0xAB, 0xFF, 0x12AB", "0x1234, 0x35, 0xFF, 0xAB, 0xFF, 0x1234", "7, 0, 0, -1, 8, 15"
    })
    @Covers({"WR-20", "WR-32", "CQ-59"})
    void compareAndSwapLooksAtSomeBitsAndReplacesSome(
            String before, String compare, String compareMask, String swap, String swapMask, String after) {
        QpPair pair = connected(SETUP, LinkSetup.DEFAULT);
        Endpoint a = pair.a();
        Endpoint b = pair.b();
        b.memory.set(LONG, AT, Long.decode(before));
        a.qp.postSend(SendRequest.maskedAtomicCompareSwap(
                        b.mr.rkey(),
                        b.remote(AT),
                        Long.decode(compare),
                        Long.decode(compareMask),
                        Long.decode(swap),
                        Long.decode(swapMask))
                .signaled()
                .sge(a.mr.sge(AT, Long.BYTES))
                .build());
        WorkCompletion done = a.awaitSend();
        assertThat(done.opcode()).isEqualTo(WcOpcode.MASKED_COMP_SWAP);
        assertThat(done.byteLength()).isEqualTo(Long.BYTES);
        assertOnly(a, Long.decode(before));
        assertOnly(b, Long.decode(after));
    }

    @ParameterizedTest
    @CsvSource({"0x12FF, 0x0102, 0x8080, 0x1301", "0x12FF, 0x0102, 0, 0x1401", "-1, 1, 0x80000000, -4294967296"})
    @Covers({"WR-21", "WR-32", "CQ-60"})
    void fetchAndAddAddsToEachField(String before, String add, String boundaries, String after) {
        QpPair pair = connected(SETUP, LinkSetup.DEFAULT);
        Endpoint a = pair.a();
        Endpoint b = pair.b();
        b.memory.set(LONG, AT, Long.decode(before));
        a.qp.startSend()
                .signaled()
                .maskedAtomicFetchAdd(b.mr.rkey(), b.remote(AT), Long.decode(add), Long.decode(boundaries))
                .sge(a.mr.lkey(), a.mr.address() + AT, Long.BYTES)
                .complete();
        assertThat(a.awaitSend().opcode()).isEqualTo(WcOpcode.MASKED_FETCH_ADD);
        assertOnly(a, Long.decode(before));
        assertOnly(b, Long.decode(after));
    }

    /** No specification describes these operations, so both ends must have agreed on them. */
    @Test
    @Covers({"WR-20", "WR-21"})
    void theyAreNotSupportedWithoutTheCreateFlag() {
        QpPair pair = connected(EndpointSetup.OPEN, LinkSetup.DEFAULT);
        Endpoint a = pair.a();
        Endpoint b = pair.b();
        assertRefused(
                Errno.EOPNOTSUPP,
                () -> a.qp.startSend()
                        .maskedAtomicFetchAdd(b.mr.rkey(), b.remote(AT), 1, 0)
                        .sge(a.mr.lkey(), a.mr.address(), Long.BYTES)
                        .complete());
        assertRefused(
                Errno.EOPNOTSUPP,
                () -> a.qp.postSend(SendRequest.maskedAtomicCompareSwap(b.mr.rkey(), b.remote(AT), 0, 0, 1, -1)
                        .sge(a.mr.sge(0, Long.BYTES))
                        .build()));
        assertOnly(b, 0);
    }

    @Test
    void aPeerThatHasNotAgreedTakesThemForAnInvalidRequest() {
        Endpoint a = closing(new Endpoint(target(), target().first(), SETUP));
        Endpoint b = closing(new Endpoint(target(), target().second(), EndpointSetup.OPEN));
        a.connectTo(b, LinkSetup.DEFAULT);
        b.connectTo(a, LinkSetup.DEFAULT);
        a.qp.startSend()
                .maskedAtomicFetchAdd(b.mr.rkey(), b.remote(AT), 1, 0)
                .sge(a.mr.lkey(), a.mr.address() + AT, Long.BYTES)
                .complete();
        assertThat(a.awaitSends(1).getFirst().status()).isEqualTo(WcStatus.REM_INV_REQ_ERR);
        assertOnly(b, 0);
    }

    @ParameterizedTest
    @EnumSource(names = {"UC", "UD"})
    void theCreateFlagIsForReliableConnections(QpType type) {
        Endpoint any = closing(new Endpoint(target(), context(), EndpointSetup.DEFAULT));
        assertRefused(
                Errno.EINVAL,
                () -> any.pd.createQp(QpInitAttributes.builder(any.sendCq)
                        .type(type)
                        .createFlags(QpCreateFlag.MASKED_ATOMICS)
                        .build()));
    }

    @Test
    @Covers({"WR-20", "WR-21"})
    void extendedConnectionsHaveThemToo() {
        require(DeviceCapability.XRC);
        XrcSide a = closing(new XrcSide(target(), target().first(), QpCreateFlag.MASKED_ATOMICS));
        XrcSide b = closing(new XrcSide(target(), target().second(), QpCreateFlag.MASKED_ATOMICS));
        a.connectTo(b);
        b.connectTo(a);
        b.first.memory.set(LONG, AT, 0x12FF);
        long there = b.first.mr.iova() + AT;
        QueuePair qp = a.initiator;
        qp.startSend()
                .signaled()
                .maskedAtomicFetchAdd(b.first.mr.rkey(), there, 0x0102, 0x8080)
                .xrcSrq(b.first.srq.number())
                .sge(a.first.mr.lkey(), a.first.mr.address(), Long.BYTES)
                .signaled()
                .maskedAtomicCompareSwap(b.first.mr.rkey(), there, 0x01, 0xFF, 0x77, 0xFF)
                .xrcSrq(b.first.srq.number())
                .sge(a.first.mr.lkey(), a.first.mr.address() + AT, Long.BYTES)
                .complete();
        List<WorkCompletion> done = new ArrayList<>();
        await("two completions", () -> {
            done.addAll(a.sendCq.poll(2));
            return done.size() == 2;
        });
        assertThat(done).extracting(WorkCompletion::status).containsOnly(WcStatus.SUCCESS);
        assertThat(a.first.memory.get(LONG, 0)).isEqualTo(0x12FF);
        assertThat(a.first.memory.get(LONG, AT)).isEqualTo(0x1301);
        assertThat(b.first.memory.get(LONG, AT)).isEqualTo(0x1377);
    }
}
