// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.links.LinkProfile;
import io.rdma4j.testing.sim.fuzz.PacketForge;
import io.rdma4j.testing.sim.fuzz.PacketForge.Aim;
import io.rdma4j.testing.sim.program.GuardedMemory;
import io.rdma4j.testing.sim.run.FuzzRun;
import io.rdma4j.wire.roce.RocePacket;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Proves that forged packets do no harm, and that the checkers detect harm. */
class FuzzTest {
    private static final LinkProfile BAD = LinkProfile.PERFECT.withLoss(0.05).withReordering(0.05, 50_000);

    private final Arena arena = Arena.ofConfined();
    private final GuardedMemory memory = new GuardedMemory(arena, 1 << 16);

    @AfterEach
    void close() {
        arena.close();
    }

    private static RunResult run(long seed) {
        return new FuzzRun(SimScenario.of(seed).withLink(BAD).withMessages(10)).run();
    }

    @Test
    void forgedPacketsNeitherThrowNorChangeNorShowNorLeakAnything() {
        long refused = 0;
        for (int seed = 0; seed < 15; seed++) {
            RunResult result = run(seed);
            assertThat(result.violations()).as("seed %d", seed).isEmpty();
            assertThat(result.messages()).isBetween(1000, 1010);
            refused += result.badPackets();
        }
        assertThat(refused).isGreaterThan(1000);
    }

    @Test
    void theSameSeedForgesTheSamePackets() {
        assertThat(run(5).traceHash()).isEqualTo(run(5).traceHash());
    }

    @Test
    void mostForgedPacketsAreSoundEnoughToReachAQueuePair() {
        AtomicInteger sound = new AtomicInteger();
        AtomicInteger all = new AtomicInteger();
        PacketForge forge = new PacketForge(new SplittableRandom(1));
        try (Pair pair = new Pair(Pair.connection(10, 7, 7))) {
            forge.aimAt(pair.receiver.queuePairs(), List.of(new Aim(0x100, 0, 100)));
            pair.there().hook(packet -> {
                forge.learn(packet);
                MemorySegment forged = forge.forge();
                all.incrementAndGet();
                boolean isSound = forged.byteSize() > 0
                        && RocePacket.checkNetwork(forged, 0, (int) forged.byteSize())
                                .isOk();
                sound.addAndGet(isSound ? 1 : 0);
                return true;
            });
            for (int i = 0; i < 12; i++) {
                pair.postReceive(i);
                pair.postSend(i, 20_000);
            }
            pair.run();
        }
        assertThat(all.get()).isGreaterThan(100);
        assertThat(sound.get()).isBetween(all.get() / 3, all.get() - 1);
    }

    @Test
    void memoryThatChangesWithoutAKeyIsFound() {
        MemorySegment open = memory.take(100);
        memory.mayChange(open);
        open.fill((byte) 1);
        assertThat(memory.difference()).isEmpty();
        MemorySegment shut = memory.take(100);
        shut.asSlice(99, 1).fill((byte) 1);
        assertThat(memory.difference()).contains("1 bytes from");
    }

    @Test
    void whatPeersMaySeeIsNoSecret() {
        MemorySegment secret = memory.take(100);
        assertThat(GuardedMemory.givesAway(secret)).isTrue();
        assertThat(GuardedMemory.givesAway(secret.asSlice(0, 15))).isFalse();
        memory.maySee(secret);
        assertThat(GuardedMemory.givesAway(secret)).isFalse();
        assertThat(memory.difference()).isEmpty();
    }
}
