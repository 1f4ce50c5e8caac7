// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.shm;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.fixtures.Packets;
import java.io.File;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A process that sends packets with payload in its own memory until it is killed. */
final class LendingProcess {
    static final int RING = 1;
    static final int BYTES = 1 << 20;

    private static final long OWNER = 0x77;
    private static final int SHORT = 60_000;

    private LendingProcess() {}

    static ShmDirectory directory(Path path) throws IOException {
        return ShmDirectory.open(path, 1);
    }

    /** Creates the ring that the process opens. */
    static MemorySegment ring(Path path, Arena arena) throws IOException {
        return directory(path).create(OWNER, RING, RingLayout.RING_BYTES, arena);
    }

    static Process start(Path path) throws IOException {
        String classes = Stream.concat(
                        Stream.of(System.getProperty("java.class.path", ""), System.getProperty("jdk.module.path", "")),
                        Stream.of("target/test-classes"))
                .filter(part -> !part.isEmpty())
                .collect(Collectors.joining(File.pathSeparator));
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        return new ProcessBuilder(java, "-cp", classes, LendingProcess.class.getName(), path.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    public static void main(String[] arguments) throws Exception {
        Path path = Path.of(arguments[0]);
        MemorySegment ring = directory(path).take(OWNER, RING, RingLayout.RING_BYTES, Arena.global());
        RingProducer producer =
                new RingProducer(ring, new OwnSegments(directory(path), OWNER), new ZeroCopyQuota(() -> {}));
        MemorySegment payload = Arena.global().allocate(BYTES);
        payload.copyFrom(MemorySegment.ofArray(Packets.random(BYTES, 1)));
        SkBuffPool pool = new SkBuffPool(16, 256);
        SkBuff asking = packet(pool, payload);
        while (!producer.readsInPlace(asking)) {
            SkBuff skb = packet(pool, payload.asSlice(0, SHORT));
            producer.offer(skb);
            skb.free();
            Thread.yield();
        }
        producer.offer(asking);
        producer.offer(packet(pool, payload));
        System.in.read();
    }

    private static SkBuff packet(SkBuffPool pool, MemorySegment payload) {
        SkBuff skb = Objects.requireNonNull(pool.allocate());
        skb.put(44);
        skb.addFrag(payload, 0, (int) payload.byteSize());
        return skb;
    }
}
