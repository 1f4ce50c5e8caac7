// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.NanoClock;
import io.rdma4j.base.RdmaException;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.rxe.RxeDevice;
import io.rdma4j.rxe.RxeOptions;
import io.rdma4j.rxe.RxePort;
import io.rdma4j.rxe.RxeProvider;
import io.rdma4j.testing.conformance.harness.Allocations;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.transport.port.TransportOptions;
import io.rdma4j.uverbs.abi.CommandAttribute;
import io.rdma4j.uverbs.abi.CommandType;
import io.rdma4j.uverbs.abi.DoorbellPage;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.local.RunDirectory;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.wr.CompletionCursor;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * When a client sets doorbells and when it must wake the server. The test drives the device, so none of its threads
 * sleeps.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class DoorbellTest {
    private static final int MESSAGES = 5_000;

    @TempDir
    private Path folder;

    @TempDir
    private Path memory;

    private ServedDevice served;
    private RxeDevice device;

    @BeforeEach
    void serve() {
        RxeOptions byHand = new RxeOptions(
                NanoClock.SYSTEM, ProgressMode.MANUAL, TransportOptions.DEFAULT, RxeOptions.ROCE_V2_PORT);
        RxeProvider provider = new RxeProvider(List.of(ServedDevice.spec()), byHand.withSharedMemory(false));
        served = new ServedDevice(folder, UverbsServer.ABI_VERSION, provider);
        device = (RxeDevice) provider.discover().iterator().next();
    }

    @AfterEach
    void close() {
        served.close();
    }

    private void drive() {
        RxePort port = Objects.requireNonNull(device.port());
        port.progress(System.nanoTime());
    }

    private static DoorbellPage page(Message answer) throws IOException {
        return new DoorbellPage(map(answer));
    }

    private static MemorySegment map(Message answer) throws IOException {
        Path file = Path.of(answer.getText(CommandAttribute.FILE));
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return channel.map(FileChannel.MapMode.READ_WRITE, 0, DoorbellPage.BYTES, Arena.ofAuto());
        }
    }

    @Test
    @Covers("UVERBS-54")
    void aPostTakesNoCommandWhileAThreadOfTheServerLooks() throws IOException {
        RunDirectory tapped = new RunDirectory(folder.resolve("tapped"));
        try (Wiretap tap = new Wiretap(served.device, served.server.entry(), tapped);
                Station station = new Station(ServedDevice.client(tapped).open("rxe0"), memory)) {
            station.connect();
            tap.heard.clear();
            station.post();
            assertThat(station.cq.poll(1)).as("nobody has looked").isEmpty();
            while (station.cq.peek(2) < 2) {
                drive();
            }
            station.checkArrived();
            assertThat(tap.commands()).isEmpty();
        }
    }

    /** The request is in shared memory; the server sends a frame for the event. */
    @Test
    void askingForAnEventTakesNoCommand() throws Exception {
        RunDirectory tapped = new RunDirectory(folder.resolve("tapped"));
        try (Wiretap tap = new Wiretap(served.device, served.server.entry(), tapped);
                Station station = new Station(ServedDevice.client(tapped).open("rxe0"), memory)) {
            station.connect();
            tap.heard.clear();
            assertThat(station.cq.requestNotification(false)).isFalse();
            station.post();
            while (station.cq.peek(2) < 2) {
                drive();
            }
            assertThat(station.channel.getEvent(Duration.ofSeconds(30))).isEqualTo(station.cq);
            station.cq.acknowledgeEvents(1);
            assertThat(tap.commands()).containsOnly(CommandType.COMPLETION_EVENT);
            assertThat(station.cq.requestNotification(false))
                    .as("completions wait")
                    .isTrue();
            station.checkArrived();
        }
    }

    @Test
    void aRequestForAnEventMovesAlongWhenTheQueueIsResized() throws Exception {
        try (Station station = new Station(served.near.open("rxe0"), memory)) {
            station.connect();
            station.cq.requestNotification(false);
            station.cq.resize(64);
            station.post();
            while (station.cq.peek(2) < 2) {
                drive();
            }
            assertThat(station.channel.getEvent(Duration.ofSeconds(30))).isEqualTo(station.cq);
            station.cq.acknowledgeEvents(1);
            station.checkArrived();
        }
    }

    @Test
    void aPostToAServerThatIsGoneFails() throws InterruptedException {
        try (Station station = new Station(served.near.open("rxe0"), memory)) {
            station.connect();
            served.server.close();
            AsyncEvent event = Objects.requireNonNull(station.context.getAsyncEvent(Duration.ofSeconds(30)));
            assertThat(event.type()).isEqualTo(EventType.DEVICE_FATAL);
            station.context.acknowledgeAsyncEvent(event);
            assertThatExceptionOfType(RdmaException.class)
                    .isThrownBy(station::post)
                    .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EIO));
            assertThatExceptionOfType(RdmaException.class)
                    .isThrownBy(() -> station.cq.requestNotification(false))
                    .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EIO));
        }
    }

    /** The test's thread is client and server. */
    @Test
    @Covers("UVERBS-54")
    void aMessageAllocatesNothingInClientAndServer() {
        try (Station station = new Station(served.near.open("rxe0"), memory)) {
            station.connect();
            long allocated = Allocations.inSteadyState("rdma4j-", () -> {
                for (int i = 0; i < MESSAGES; i++) {
                    exchange(station);
                }
            });
            assertThat(allocated).isZero();
        }
    }

    private void exchange(Station station) {
        station.qp
                .startReceive()
                .receive(1)
                .sge(station.region.lkey(), station.memory.address() + 4096, 100)
                .complete();
        station.qp
                .startSend()
                .wrId(2)
                .signaled()
                .send()
                .sge(station.region.lkey(), station.memory.address(), 100)
                .complete();
        int done = 0;
        while (done < 2) {
            drive();
            try (CompletionCursor cursor = station.cq.startPoll()) {
                while (cursor.next()) {
                    done++;
                }
            }
        }
    }

    @Test
    void aDoorbellThatIsRungBeforeTheLastLookKeepsTheServerAwake() throws IOException {
        try (Context context = served.device.open();
                SessionDoorbells doorbells = new SessionDoorbells(context, memory)) {
            Message answer = new Message(CommandType.GET_CONTEXT);
            doorbells.describe(answer);
            DoorbellPage client = page(answer);

            client.ring(5);
            assertThat(client.takeSleepers()).as("a thread looks").isFalse();
            assertThat(doorbells.beforeSleep(0)).as("a doorbell was rung").isFalse();
            doorbells.afterSleep(0);
            doorbells.poll();
            assertThat(doorbells.beforeSleep(0)).isTrue();
            client.ring(5);
            assertThat(client.takeSleepers())
                    .as("the thread has looked for the last time")
                    .isTrue();
            assertThat(client.takeSleepers()).as("it is woken once").isFalse();
        }
    }

    /** If one thread ends its sleep, the sleeper bit of the other one stays set. */
    @Test
    void theServerIsWokenWhileOneOfTwoThreadsSleeps() throws IOException {
        try (Context context = served.device.open();
                SessionDoorbells doorbells = new SessionDoorbells(context, memory)) {
            Message answer = new Message(CommandType.GET_CONTEXT);
            doorbells.describe(answer);
            DoorbellPage client = page(answer);

            assertThat(doorbells.beforeSleep(0)).isTrue();
            assertThat(doorbells.beforeSleep(1)).isTrue();
            doorbells.afterSleep(0);
            assertThat(client.takeSleepers()).isTrue();
            assertThat(doorbells.beforeSleep(0)).isTrue();
            doorbells.afterSleep(0);
            doorbells.afterSleep(1);
            assertThat(client.takeSleepers()).isFalse();
        }
    }

    @Test
    void garbageOnThePageIsCountedAndHarmsNobody() throws IOException {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        try (Station station = new Station(served.near.open("rxe0"), memory);
                Context context = served.device.open();
                SessionDoorbells doorbells = new SessionDoorbells(context, memory)) {
            station.connect();
            Message answer = new Message(CommandType.GET_CONTEXT);
            doorbells.describe(answer);
            MemorySegment page = map(answer);
            page.fill((byte) -1);
            assertThat(doorbells.isPending()).isTrue();
            drive();
            assertThat(doorbells.unknown()).isEqualTo(DoorbellPage.DOORBELLS);
            assertThat(doorbells.isPending()).isFalse();
            for (int i = 0; i < 100; i++) {
                byte[] garbage = new byte[(int) page.byteSize()];
                random.nextBytes(garbage);
                MemorySegment.copy(MemorySegment.ofArray(garbage), 0, page, 0, garbage.length);
                drive();
            }
            exchange(station);
            assertThat(doorbells.unknown()).as("seed %d", seed).isGreaterThan(DoorbellPage.DOORBELLS);
        }
    }

    @Test
    void severalQueuePairsShareADoorbellAndEachOfThemIsRung() throws IOException {
        try (Station one = new Station(served.device.open(), memory);
                Station other = new Station(served.device.open(), memory);
                SessionDoorbells doorbells = new SessionDoorbells(one.context, memory)) {
            int first = doorbells.add(one.qp);
            for (int i = 1; i < DoorbellPage.DOORBELLS; i++) {
                doorbells.remove(doorbells.add(other.qp), other.qp);
            }
            assertThat(doorbells.add(other.qp)).isEqualTo(first);
            Message answer = new Message(CommandType.GET_CONTEXT);
            doorbells.describe(answer);
            DoorbellPage client = page(answer);

            doorbells.remove(first, one.qp);
            client.ring(first);
            doorbells.poll();
            assertThat(doorbells.unknown()).as("the other one has it").isZero();
            doorbells.remove(first, other.qp);
            client.ring(first);
            doorbells.poll();
            assertThat(doorbells.unknown()).isEqualTo(1);
        }
    }
}
