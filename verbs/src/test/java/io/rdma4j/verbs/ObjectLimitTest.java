// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import static io.rdma4j.verbs.Refusals.assertRefused;

import io.rdma4j.base.Errno;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.WindowType;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.ThrowingSupplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each object limit of the device: creation fails at the limit and succeeds after one object was closed. */
class ObjectLimitTest {
    private final Fixture fixture = new Fixture();
    private final CompletionQueue cq = fixture.context.createCq(16);

    private void assertLimit(DeviceLimit limit, int made, int max, String kind, ThrowingSupplier<AutoCloseable> maker)
            throws Throwable {
        List<AutoCloseable> objects = new ArrayList<>();
        for (int i = made; i < max; i++) {
            objects.add(maker.get());
        }
        String message = "the device has " + max + " " + kind + ", its " + limit.label();
        assertRefused(Errno.ENOMEM, message, () -> {
            try {
                maker.get();
            } catch (RuntimeException e) {
                throw e;
            } catch (Throwable e) {
                throw new AssertionError(e);
            }
        });
        objects.getFirst().close();
        maker.get();
    }

    @Test
    @Covers({"DEV-18", "DEV-30"})
    void domainsRegionsWindowsAndAddressHandles() throws Throwable {
        assertLimit(DeviceLimit.MAX_MR, 0, 6, "memory regions", () -> fixture.memory(1));
        assertLimit(DeviceLimit.MAX_MW, 0, 3, "memory windows", () -> fixture.pd.allocateWindow(WindowType.TYPE_1));
        assertLimit(DeviceLimit.MAX_AH, 0, 3, "address handles", () -> fixture.pd.createAddressHandle(fixture.path()));
        assertLimit(DeviceLimit.MAX_PD, 1, 3, "protection domains", fixture.context::allocatePd);
    }

    @Test
    @Covers("DEV-26")
    void sharedReceiveQueuesAndTheirSizes() throws Throwable {
        assertLimit(
                DeviceLimit.MAX_SRQ,
                0,
                2,
                "shared receive queues",
                () -> fixture.pd.createSrq(SrqInitAttributes.basic(100, 2)));
        assertRefused(
                Errno.EINVAL,
                "max_wr 101 is not in 1..100",
                () -> fixture.pd.createSrq(SrqInitAttributes.basic(101, 1)));
        assertRefused(
                Errno.EINVAL, "max_sge 3 is not in 0..2", () -> fixture.pd.createSrq(SrqInitAttributes.basic(1, 3)));
    }

    @Test
    @Covers("DEV-23")
    void rawQueuePairsCountTwice() throws Throwable {
        assertLimit(DeviceLimit.MAX_RAW_IPV6_QP, 0, 1, "raw IPv6 queue pair", () -> raw(QpType.RAW_IPV6));
        assertLimit(DeviceLimit.MAX_RAW_ETHY_QP, 0, 2, "raw EtherType queue pairs", () -> raw(QpType.RAW_ETHERTYPE));
        raw(QpType.UD);
        assertRefused(Errno.ENOMEM, "4 queue pairs, its max_qp", () -> raw(QpType.UD));
    }

    @ParameterizedTest
    @EnumSource(
            value = QpType.class,
            names = {"RAW_IPV6", "RAW_ETHERTYPE"})
    @Covers("DEV-23")
    void aDeviceThatSaysZeroHasNoRawQueuePairs(QpType type) {
        fixture.device.limit(DeviceLimit.MAX_RAW_IPV6_QP, 0);
        fixture.device.limit(DeviceLimit.MAX_RAW_ETHY_QP, 0);
        assertRefused(Errno.EOPNOTSUPP, " is 0", () -> raw(type));
    }

    private QueuePair raw(QpType type) {
        return fixture.pd.createQp(QpInitAttributes.builder(cq)
                .type(type)
                .etherType(type == QpType.RAW_ETHERTYPE ? 0x88B5 : 0)
                .build());
    }

    @Test
    @Covers("DEV-27")
    void pagesOfAFastRegistration() {
        fixture.pd.allocateFastRegion(8);
        assertRefused(Errno.EINVAL, "max_num_sg 9 is not in 1..8", () -> fixture.pd.allocateFastRegion(9));
        fixture.device.limit(DeviceLimit.MAX_FAST_REG_PAGE_LIST_LEN, 9);
        fixture.pd.allocateFastRegion(9);
    }
}
