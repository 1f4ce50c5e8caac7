// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.conformance.device;

import static io.rdma4j.testing.conformance.harness.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.testing.conformance.harness.Bytes;
import io.rdma4j.testing.conformance.harness.ConformanceCases;
import io.rdma4j.testing.conformance.harness.ConformanceTarget;
import io.rdma4j.testing.endpoint.QpPair;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.wr.WcStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Cases for protection domains: {@code test_pd.PDTest} of rdma-core. */
public abstract class ProtectionDomainCases extends ConformanceCases {
    private static final int MANY = 200;
    private static final int MOST_WORTH_THE_TIME = 1 << 16;

    protected ProtectionDomainCases(Supplier<? extends ConformanceTarget> opener) {
        super(opener);
    }

    /** {@code test_multiple_pd_creation}. */
    @Test
    @Covers({"PD-2", "PD-3"})
    void manyDomainsComeAndGo() {
        List<ProtectionDomain> domains = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            domains.add(context().allocatePd());
        }
        assertThat(domains).doesNotHaveDuplicates().allMatch(pd -> pd.context() == context());
        domains.forEach(ProtectionDomain::close);
    }

    /** {@code test_destroy_pd_twice}: the second close has no effect. */
    @Test
    void closingTwiceIsHarmless() {
        ProtectionDomain pd = context().allocatePd();
        pd.close();
        pd.close();
    }

    @Test
    @Covers("DEV-30")
    void noMoreDomainsThanTheDeviceSays() {
        long limit = context().queryDevice().limit(DeviceLimit.MAX_PD);
        Assumptions.assumeTrue(limit <= MOST_WORTH_THE_TIME, () -> "making " + limit + " domains takes too long");
        List<ProtectionDomain> domains = new ArrayList<>();
        try {
            for (long i = 0; i < limit; i++) {
                domains.add(context().allocatePd());
            }
            assertRefused(Errno.ENOMEM, context()::allocatePd);
            domains.removeLast().close();
            domains.add(context().allocatePd());
        } catch (RdmaException e) {
            throw new AssertionError("domain " + domains.size() + " of " + limit, e);
        } finally {
            domains.forEach(ProtectionDomain::close);
        }
    }

    /** Keys of another protection domain are invalid. */
    @Test
    @Covers({"PD-1", "PD-5"})
    void aKeyOfAnotherDomainIsNoKey() {
        QpPair pair = connected();
        ProtectionDomain other = closing(context().allocatePd());
        MemoryRegion foreign = closing(other.registerMemory(pair.a().memory, Set.of(AccessFlag.LOCAL_WRITE)));
        pair.b().postReceive(1, 0, 64);
        pair.a()
                .qp
                .startSend()
                .wrId(2)
                .send()
                .sge(foreign.lkey(), foreign.address(), 64)
                .complete();
        assertThat(pair.a().awaitSends(1).getFirst().status()).isEqualTo(WcStatus.LOC_PROT_ERR);
        assertThat(pair.a().qp.state()).isEqualTo(QpState.ERR);
        Bytes.assertUntouched(pair.b().memory);
    }
}
