// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.local.KeyPage;
import io.rdma4j.net.receive.PacketTap;
import io.rdma4j.net.skb.EtherType;
import io.rdma4j.testing.conformance.harness.Allocations;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.transport.port.LinkMessage;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.wr.CompletionCursor;
import io.rdma4j.verbs.wr.WcStatus;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * WRITEs between two devices that the posting thread stores into the memory of the peer, as between two processes.
 */
class ProcessStoreTest {
    private static final int BYTES = LinkMessage.MAX_STORED_BYTES + 1;
    private static final int MEDIUM = 4096;
    private static final int MANY = 2000;
    private static final int MOST_ATTEMPTS = 100_000;
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(30);
    private static final Set<AccessFlag> SHARED =
            EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ);

    private static final RxeOptions SHM = RxeOptions.DEFAULT.withSharedMemory(true);

    private final UdpPair pair = new UdpPair(SHM, EndpointSetup.OPEN.memoryBytes(2 * BYTES), LinkSetup.DEFAULT);
    private final Endpoint a = pair.a;
    private final Endpoint b = pair.b;
    private final MemoryRegion target = b.pd.allocateMemory(BYTES, SHARED);

    @AfterEach
    void close() {
        target.close();
        pair.close();
    }

    private void post(MemoryRegion to, long offset, int bytes) {
        a.qp.startSend()
                .wrId(3)
                .signaled()
                .rdmaWrite(to.rkey(), to.iova() + offset)
                .sge(a.mr.lkey(), a.memory.address(), bytes)
                .complete();
    }

    private WcStatus await() {
        long end = System.nanoTime() + TIMEOUT_NS;
        while (System.nanoTime() - end < 0) {
            try (CompletionCursor wc = a.sendCq.startPoll()) {
                if (wc.next()) {
                    return wc.status();
                }
            }
        }
        throw new AssertionError("the WRITE does not complete");
    }

    private boolean isDone() {
        try (CompletionCursor wc = a.sendCq.startPoll()) {
            return wc.next();
        }
    }

    private WcStatus write(MemoryRegion to, int bytes) {
        post(to, 0, bytes);
        return await();
    }

    private long stores() {
        pair.firstPort().counters();
        return pair.firstCounted("shm_tx_link_stores");
    }

    private void awaitStores() {
        long before = stores();
        for (int i = 0; i < MOST_ATTEMPTS && stores() == before; i++) {
            assertThat(write(target, 8)).isEqualTo(WcStatus.SUCCESS);
        }
        assertThat(stores()).as("stored WRITEs").isGreaterThan(before);
    }

    private void fill(int bytes, int seed) {
        for (int i = 0; i < bytes; i++) {
            a.memory.set(ValueLayout.JAVA_BYTE, i, (byte) (seed + i * 7));
        }
    }

    private void assertArrived(int bytes) {
        assertThat(MemorySegment.mismatch(a.memory, 0, bytes, target.segment(), 0, bytes))
                .isEqualTo(-1);
    }

    /** Runs an action while no thread can run the loop of the second device. */
    private void whileStopped(Runnable action) throws InterruptedException {
        CountDownLatch stopped = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        Thread holder = Thread.ofPlatform()
                .daemon()
                .start(() -> pair.secondPort().netLoop().exclusively(() -> {
                    stopped.countDown();
                    try {
                        goOn.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                }));
        assertThat(stopped.await(30, TimeUnit.SECONDS)).isTrue();
        try {
            action.run();
        } finally {
            goOn.countDown();
            holder.join();
        }
    }

    @Test
    void aWriteIsThereAlthoughNoThreadOfThePeerRuns() throws Exception {
        awaitStores();
        whileStopped(() -> {
            for (int bytes : new int[] {1, 8, 63, 64, 100, 1024, 1025, LinkMessage.MAX_BYTES + 3, BYTES - 1, 0}) {
                fill(bytes, bytes);
                assertThat(write(target, bytes)).isEqualTo(WcStatus.SUCCESS);
                assertArrived(bytes);
            }
        });
    }

    @Test
    void aPeerWithAShortPageOfKeysGetsMessages() throws IOException {
        List<Path> pages = keyPages();
        assertThat(pages).isNotEmpty();
        try {
            resize(pages, 64);
            for (int i = 0; i < MOST_ATTEMPTS && linkMessages() == 0; i++) {
                assertThat(write(target, 8)).isEqualTo(WcStatus.SUCCESS);
            }
            assertThat(linkMessages()).isPositive();
            assertThat(stores()).isZero();
        } finally {
            resize(pages, KeyPage.BYTES);
        }
    }

    private long linkMessages() {
        pair.firstPort().counters();
        return pair.firstCounted("shm_tx_link_messages");
    }

    /** Files of the keys that this process has mapped. */
    private static List<Path> keyPages() throws IOException {
        try (Stream<String> mappings = Files.lines(Path.of("/proc/self/maps"))) {
            return mappings.filter(line -> line.matches(".* /dev/shm/rdma4j-\\d+/.*\\." + KeyPage.SEGMENT))
                    .map(line -> Path.of(line.substring(line.indexOf('/'))))
                    .distinct()
                    .toList();
        }
    }

    private static void resize(List<Path> files, long bytes) throws IOException {
        for (Path file : files) {
            try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
                open.setLength(bytes);
            }
        }
    }

    @Test
    void messagesAndReadsBehindStoredWritesHaveTheirNumbers() {
        awaitStores();
        for (int i = 0; i < 50; i++) {
            fill(MEDIUM, i);
            assertThat(write(target, MEDIUM)).isEqualTo(WcStatus.SUCCESS);
            b.postReceive(1, 0, 10);
            a.postSend(2, 0, 10);
            Progress.awaitMessage(a.sendCq, b.receiveCq);
            assertArrived(MEDIUM);
            assertThat(write(target, 100)).isEqualTo(WcStatus.SUCCESS);
            a.qp.startSend()
                    .wrId(5)
                    .signaled()
                    .rdmaRead(target.rkey(), target.iova())
                    .sge(a.mr.lkey(), a.memory.address() + MEDIUM, 100)
                    .complete();
            assertThat(await()).isEqualTo(WcStatus.SUCCESS);
            assertThat(MemorySegment.mismatch(a.memory, 0, 100, a.memory, MEDIUM, MEDIUM + 100))
                    .isEqualTo(-1);
            assertThat(b.qp.query().rqPsn()).isEqualTo(a.qp.query().sqPsn());
        }
        awaitStores();
        assertThat(pair.firstPort().counters().retries).isZero();
    }

    @Test
    void theReceiverCountsStoredWritesAsPackets() {
        awaitStores();
        long sent = pair.firstPort().counters().sentPackets;
        long received = pair.secondPort().counters().receivedPackets;
        for (int i = 0; i < 10; i++) {
            assertThat(write(target, MEDIUM)).isEqualTo(WcStatus.SUCCESS);
        }
        long packets = pair.firstPort().counters().sentPackets - sent;
        assertThat(packets).isPositive();
        assertThat(pair.secondPort().counters().receivedPackets - received).isEqualTo(packets);
    }

    /** Posts WRITEs until one fails, and returns its status. */
    private Thread writing(MemoryRegion to, AtomicReference<WcStatus> last) {
        return Thread.ofPlatform().start(() -> {
            WcStatus status = WcStatus.SUCCESS;
            for (int i = 0; status == WcStatus.SUCCESS; i++) {
                fill(64, i);
                status = write(to, 64);
            }
            last.set(status);
        });
    }

    @Test
    void noByteChangesAfterADeregistration() throws Exception {
        awaitStores();
        MemorySegment memory = target.segment();
        AtomicReference<WcStatus> last = new AtomicReference<>();
        MemoryRegion again = b.pd.registerMemory(memory, SHARED);
        long before = stores();
        Thread writer = writing(again, last);
        while (stores() < before + 100) {
            Thread.onSpinWait();
        }
        again.close();
        byte[] bytes = memory.asSlice(0, 64).toArray(ValueLayout.JAVA_BYTE);
        writer.join();
        assertThat(last.get()).isEqualTo(WcStatus.REM_ACCESS_ERR);
        assertThat(memory.asSlice(0, 64).toArray(ValueLayout.JAVA_BYTE)).isEqualTo(bytes);
    }

    @Test
    void noByteChangesAfterTheQueuePairHasLeftItsState() throws Exception {
        awaitStores();
        AtomicReference<WcStatus> last = new AtomicReference<>();
        long before = stores();
        Thread writer = writing(target, last);
        while (stores() < before + 100) {
            Thread.onSpinWait();
        }
        b.qp.modify(QpAttributes.builder().state(QpState.ERR).build());
        byte[] bytes = target.segment().asSlice(0, 64).toArray(ValueLayout.JAVA_BYTE);
        long after = stores();
        for (int i = 0; i < 100; i++) {
            assertThat(stores()).isEqualTo(after);
        }
        a.qp.modify(QpAttributes.builder().state(QpState.ERR).build());
        writer.join();
        assertThat(last.get()).isEqualTo(WcStatus.WR_FLUSH_ERR);
        assertThat(target.segment().asSlice(0, 64).toArray(ValueLayout.JAVA_BYTE))
                .isEqualTo(bytes);
    }

    @Test
    void noByteChangesAfterThePortHasFailed() {
        awaitStores();
        pair.secondPort().fail("a test wants to know");
        byte[] bytes = target.segment().toArray(ValueLayout.JAVA_BYTE);
        fill(64, 77);
        post(target, 0, 64);
        assertThat(isDone()).isFalse();
        assertThat(target.segment().toArray(ValueLayout.JAVA_BYTE)).isEqualTo(bytes);
    }

    @Test
    void memoryOfAnotherProtectionDomainIsNotStoredInto() {
        awaitStores();
        try (ProtectionDomain other = b.context.allocatePd();
                MemoryRegion foreign = other.allocateMemory(BYTES, SHARED)) {
            assertThat(write(foreign, 8)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        }
    }

    /** As the server of a one-sided test: it sends nothing, so that its queue pair stays in RTR. */
    @Test
    void aPeerInRtrIsStoredIntoBehindTheFirstWrite() {
        List<EventType> events = new CopyOnWriteArrayList<>();
        b.qp.modify(QpAttributes.builder().state(QpState.RESET).build());
        b.moveTo(QpState.INIT, a, LinkSetup.DEFAULT);
        b.moveTo(QpState.RTR, a, LinkSetup.DEFAULT);
        b.context.registerEventHandler(event -> events.add(event.type()));
        awaitStores();
        assertThat(events).containsExactly(EventType.COMM_EST);
        fill(MEDIUM, 3);
        assertThat(write(target, MEDIUM)).isEqualTo(WcStatus.SUCCESS);
        assertArrived(MEDIUM);
        assertThat(b.qp.query().rqPsn()).isEqualTo(a.qp.query().sqPsn());
    }

    /** They are packets, which the peer copies. */
    @Test
    void longerWritesAreNotStored() {
        awaitStores();
        long before = stores();
        fill(BYTES, 5);
        assertThat(write(target, BYTES)).isEqualTo(WcStatus.SUCCESS);
        assertThat(stores()).isEqualTo(before);
        assertArrived(BYTES);
    }

    @Test
    void bytesBehindTheEndAreNotStoredInto() {
        awaitStores();
        post(target, BYTES - 7, 8);
        assertThat(await()).isEqualTo(WcStatus.REM_ACCESS_ERR);
    }

    /** The peer is told at the next maintenance of its channels. */
    @Test
    void anObserverOfThePeerSoonSeesPackets() {
        awaitStores();
        RxePort port = pair.secondPort();
        AtomicInteger seen = new AtomicInteger();
        PacketTap tap = _ -> seen.incrementAndGet();
        port.netLoop().exclusively(() -> port.device().protocols().addTap(EtherType.ALL, tap));
        for (int i = 0; i < MOST_ATTEMPTS && seen.get() == 0; i++) {
            assertThat(write(target, 8)).isEqualTo(WcStatus.SUCCESS);
            assertThat(b.receiveCq.poll(1)).isEmpty();
        }
        long before = stores();
        assertThat(write(target, 8)).isEqualTo(WcStatus.SUCCESS);
        assertThat(stores()).isEqualTo(before);
        port.netLoop().exclusively(() -> port.device().protocols().removeTap(tap));
        awaitStores();
    }

    @Test
    void aProcessThatRefusesIsNotStoredInto() {
        System.setProperty("rdma4j.shm.stores", "off");
        try (UdpPair refusing = new UdpPair(66, SHM, EndpointSetup.OPEN, LinkSetup.DEFAULT);
                MemoryRegion region = refusing.b.pd.allocateMemory(BYTES, SHARED)) {
            for (int i = 0; i < 100; i++) {
                refusing.a
                        .qp
                        .startSend()
                        .signaled()
                        .rdmaWrite(region.rkey(), region.iova())
                        .sge(refusing.a.mr.lkey(), refusing.a.memory.address(), 8)
                        .complete();
                Progress.await(refusing.a.sendCq, refusing.b.receiveCq, false);
            }
            refusing.firstPort().counters();
            assertThat(refusing.firstCounted("shm_tx_link_messages")).isPositive();
            assertThat(refusing.firstCounted("shm_tx_link_stores")).isZero();
        } finally {
            System.clearProperty("rdma4j.shm.stores");
        }
    }

    @Test
    void storesAllocateNothing() throws Exception {
        awaitStores();
        long before = stores();
        long allocated = Allocations.inSteadyState("rdma4j-", () -> {
            for (int i = 0; i < MANY; i++) {
                write(target, 64);
            }
        });
        assertThat(allocated).as("less than a byte a WRITE").isLessThan(MANY);
        assertThat(stores() - before).isGreaterThanOrEqualTo(MANY);
    }
}
