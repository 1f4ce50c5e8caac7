// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import io.rdma4j.base.local.LinkRing;
import io.rdma4j.base.local.LocalChannel;
import io.rdma4j.base.local.LocalReceiver;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Local messages between two devices, as between two processes. */
class ShmLocalMessageTest extends SharedMemoryEnds {
    /** Receives local messages, and counts their bytes. */
    private static final class Receiver implements LocalReceiver {
        boolean open = true;
        int bytes;

        @Nullable
        LocalChannel back;

        boolean pending;
        int closed;

        @Override
        public boolean isOpen() {
            return open;
        }

        @Override
        public boolean receive(LocalChannel way, MemorySegment memory, long at, int length) {
            back = way;
            bytes += length;
            return memory.get(ValueLayout.JAVA_BYTE, at) == 7;
        }

        @Override
        public boolean isPending() {
            return pending;
        }

        @Override
        public void closed(LocalChannel channel) {
            closed++;
        }
    }

    private static void note(LocalChannel way, int first, int bytes) {
        long at = way.begin(bytes);
        way.memory().set(ValueLayout.JAVA_BYTE, at, (byte) first);
        way.send(bytes);
        way.flush();
    }

    private static LocalChannel way(ShmTransport from, Gid source, Gid destination) {
        return Objects.requireNonNull(from.channel(source, destination, PORT));
    }

    @Test
    void aPeerThatTakesNotesGetsThemOnceItWasFound() throws IOException {
        ShmTransport a = serve(FIRST);
        ShmTransport b = serve(SECOND);
        Receiver taker = new Receiver();
        b.receiver(taker);
        assertThat(a.channel(FIRST, SECOND, PORT)).as("before the first packet").isNull();
        send(a, packet(FIRST, SECOND, 100));
        visit(b);
        expect(b, 100);
        LocalChannel way = way(a, FIRST, SECOND);
        assertThat(way.source()).isEqualTo(FIRST);
        assertThat(way.destination()).isEqualTo(SECOND);
        assertThat(b.channel(SECOND, FIRST, PORT)).as("to who takes none").isNull();
        note(way, 7, 50);
        note(way, 7, 3);
        assertThat(b.receive()).isNull();
        assertThat(taker.bytes).isEqualTo(53);
        assertThat(Objects.requireNonNull(taker.back).source()).isEqualTo(SECOND);
        assertThat(taker.back.destination()).isEqualTo(FIRST);
        assertThat(count(b, "shm_rx_packets")).isEqualTo(1);
    }

    @Test
    void aReceiverThatClosesGetsNoMoreNotesSoonAndAgainWhenItOpens() throws IOException {
        ShmTransport a = serve(FIRST);
        ShmTransport b = serve(SECOND);
        Receiver taker = new Receiver();
        b.receiver(taker);
        send(a, packet(FIRST, SECOND, 100));
        visit(b);
        expect(b, 100);
        for (boolean open : new boolean[] {false, true, false}) {
            taker.open = open;
            visit(b);
            assertThat(a.channel(FIRST, SECOND, PORT) != null).isEqualTo(open);
        }
        taker.open = true;
        visit(b);
        LocalChannel way = way(a, FIRST, SECOND);
        b.receiver(null);
        assertThat(a.channel(FIRST, SECOND, PORT)).isNull();
        note(way, 7, 50);
        assertThat(b.receive()).isNull();
        assertThat(taker.bytes).as("what was under way is lost").isZero();
        assertThat(send(a, packet(FIRST, SECOND, 200))).isTrue();
        expect(b, 200);
    }

    @Test
    void eachEndReadsTheLinkRingsThatTheOtherWrites() throws IOException {
        ShmTransport a = serve(FIRST);
        ShmTransport b = serve(SECOND);
        a.receiver(new Receiver());
        b.receiver(new Receiver());
        a.resolve(FIRST, SECOND, PORT);
        visit(b);
        visit(a);
        LocalChannel one = way(a, FIRST, SECOND);
        LocalChannel other = way(b, SECOND, FIRST);
        for (int i = 0; i < LinkRing.COUNT; i++) {
            for (long at = 0; at < LinkRing.BYTES; at += LinkRing.BYTES - Long.BYTES) {
                one.linkRing(true, i).set(ValueLayout.JAVA_LONG, at, 1000 + i + at);
                other.linkRing(true, i).set(ValueLayout.JAVA_LONG, at, 2000 + i + at);
            }
        }
        for (int i = 0; i < LinkRing.COUNT; i++) {
            for (long at = 0; at < LinkRing.BYTES; at += LinkRing.BYTES - Long.BYTES) {
                assertThat(other.linkRing(false, i).get(ValueLayout.JAVA_LONG, at))
                        .isEqualTo(1000 + i + at);
                assertThat(one.linkRing(false, i).get(ValueLayout.JAVA_LONG, at))
                        .isEqualTo(2000 + i + at);
            }
        }
    }

    @Test
    void aPendingLinkRingPreventsSleep() throws IOException {
        ShmTransport a = serve(FIRST);
        ShmTransport b = serve(SECOND);
        Receiver receiver = new Receiver();
        b.receiver(receiver);
        a.resolve(FIRST, SECOND, PORT);
        visit(b);
        LocalChannel way = way(a, FIRST, SECOND);
        assertThat(way.isPeerAsleep()).isFalse();
        assertThat(b.fallAsleep()).isTrue();
        assertThat(way.isPeerAsleep()).isTrue();
        b.wakeUp();
        receiver.pending = true;
        assertThat(b.fallAsleep()).isFalse();
        b.wakeUp();
    }

    @Test
    void theReceiverLearnsThatAChannelHasEnded() throws IOException {
        ShmTransport a = serve(FIRST);
        ShmTransport b = serve(SECOND);
        Receiver receiver = new Receiver();
        b.receiver(receiver);
        a.resolve(FIRST, SECOND, PORT);
        visit(b);
        a.close();
        visit(b);
        assertThat(receiver.closed).isEqualTo(1);
    }

    @Test
    void nonsenseInANoteEndsTheWay() throws IOException {
        ShmTransport a = serve(FIRST);
        ShmTransport b = serve(SECOND);
        b.receiver(new Receiver());
        send(a, packet(FIRST, SECOND, 100));
        visit(b);
        expect(b, 100);
        note(way(a, FIRST, SECOND), 6, 50);
        assertThat(b.receive()).isNull();
        visit(b);
        assertThat(count(b, "shm_channels")).isZero();
        visit(a);
        assertThat(a.channel(FIRST, SECOND, PORT)).isNull();
    }

    @Test
    void aNoteWakesAPeerThatSleeps() throws IOException {
        ShmTransport a = serve(FIRST);
        ShmTransport b = serve(SECOND);
        b.receiver(new Receiver());
        send(a, packet(FIRST, SECOND, 100));
        visit(b);
        expect(b, 100);
        long before = count(a, "shm_wake_ups");
        assertThat(b.fallAsleep()).isTrue();
        note(way(a, FIRST, SECOND), 7, 50);
        assertThat(count(a, "shm_wake_ups")).isEqualTo(before + 1);
        b.wakeUp();
        assertThat(b.fallAsleep()).as("with a note that waits").isFalse();
        b.wakeUp();
        assertThat(b.receive()).isNull();
        assertThat(b.fallAsleep()).isTrue();
        b.wakeUp();
    }

    @Test
    void destinationsWithAChannelStayKnownWhenANewProcessLooksIn() throws IOException {
        ShmTransport a = serve(FIRST);
        ShmTransport b = serve(SECOND);
        a.receiver(new Receiver());
        b.receiver(new Receiver());
        a.resolve(FIRST, SECOND, PORT);
        visit(b);
        assertThat(a.channel(FIRST, SECOND, PORT)).isNotNull();
        assertThat(b.channel(SECOND, FIRST, PORT)).as("of who was visited").isNotNull();
        serve(Gid.parse("127.0.0.73"));
        visit(a);
        visit(b);
        assertThat(a.channel(FIRST, SECOND, PORT)).isNotNull();
        assertThat(b.channel(SECOND, FIRST, PORT)).isNotNull();
    }
}
