// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import io.rdma4j.base.local.LocalChannel;
import io.rdma4j.base.local.LocalReceiver;
import java.io.IOException;
import java.lang.foreign.Arena;
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
        assertThat(count(a, "shm_tx_notes")).isEqualTo(2);
        assertThat(count(b, "shm_rx_notes")).isEqualTo(2);
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
    void whatAPeerLendsEndsWithItsMemory() throws IOException {
        ShmTransport a = serve(FIRST);
        ShmTransport b = serve(SECOND);
        a.receiver(new Receiver());
        b.receiver(new Receiver());
        send(a, packet(FIRST, SECOND, 100));
        visit(b);
        expect(b, 100);
        try (Arena referenced = Arena.ofShared()) {
            MemorySegment memory = a.allocate(8192, 64, referenced);
            long token = way(a, FIRST, SECOND).refer(memory, 0, 8192);
            assertThat(token).isNotEqualTo(LocalChannel.NO_REFERENCE);
            b.resolve(SECOND, FIRST, PORT);
            LocalChannel back = way(b, SECOND, FIRST);
            assertThat(back.referenced(token, 8192)).isNotNull();
            assertThat(back.referenced(token + 4096, 4096)).isNotNull();
            assertThat(back.referenced(token, 8193)).isNull();
            assertThat(back.referenced(token + 1, 8192)).isNull();
            assertThat(back.referenced(token + 4097, 4096)).isNull();
            assertThat(back.referenced(token | LocalChannel.OFFSET_MASK, 1)).isNull();
            assertThat(back.referenced(token + LocalChannel.OFFSET_MASK + 1, 1))
                    .as("of memory that is not there")
                    .isNull();
        }
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
