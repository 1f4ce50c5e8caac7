// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.endpoint.Transitions;
import io.rdma4j.verbs.CompletionChannel;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** A program with a queue pair that is connected to itself, and memory that other processes can map. */
final class Station implements AutoCloseable {
    static final int BYTES = 8192;

    private final Arena arena = Arena.ofShared();
    final Context context;
    final ProtectionDomain pd;
    final CompletionChannel channel;
    final CompletionQueue cq;
    final QueuePair qp;
    final MemorySegment memory;
    final MemoryRegion region;

    Station(Context context, Path folder) {
        this.context = context;
        this.pd = context.allocatePd();
        this.channel = context.createCompletionChannel();
        this.cq = context.createCq(16, channel);
        this.qp = pd.createQp(QpInitAttributes.builder(cq)
                .capabilities(new QpCapabilities(7, 7, 2, 2, 64))
                .build());
        this.memory = map(folder, arena);
        this.region = pd.registerMemory(
                memory, Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ));
    }

    static MemorySegment map(Path folder, Arena arena) {
        try {
            Path file = Files.createTempFile(folder, "memory", "");
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                return channel.map(FileChannel.MapMode.READ_WRITE, 0, BYTES, arena);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void connect() {
        connect(qp.qpn());
    }

    void connect(int peer) {
        connect(context, qp, peer);
    }

    static void connect(Context context, QueuePair qp, int peer) {
        AddressVector path = AddressVector.roce(1, context.queryGid(1, 0), 0);
        Transitions.connect(
                qp, Set.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ), LinkSetup.DEFAULT.firstPsn(1), peer, path);
    }

    /** Sends a message from the first half of the memory to the second. */
    void post() {
        memory.setString(0, "through the rings");
        qp.postReceive(ReceiveRequest.of(1, region.sge(BYTES / 2, 100)));
        qp.postSend(
                SendRequest.send().sge(region.sge(0, 100)).wrId(2).signaled().build());
    }

    void checkArrived() {
        List<WorkCompletion> done = new ArrayList<>();
        while (done.size() < 2) {
            done.addAll(cq.poll(2));
        }
        assertThat(done).allMatch(completion -> completion.status() == WcStatus.SUCCESS);
        assertThat(done).extracting(WorkCompletion::wrId).containsExactlyInAnyOrder(1L, 2L);
        assertThat(memory.getString(BYTES / 2)).isEqualTo("through the rings");
        memory.set(ValueLayout.JAVA_BYTE, BYTES / 2, (byte) 0);
    }

    @Override
    public void close() {
        qp.close();
        region.close();
        cq.close();
        channel.close();
        pd.close();
        context.close();
        arena.close();
    }
}
