// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma4j.base.Mtu;
import io.rdma4j.linux.LinuxProcessMemory;
import io.rdma4j.testing.conformance.harness.Allocations;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.values.AccessFlag;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages of several MiB between two devices that use shared memory. */
class LongMessageTest {
    private static final int BYTES = 3 << 20;
    private static final int TRAINS = 3;
    private static final int MESSAGES = 1500;

    /** Longer than the largest train on a network, and longer than one READ request there. */
    private static final int LONG_ENOUGH = 100 << 10;

    private static final Set<AccessFlag> ALL =
            Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE);

    private final Arena arena = Arena.ofShared();
    private UdpPair pair = open();

    private static UdpPair open() {
        return new UdpPair(
                RxeOptions.DEFAULT.withSharedMemory(true),
                EndpointSetup.OPEN,
                LinkSetup.DEFAULT.mtu(Mtu.MTU_4096).rdAtomic(4));
    }

    @AfterEach
    void close() {
        pair.close();
        arena.close();
    }

    /** Registered memory. */
    private record Region(MemorySegment memory, MemoryRegion key) implements AutoCloseable {
        @Override
        public void close() {
            key.close();
        }

        boolean holdsWhat(Region other) {
            return memory.mismatch(other.memory) == -1;
        }
    }

    private Region region(Endpoint endpoint, boolean near, int seed) {
        MemorySegment memory = near ? endpoint.context.allocateBuffer(BYTES, 64, arena) : arena.allocate(BYTES, 64);
        SplittableRandom random = new SplittableRandom(seed);
        for (long i = 0; i < BYTES; i += Long.BYTES) {
            memory.set(ValueLayout.JAVA_LONG, i, random.nextLong());
        }
        return new Region(memory, endpoint.pd.registerMemory(memory, ALL));
    }

    private void write(Region from, Region to, int bytes) {
        pair.a
                .qp
                .startSend()
                .wrId(1)
                .signaled()
                .rdmaWrite(to.key.rkey(), to.key.iova())
                .sge(from.key.lkey(), from.memory.address(), bytes)
                .complete();
        Progress.await(pair.a.sendCq, pair.b.receiveCq, false);
    }

    private void read(Region from, Region to, int bytes) {
        pair.a
                .qp
                .startSend()
                .wrId(2)
                .signaled()
                .rdmaRead(from.key.rkey(), from.key.iova())
                .sge(to.key.lkey(), to.memory.address(), bytes)
                .complete();
        Progress.await(pair.a.sendCq, pair.b.receiveCq, false);
    }

    /** The first packet sets up the channel; after that trains have up to 1 MiB. */
    private void meet() {
        pair.b.postReceive(1, 0, 10);
        pair.a.postSend(1, 0, 10);
        Progress.awaitMessage(pair.a.sendCq, pair.b.receiveCq);
    }

    @Test
    void theyAreReadWhereTheyLieInMemoryOfTheDevice() {
        exchange(true);
        long sent = pair.firstCounted("shm_tx_references");
        long answered = pair.secondCounted("shm_tx_references");
        exchange(true);
        assertThat(pair.firstCounted("shm_tx_references") - sent).isEqualTo(TRAINS);
        assertThat(pair.secondCounted("shm_tx_references") - answered).isEqualTo(TRAINS);
        assertThat(pair.secondCounted("shm_rx_process_reads")).isZero();
    }

    /** The first exchange detects that the system permits it. */
    @Test
    void theyAreReadWhereTheyLieInAnyMemoryWhereTheSystemLetsThem() {
        assumeTrue(LinuxProcessMemory.find() != null, "no native calls");
        exchange(false);
        long sent = pair.firstCounted("shm_tx_process_references");
        long answered = pair.secondCounted("shm_tx_process_references");
        long reads = pair.secondCounted("shm_rx_process_reads");
        exchange(false);
        assertThat(pair.firstCounted("shm_tx_process_references") - sent).isEqualTo(TRAINS);
        assertThat(pair.secondCounted("shm_tx_process_references") - answered).isEqualTo(TRAINS);
        assertThat(pair.secondCounted("shm_rx_process_reads") - reads)
                .as("one system call a train")
                .isEqualTo(TRAINS);
        assertThat(pair.firstCounted("shm_tx_references")).isZero();
    }

    @Test
    void theyAreCopiedTwiceWhereItDoesNot() {
        pair.close();
        System.setProperty(LinuxProcessMemory.PROPERTY, "off");
        try {
            pair = open();
        } finally {
            System.clearProperty(LinuxProcessMemory.PROPERTY);
        }
        exchange(false);
        exchange(false);
        assertThat(pair.firstCounted("shm_tx_process_references")).isZero();
        assertThat(pair.firstCounted("shm_tx_references")).isZero();
        assertThat(pair.firstCounted("shm_tx_packets")).isGreaterThan(2 * BYTES / 4096);
    }

    private void exchange(boolean near) {
        try (Region here = region(pair.a, near, 1);
                Region there = region(pair.b, near, 2);
                Region elsewhere = region(pair.b, near, 3)) {
            meet();
            write(here, there, BYTES);
            assertThat(there.holdsWhat(here)).isTrue();
            read(elsewhere, here, BYTES);
            assertThat(here.holdsWhat(elsewhere)).isTrue();
            assertThat(pair.dropped()).isZero();
        }
    }

    /** Background threads that run now and then allocate a little over time, independent of the messages. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theyAllocateNothing(boolean near) {
        try (Region here = region(pair.a, near, 1);
                Region there = region(pair.b, near, 2)) {
            meet();
            long allocated = Allocations.inSteadyState("rdma4j-", () -> {
                for (int i = 0; i < MESSAGES; i++) {
                    write(here, there, LONG_ENOUGH);
                    read(there, here, LONG_ENOUGH);
                }
            });
            assertThat(allocated).as("less than a byte a message").isLessThan(MESSAGES);
        }
    }

    /** If trains are segmented before the driver, they have at most the size for a socket. */
    @Test
    void whereTrainsAreCutTheyAreShort() {
        try (Region here = region(pair.a, true, 1);
                Region there = region(pair.b, true, 2)) {
            meet();
            pair.limitTrains(65_536);
            long sent = pair.firstCounted("shm_tx_references");
            write(here, there, BYTES);
            assertThat(there.holdsWhat(here)).isTrue();
            assertThat(pair.firstCounted("shm_tx_references") - sent).isGreaterThan(50);
        }
    }
}
