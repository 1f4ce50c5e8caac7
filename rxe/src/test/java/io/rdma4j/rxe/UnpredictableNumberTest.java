// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.hca.qp.HcaQp;
import io.rdma4j.hca.qp.QpTable;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpAddress;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.values.AccessFlag;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A peer cannot derive the other numbers of a device from those that it has. */
class UnpredictableNumberTest {
    private static final int MASK = 0xFF_FFFF;
    private static final int REGIONS = 64;
    private static final int QUEUE_PAIRS = 200;

    private static Bench bench() {
        return new Bench(Set.of(), ProgressMode.MANUAL, usual -> RxeOptions.DEFAULT.withSharedMemory(false));
    }

    /**
     * The attack of ReDMArk on keys that are an index times a secret: three keys of regions that were registered in
     * succession yield the factors, and these yield all other keys.
     */
    @Test
    void threeMemoryKeysDoNotTellTheOthers() {
        try (Bench bench = bench();
                ProtectionDomain pd = bench.context.allocatePd()) {
            List<MemoryRegion> regions = new ArrayList<>();
            for (int i = 0; i < REGIONS; i++) {
                regions.add(pd.allocateMemory(4096, Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ)));
            }
            Set<Integer> keys = new HashSet<>();
            regions.forEach(region -> keys.add(region.rkey()));
            int[] known = {
                regions.get(7).rkey(), regions.get(8).rkey(), regions.get(9).rkey()
            };
            for (int key : known) {
                keys.remove(key);
            }
            assertThat(predicted(known)).doesNotContainAnyElementsOf(keys);
            regions.forEach(MemoryRegion::close);
        }
    }

    private static Set<Integer> predicted(int[] known) {
        Set<Integer> predicted = new HashSet<>();
        for (int second = 1; second <= MASK; second += 2) {
            int inverse = inverse(second);
            int u1 = unmix(known[0], inverse);
            int u2 = unmix(known[1], inverse);
            int u3 = unmix(known[2], inverse);
            int first = u2 - u1 & MASK;
            if ((u3 - u2 & MASK) == first && (first & 1) == 1) {
                for (int index = 1; index <= REGIONS; index++) {
                    predicted.add(fold(fold(index * first & MASK) * second & MASK) << 8 | 1);
                }
            }
        }
        for (int step = 1; step <= REGIONS; step++) {
            predicted.add((known[0] & ~0xFF) + (step << 8) | 1);
        }
        return predicted;
    }

    private static int unmix(int key, int inverse) {
        return fold(fold(key >>> 8) * inverse & MASK);
    }

    private static int fold(int bits) {
        return bits ^ bits >>> 12;
    }

    private static int inverse(int odd) {
        int inverse = odd;
        for (int goodBits = 3; goodBits < 24; goodBits *= 2) {
            inverse *= 2 - odd * inverse;
        }
        return inverse & MASK;
    }

    @Test
    void queuePairNumbersAndFirstPsnsFollowNoOrder() {
        try (Bench bench = bench();
                ProtectionDomain pd = bench.context.allocatePd();
                CompletionQueue cq = bench.context.createCq(16)) {
            List<QueuePair> all = new ArrayList<>();
            for (int i = 0; i < QUEUE_PAIRS; i++) {
                all.add(pd.createQp(QpInitAttributes.builder(cq).build()));
            }
            List<Integer> qpns = all.stream().map(QueuePair::qpn).toList();
            assertThat(qpns).doesNotHaveDuplicates().allMatch(qpn -> qpn >= QpTable.FIRST_QPN && qpn < MASK);
            assertThat(steps(qpns)).as("different steps").hasSizeGreaterThan(QUEUE_PAIRS / 2);
            assertThat(qpns)
                    .allSatisfy(qpn -> assertThat(
                                    bench.port.services().common().queuePairs().find(qpn))
                            .isNotNull()
                            .extracting(HcaQp::qpn)
                            .isEqualTo(qpn));
            List<Integer> psns = all.stream().map(qp -> QpAddress.of(qp).psn()).toList();
            assertThat(steps(psns)).as("different steps").hasSizeGreaterThan(QUEUE_PAIRS / 2);
            all.forEach(QueuePair::close);
        }
    }

    private static Set<Integer> steps(List<Integer> numbers) {
        Set<Integer> steps = new HashSet<>();
        for (int i = 1; i < numbers.size(); i++) {
            steps.add(numbers.get(i) - numbers.get(i - 1) & MASK);
        }
        return steps;
    }
}
