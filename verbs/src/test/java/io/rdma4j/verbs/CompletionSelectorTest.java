// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import static io.rdma4j.verbs.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.testing.ledger.Covers;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 30, unit = TimeUnit.SECONDS)
class CompletionSelectorTest {
    private final Fixture first = new Fixture();
    private final Fixture second = new Fixture();
    private final Line one = new Line(first);
    private final Line other = new Line(second);
    private final CompletionSelector selector = CompletionSelector.open();

    /** A channel with a completion queue, and a peer whose message completes a receive of that queue. */
    private static final class Line {
        final CompletionChannel channel;
        final CompletionQueue cq;
        final QueuePair qp;
        final QueuePair peer;

        Line(Fixture fixture) {
            channel = fixture.context.createCompletionChannel();
            cq = fixture.context.createCq(16, channel);
            qp = fixture.qp(cq);
            peer = fixture.qp(fixture.context.createCq(16));
            Fixture.connect(qp, peer);
            Fixture.connect(peer, qp);
        }

        void deliver() {
            cq.requestNotification(false);
            qp.postReceive(ReceiveRequest.of(1));
            peer.postSend(SendRequest.send().build());
        }

        void fetch() throws InterruptedException {
            assertThat(channel.getEvent(Duration.ZERO)).isSameAs(cq);
            cq.acknowledgeEvents(1);
        }
    }

    /** Channels of two hosts can be added to one selector. */
    @Test
    void channelsWithEventsAreSelectedUntilTheyAreFetched() throws InterruptedException {
        selector.add(one.channel);
        selector.add(other.channel);
        assertThat(selector.select(Duration.ZERO)).isEmpty();

        other.deliver();
        assertThat(selector.select()).containsExactly(other.channel);
        one.deliver();
        assertThat(selector.select(ChronoUnit.FOREVER.getDuration())).containsExactly(one.channel, other.channel);

        other.fetch();
        assertThat(selector.select()).containsExactly(one.channel);
        one.fetch();
        assertThat(selector.select(Duration.ZERO)).isEmpty();
    }

    @Test
    void aThreadSleepsUntilOneOfThemHasSomethingAndHasAnnouncedThatToAllDevices() throws Exception {
        selector.add(one.channel);
        selector.add(other.channel);
        CompletableFuture<List<CompletionChannel>> selected = selecting();
        while (first.device.sleepers() == 0 || second.device.sleepers() == 0) {
            Thread.onSpinWait();
        }
        assertThat(selected).isNotDone();

        other.deliver();

        assertThat(selected.get()).containsExactly(other.channel);
        other.fetch();
    }

    private CompletableFuture<List<CompletionChannel>> selecting() {
        CompletableFuture<List<CompletionChannel>> selected = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                selected.complete(selector.select());
            } catch (InterruptedException | RuntimeException e) {
                selected.completeExceptionally(e);
            }
        });
        return selected;
    }

    private void awaitSleeper() {
        while (first.device.sleepers() == 0) {
            Thread.onSpinWait();
        }
    }

    @Test
    void wakingUpAndTimeoutsSelectNothing() throws Exception {
        selector.add(one.channel);
        CompletableFuture<List<CompletionChannel>> selected = selecting();
        awaitSleeper();
        selector.wakeup();
        assertThat(selected.get()).isEmpty();
        assertThat(selector.select(Duration.ofMillis(5))).isEmpty();
    }

    @Test
    void aChannelThatIsTakenOutOrClosedIsNotSelected() throws InterruptedException {
        CompletionChannel unused = first.context.createCompletionChannel();
        selector.add(one.channel);
        selector.add(unused);
        one.deliver();
        selector.remove(one.channel);
        unused.close();
        assertThat(selector.select(Duration.ofMillis(5))).isEmpty();
        assertRefused(Errno.EINVAL, "is closed", () -> selector.add(unused));

        selector.add(one.channel);
        assertThat(selector.select()).containsExactly(one.channel);
        one.fetch();
    }

    @Test
    @Covers("GEN-36")
    void aThreadWaitsForCompletionsAndForSocketsAtOnce() throws Exception {
        try (ServerSocketChannel server =
                        ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                Selector sockets = Selector.open();
                SocketChannel client = SocketChannel.open()) {
            server.configureBlocking(false);
            server.register(sockets, SelectionKey.OP_ACCEPT);
            selector.add(one.channel);
            assertThat(selector.select(sockets, Duration.ZERO)).isEmpty();
            assertThat(sockets.selectedKeys()).isEmpty();

            CompletableFuture<List<CompletionChannel>> selected = selecting(sockets);
            awaitSleeper();
            one.deliver();
            assertThat(selected.get()).containsExactly(one.channel);
            assertThat(sockets.selectedKeys()).isEmpty();
            one.fetch();

            selected = selecting(sockets);
            client.connect(server.getLocalAddress());
            assertThat(selected.get()).isEmpty();
            assertThat(sockets.selectedKeys()).hasSize(1);
        }
    }

    /** Waits on until there is something: a wake-up of the event before may be left in the NIO selector. */
    private CompletableFuture<List<CompletionChannel>> selecting(Selector sockets) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                List<CompletionChannel> ready = List.of();
                while (ready.isEmpty() && sockets.selectedKeys().isEmpty()) {
                    ready = selector.select(sockets, ChronoUnit.FOREVER.getDuration());
                }
                return ready;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    @Test
    void aChannelIsInOneSelector() {
        selector.add(one.channel);
        selector.add(one.channel);
        CompletionSelector rival = CompletionSelector.open();
        assertRefused(Errno.EBUSY, "another selector", () -> rival.add(one.channel));
        selector.remove(one.channel);
        rival.add(one.channel);
        rival.close();
    }

    @Test
    void closingWakesThoseWhoWait() {
        selector.add(one.channel);
        CompletableFuture<List<CompletionChannel>> selected = selecting();
        awaitSleeper();
        selector.close();
        selector.close();
        assertThatThrownBy(selected::join)
                .isInstanceOf(CompletionException.class)
                .hasMessageContaining("is closed");
        assertRefused(Errno.EINVAL, "is closed", () -> selector.add(other.channel));
    }

    /**
     * More sleeping threads than carriers, on a channel each and on a selector: a pinned carrier would appear in the
     * recording.
     */
    @Test
    @Covers("CQ-22")
    void virtualThreadsThatWaitHoldNoCarrier(@TempDir Path folder) throws Exception {
        int sleepers = 4 * Runtime.getRuntime().availableProcessors();
        CountDownLatch done = new CountDownLatch(sleepers);
        Path file = folder.resolve("pinned.jfr");
        try (Recording recording = new Recording()) {
            recording.enable("jdk.VirtualThreadPinned").withoutThreshold();
            recording.start();
            List<CompletionChannel> channels = new ArrayList<>();
            for (int i = 0; i < sleepers; i++) {
                CompletionChannel channel = first.context.createCompletionChannel();
                channels.add(channel);
                boolean selects = i % 2 == 0;
                Thread.ofVirtual().start(() -> {
                    sleepOn(channel, selects);
                    done.countDown();
                });
            }
            while (first.device.sleepers() < sleepers) {
                Thread.onSpinWait();
            }
            channels.forEach(CompletionChannel::close);
            done.await();
            recording.dump(file);
        }
        List<RecordedEvent> pinned = RecordingFile.readAllEvents(file).stream()
                .filter(event -> String.valueOf(event.getStackTrace()).contains("io.rdma4j"))
                .toList();
        assertThat(pinned).isEmpty();
    }

    private static void sleepOn(CompletionChannel channel, boolean selects) {
        try (CompletionSelector own = CompletionSelector.open()) {
            if (selects) {
                own.add(channel);
                own.select();
            } else {
                channel.getEvent();
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        } catch (RdmaException e) {
            // the channel was closed
        }
    }
}
