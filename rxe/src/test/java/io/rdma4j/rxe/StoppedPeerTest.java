// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.hca.qp.PortOutput;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.QpState;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Peers over shared memory whose process is stopped, as by SIGSTOP: a thread holds their loop, so that they make no
 * progress.
 */
class StoppedPeerTest {
    private static final int MESSAGE_BYTES = 17 << 10;
    private static final int QUEUE_PAIRS = 64;
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(30);

    private final Deque<AutoCloseable> resources = new ArrayDeque<>();
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final List<Endpoint> toStopped = new ArrayList<>();
    private final IdentityHashMap<Endpoint, MemoryRegion> memory = new IdentityHashMap<>();

    @AfterEach
    void close() throws Exception {
        goOn.countDown();
        while (!resources.isEmpty()) {
            resources.pop().close();
        }
    }

    /** Two connected devices; the first device of the first pair sends to all peers. */
    private UdpPair pair(int first) {
        UdpPair pair = new UdpPair(
                first,
                RxeOptions.DEFAULT.withSharedMemory(true),
                EndpointSetup.DEFAULT.memoryBytes(MESSAGE_BYTES),
                LinkSetup.DEFAULT);
        resources.push(pair);
        return pair;
    }

    private Endpoint endpoint(UdpPair pair, boolean isFirst) {
        Endpoint endpoint = new Endpoint(
                pair, isFirst ? pair.first() : pair.second(), EndpointSetup.DEFAULT.memoryBytes(MESSAGE_BYTES));
        resources.push(endpoint);
        return endpoint;
    }

    /** Connects many queue pairs of a device to a peer, sends a message over each, and awaits its reception. */
    private void connect(UdpPair from, UdpPair to) {
        for (int i = 0; i < QUEUE_PAIRS; i++) {
            Endpoint sender = endpoint(from, true);
            Endpoint receiver = endpoint(to, false);
            sender.connectTo(receiver, LinkSetup.DEFAULT);
            receiver.connectTo(sender, LinkSetup.DEFAULT);
            exchange(sender, receiver);
            toStopped.add(sender);
        }
    }

    private static void exchange(Endpoint sender, Endpoint receiver) {
        receiver.postReceive(1, 0, MESSAGE_BYTES);
        sender.postSend(2, 0, MESSAGE_BYTES);
        receiver.awaitReceive();
        sender.awaitSend();
    }

    /** Memory that peers read in place. */
    private MemoryRegion sharedMemory(Endpoint sender) {
        MemoryRegion region = sender.pd.allocateMemory(MESSAGE_BYTES, Set.of(AccessFlag.LOCAL_WRITE));
        resources.push(region);
        return region;
    }

    private void stop(RxePort port) throws InterruptedException {
        CountDownLatch stopped = new CountDownLatch(1);
        Thread thread = Thread.ofPlatform()
                .daemon()
                .start(() -> port.netLoop().exclusively(() -> {
                    stopped.countDown();
                    boolean interrupted = false;
                    while (goOn.getCount() > 0 && !interrupted) {
                        LockSupport.parkNanos(1_000_000);
                        interrupted = Thread.interrupted();
                    }
                }));
        assertThat(stopped.await(30, TimeUnit.SECONDS)).isTrue();
        resources.push(() -> assertThat(thread.join(Duration.ofSeconds(30))).isTrue());
    }

    private static void await(BooleanSupplier condition, String what) {
        long end = System.nanoTime() + TIMEOUT_NS;
        while (!condition.getAsBoolean() && System.nanoTime() - end < 0) {
            LockSupport.parkNanos(1_000_000);
        }
        assertThat(condition.getAsBoolean()).as(what).isTrue();
    }

    @Test
    void othersGoOnWhileTwoPeersAreStoppedAndTheirBuffersComeBackWhenTheirConnectionsFail() throws Exception {
        UdpPair healthy = pair(60);
        UdpPair one = pair(62);
        UdpPair two = pair(64);
        connect(healthy, one);
        connect(healthy, two);
        stop(one.secondPort());
        stop(two.secondPort());
        for (int round = 0; round < 32; round++) {
            for (Endpoint sender : toStopped) {
                MemoryRegion shared = memory.computeIfAbsent(sender, this::sharedMemory);
                sender.qp
                        .startSend()
                        .send()
                        .sge(shared.lkey(), shared.iova(), MESSAGE_BYTES)
                        .complete();
            }
        }
        assertThat(healthy.firstCounted("shm_tx_references"))
                .as("packets that refer to shared memory")
                .isPositive();
        RxePort port = healthy.firstPort();
        assertThat(port.netLoop().exclusively(port::buffersInUse))
                .as("buffers that the stopped peers keep")
                .isLessThan(PortOutput.BUFFERS * 3 / 4);
        for (int i = 0; i < 100; i++) {
            exchange(healthy.a, healthy.b);
        }
        assertThat(goOn.getCount()).as("the peers are still stopped").isEqualTo(1);
        await(() -> toStopped.stream().allMatch(sender -> sender.qp.state() == QpState.ERR), "connections have failed");
        await(() -> port.netLoop().exclusively(port::buffersInUse) == 0, "their buffers are back");
    }
}
