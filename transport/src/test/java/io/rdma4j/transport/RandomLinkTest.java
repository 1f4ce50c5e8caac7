// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Mtu;
import io.rdma4j.transport.TestLink.Way;
import io.rdma4j.verbs.wr.SendBatch;
import io.rdma4j.verbs.wr.WcStatus;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * All operations of a reliable connection mixed at random, handed over or not: packets are lost and doubled, receives
 * come late, receivers refuse, and there is no room now and then. In the end everything has happened once and in its
 * order.
 */
class RandomLinkTest {
    private static final int RUNS = 60;
    private static final int REQUESTS = 150;
    private static final int MOST_POSTED = 50;
    private static final int MOST_BYTES = 20_000;
    private static final int TARGET_BYTES = 60_000;
    private static final int[] SIZES = {0, 1, 64, 1000, 1024, 1025, 5000, 16_384, 16_385, MOST_BYTES};
    private static final int KINDS = 7;

    /** To repeat one run: give its seed to {@link #run} alone. */
    @ParameterizedTest
    @EnumSource(Way.class)
    void everythingHappensOnceAndInOrder(Way way) {
        long seed = ThreadLocalRandom.current().nextLong();
        int delivered = 0;
        long stored = 0;
        for (int i = 0; i < RUNS; i++) {
            TestLink link = run(seed + i, way);
            delivered += link.delivered();
            stored += link.stored();
        }
        assertThat(delivered > 0).isEqualTo(way != Way.NONE);
        assertThat(stored > 0).isEqualTo(way == Way.STORE);
    }

    private static TestLink run(long seed, Way way) {
        try {
            SplittableRandom random = new SplittableRandom(seed);
            ScriptedNetwork.Mode mode = random.nextBoolean() ? ScriptedNetwork.Mode.CUT : ScriptedNetwork.Mode.WHOLE;
            PairSettings settings = new PairSettings()
                    .rdma(4)
                    .way(way)
                    .mode(mode)
                    .mtu(random.nextBoolean() ? Mtu.MTU_1024 : Mtu.MTU_4096)
                    .psnA(random.nextBoolean() ? PairSettings.PSN_A : 0xFF_FFF0);
            try (EnginePair pair = new EnginePair(settings)) {
                Run run = new Run(pair, random);
                run.play();
                run.check();
                return pair.link;
            }
        } catch (AssertionError | RuntimeException failed) {
            throw new AssertionError("run(" + seed + "L, Way." + way + ") failed", failed);
        }
    }

    /** One run. What has to come of it is kept in plain arrays. */
    private static final class Run {
        private final EnginePair pair;
        private final SplittableRandom random;
        private final TestRegion source;
        private final TestRegion target;
        private final TestRegion constant;
        private final TestRegion landing;
        private final TestRegion received;
        private final byte[] expectedTarget;
        private final List<byte[]> expectedMessages = new ArrayList<>();
        private final List<Integer> expectedImmediates = new ArrayList<>();
        private final List<Completion> receives = new ArrayList<>();
        private final List<Completion> sends = new ArrayList<>();
        private long expectedSum;
        private int posted;
        private int receivesPosted;
        private int receivesNeeded;

        Run(EnginePair pair, SplittableRandom random) {
            this.pair = pair;
            this.random = random;
            source = pair.a.region(MOST_BYTES * 2L).filled(random.nextLong());
            target = pair.b.shared(TARGET_BYTES).filled(random.nextLong());
            constant = pair.b.shared(MOST_BYTES).filled(random.nextLong());
            landing = pair.a.region(MOST_BYTES);
            received = pair.b.region((REQUESTS + 1L) * MOST_BYTES);
            target.memory().set(ValueLayout.JAVA_LONG, 0, 0);
            expectedTarget = target.bytes(0, TARGET_BYTES);
        }

        void play() {
            StepLimit steps = new StepLimit("all requests are posted", 100 * REQUESTS);
            while (posted < REQUESTS) {
                steps.step();
                for (int i = random.nextInt(6);
                        i > 0 && posted < REQUESTS && posted - sends.size() < MOST_POSTED;
                        i--) {
                    post(random.nextInt(KINDS));
                }
                for (int i = random.nextInt(4); i > 0 && receivesPosted < receivesNeeded; i--) {
                    receive();
                }
                pair.link.paused = random.nextInt(10) == 0;
                pair.link.open = random.nextInt(5) != 0;
                pair.transmit();
                harm();
                pair.deliver();
                poll();
                if (random.nextInt(3) == 0 && pair.nextDeadlineNs() != Long.MAX_VALUE) {
                    pair.advanceTo(pair.nextDeadlineNs());
                }
            }
            while (receivesPosted < receivesNeeded) {
                receive();
            }
            pair.link.paused = false;
            pair.link.open = true;
            pair.run();
            poll();
        }

        private void harm() {
            List<Parcel> packets = pair.network.inFlight();
            if (!packets.isEmpty() && random.nextInt(12) == 0) {
                pair.network.drop(random.nextInt(packets.size()));
            }
            if (!packets.isEmpty() && random.nextInt(12) == 0) {
                pair.network.duplicate(random.nextInt(packets.size()));
            }
        }

        private void poll() {
            sends.addAll(pair.a.sendCompletions());
            receives.addAll(pair.b.receiveCompletions());
        }

        private void receive() {
            pair.b.receive(receivesPosted, received.piece((long) receivesPosted * MOST_BYTES, MOST_BYTES));
            receivesPosted++;
        }

        private void post(int kind) {
            int bytes = SIZES[random.nextInt(SIZES.length)];
            int from = random.nextInt(MOST_BYTES);
            int to = Long.BYTES + random.nextInt(TARGET_BYTES - MOST_BYTES - Long.BYTES);
            int immediate = random.nextInt();
            SendBatch batch = pair.a.sends().wrId(posted++);
            switch (kind) {
                case 0, 1 -> {
                    message(kind == 0 ? batch.send() : batch.sendImm(immediate), from, bytes);
                    expectReceive(source.bytes(from, bytes), kind == 0 ? 0 : immediate);
                }
                case 2, 3, 4 -> {
                    boolean plain = kind != 4;
                    message(
                            plain
                                    ? batch.rdmaWrite(target.lkey(), target.address() + to)
                                    : batch.rdmaWriteImm(target.lkey(), target.address() + to, immediate),
                            from,
                            bytes);
                    System.arraycopy(source.bytes(from, bytes), 0, expectedTarget, to, bytes);
                    if (!plain) {
                        expectReceive(new byte[0], immediate);
                    }
                }
                case 5 ->
                    batch.rdmaRead(constant.lkey(), constant.address())
                            .sge(landing.lkey(), landing.address(), bytes)
                            .complete();
                default -> {
                    batch.atomicFetchAdd(target.lkey(), target.address(), posted)
                            .sge(landing.lkey(), landing.address(), Long.BYTES)
                            .complete();
                    expectedSum += posted;
                }
            }
        }

        private void message(SendBatch batch, int from, int bytes) {
            if (bytes > 10 && random.nextInt(5) == 0) {
                batch.sge(source.lkey(), source.address() + from, 7)
                        .sge(source.lkey(), source.address() + from + 7, bytes - 7)
                        .complete();
            } else {
                batch.sge(source.lkey(), source.address() + from, bytes).complete();
            }
        }

        private void expectReceive(byte[] bytes, int immediate) {
            expectedMessages.add(bytes);
            expectedImmediates.add(immediate);
            receivesNeeded++;
        }

        void check() {
            assertThat(sends).extracting(Completion::status).containsOnly(WcStatus.SUCCESS);
            assertThat(sends).extracting(Completion::wrId).hasSize(REQUESTS).isSorted();
            assertThat(receives).extracting(Completion::status).containsOnly(WcStatus.SUCCESS);
            assertThat(receives)
                    .extracting(Completion::wrId)
                    .hasSize(receivesNeeded)
                    .isSorted();
            assertThat(receives).extracting(Completion::immediate).isEqualTo(expectedImmediates);
            for (int i = 0; i < receivesNeeded; i++) {
                byte[] bytes = expectedMessages.get(i);
                assertThat(received.bytes((long) i * MOST_BYTES, bytes.length)).isEqualTo(bytes);
            }
            MemorySegment.ofArray(expectedTarget).set(ValueLayout.JAVA_LONG_UNALIGNED, 0, expectedSum);
            assertThat(Arrays.mismatch(target.bytes(0, TARGET_BYTES), expectedTarget))
                    .as("first byte that differs")
                    .isEqualTo(-1);
            pair.receives(pair.b);
            assertThat(pair.a.engine.query().sqPsn())
                    .isEqualTo(pair.b.engine.query().rqPsn());
        }
    }
}
