// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.transport.memory.RegionKey;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.wr.SendBatch;
import io.rdma4j.wire.Operation;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Memory of a mapped file whose pages are gone: the access ends in SIGBUS, of which the JVM makes an InternalError. */
class MemoryFaultTest {
    private static final int BYTES = 1 << 20;

    @TempDir
    Path folder;

    /** Memory of {@code side}, registered, behind the end of its file, which was cut afterwards. */
    private TestRegion cut(Arena arena, Endpoint side) throws IOException {
        try (FileChannel channel = FileChannel.open(
                folder.resolve("file"), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MemorySegment memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, BYTES, arena);
            channel.truncate(0);
            RegionKey key = side.keys.register(side.protectionDomain, memory, memory.address(), Endpoint.ALL_RIGHTS);
            return new TestRegion(key, memory);
        }
    }

    private static void post(EnginePair pair, Operation operation, TestRegion target) {
        TestRegion local = pair.a.region(4096);
        SendBatch batch = pair.a.sends().wrId(1);
        switch (operation) {
            case FETCH_ADD ->
                batch.atomicFetchAdd(target.lkey(), target.address(), 1)
                        .sge(local.lkey(), local.address(), 8)
                        .complete();
            case ATOMIC_WRITE ->
                batch.atomicWrite(target.lkey(), target.address(), 1).complete();
            default ->
                batch.rdmaWrite(target.lkey(), target.address())
                        .sge(local.lkey(), local.address(), 4096)
                        .complete();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"WRITE", "FETCH_ADD", "ATOMIC_WRITE"})
    void aRequestForMemoryThatIsGoneEndsItsQueuePairWithARemoteOperationalError(Operation operation)
            throws IOException {
        try (EnginePair pair = EnginePair.rdma();
                Arena arena = Arena.ofShared()) {
            post(pair, operation, cut(arena, pair.b));
            pair.run();
            assertThat(pair.a.sendResults()).containsExactly("1 REM_OP_ERR");
            assertThat(pair.b.state()).isEqualTo(QpState.ERR);
            assertThat(pair.b.events).containsExactly(EventType.QP_FATAL);
        }
    }

    @Test
    void aReceiveIntoMemoryThatIsGoneCompletesWithAProtectionError() throws IOException {
        try (EnginePair pair = EnginePair.rdma();
                Arena arena = Arena.ofShared()) {
            pair.b.receive(7, cut(arena, pair.b).first(4096));
            pair.postSends(1, 4096);
            pair.run();
            assertThat(pair.a.sendResults()).containsExactly("0 REM_OP_ERR");
            assertThat(pair.b.receiveResults()).containsExactly("7 LOC_PROT_ERR");
            assertThat(pair.b.state()).isEqualTo(QpState.ERR);
        }
    }

    @Test
    void anAnswerForMemoryThatIsGoneCompletesWithAProtectionError() throws IOException {
        try (EnginePair pair = EnginePair.rdma();
                Arena arena = Arena.ofShared()) {
            TestRegion source = pair.b.shared(4096);
            pair.a.read(1, source.first(0), cut(arena, pair.a).first(4096));
            pair.run();
            assertThat(pair.a.sendResults()).containsExactly("1 LOC_PROT_ERR");
            assertThat(pair.a.state()).isEqualTo(QpState.ERR);
            assertThat(pair.b.state()).isEqualTo(QpState.RTS);
        }
    }
}
