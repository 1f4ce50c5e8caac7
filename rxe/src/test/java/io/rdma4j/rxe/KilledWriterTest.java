// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpAddress;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.values.AccessFlag;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A process that writes to memory of this one is killed or stopped at any moment. */
class KilledWriterTest {
    private static final int ADDRESS = 70;
    private static final int MOST_CHANGES = 200;
    private static final Set<AccessFlag> SHARED = Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);

    private final UdpPair pair = new UdpPair(
            ADDRESS + 2, RxeOptions.DEFAULT.withSharedMemory(true), EndpointSetup.DEFAULT, LinkSetup.DEFAULT);

    @AfterEach
    void close() {
        pair.close();
    }

    private static void awaitChanges(MemorySegment memory, int number) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        byte last = 0;
        for (int i = 0; i < number && System.nanoTime() - end < 0; ) {
            byte now = memory.get(ValueLayout.JAVA_BYTE, 0);
            i += now == last ? 0 : 1;
            last = now;
        }
        assertThat(System.nanoTime() - end).as("time over").isNegative();
    }

    @ParameterizedTest
    @ValueSource(strings = {"KILL", "STOP"})
    void aDeregistrationEndsItsWrites(String signal) throws Exception {
        Context context = pair.second();
        try (ProtectionDomain pd = context.allocatePd();
                MemoryRegion target = pd.allocateMemory(WritingProcess.BYTES, SHARED);
                CompletionQueue cq = context.createCq(16);
                QueuePair qp = pd.createQp(QpInitAttributes.builder(cq).build())) {
            MemorySegment memory = target.segment();
            MemoryRegion region = pd.registerMemory(memory, SHARED);
            QpAddress own = QpAddress.of(qp);
            Process process = WritingProcess.start(ADDRESS, own, region);
            try {
                QpAddress peer = WritingProcess.address(process);
                qp.connect(own, peer);
                WritingProcess.go(process);
                awaitChanges(memory, 1 + ThreadLocalRandom.current().nextInt(MOST_CHANGES));
                send(signal, process);
                region.close();
                byte[] bytes = memory.toArray(ValueLayout.JAVA_BYTE);
                send("CONT", process);
                assertThat(process.onExit().get(60, TimeUnit.SECONDS).exitValue())
                        .isNotZero();
                // A stopped process may write the rest of its message when it goes on.
                if (signal.equals("KILL")) {
                    assertThat(memory.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(bytes);
                }
            } finally {
                process.destroyForcibly().waitFor();
            }
        }
        pair.b.postReceive(1, 0, 10);
        pair.a.postSend(2, 0, 10);
        Progress.awaitMessage(pair.a.sendCq, pair.b.receiveCq);
    }

    private static void send(String signal, Process process) throws Exception {
        new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid()))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
    }
}
