// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.examples;

import io.rdma4j.rdmacm.AddressFlag;
import io.rdma4j.rdmacm.AddressHints;
import io.rdma4j.rdmacm.AddressInfo;
import io.rdma4j.rdmacm.ConnectParameters;
import io.rdma4j.rdmacm.RdmaCm;
import io.rdma4j.rdmacm.connection.EndpointListener;
import io.rdma4j.rdmacm.connection.RdmaEndpoint;
import io.rdma4j.rdmacm.connection.RemoteMemory;
import io.rdma4j.rdmacm.host.RdmaCmService;
import io.rdma4j.verbs.FastMemoryRegion;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.MemoryKeys;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.wr.SignalType;
import io.rdma4j.verbs.wr.WcFlag;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * A protocol as those of storage: the initiator finds a path to the target and connects. It registers the memory of
 * each command by a work request, and sends the command with the key. The target writes the block into that memory, and
 * its answer invalidates the key.
 */
public final class BlockStore {
    private static final int BLOCK = FastMemoryRegion.PAGE_BYTES;
    private static final int BLOCKS = 4;
    private static final int ANSWER = 4;

    // A command.
    private static final int NUMBER = 0;
    private static final int KEY = 4;
    private static final int ADDRESS = 8;
    private static final int COMMAND = 16;

    // No completion queues: the endpoint makes them.
    private static final QpInitAttributes ATTRIBUTES = QpInitAttributes.builder(null, null)
            .capabilities(QpCapabilities.of(4, 2))
            .signalType(SignalType.ALL_WR)
            .build();

    private BlockStore() {}

    public static void main(String[] args) throws Exception {
        RdmaCm cm = RdmaCmService.ofProcess().cm();
        AddressInfo own = AddressInfo.find("127.0.0.1", "0", AddressHints.NONE.with(AddressFlag.PASSIVE))
                .getFirst();
        try (EndpointListener listener = EndpointListener.create(cm, own, null, ATTRIBUTES);
                ExecutorService thread = Executors.newSingleThreadExecutor()) {
            listener.listen(1);
            InetSocketAddress address = listener.id().listenAddresses().getFirst();
            Future<Integer> target = thread.submit(() -> serve(listener));
            String port = String.valueOf(address.getPort());
            read(
                    cm,
                    AddressInfo.find(address.getAddress().getHostAddress(), port, null)
                            .getFirst());
            System.out.println("the target has written " + target.get() + " blocks");
        }
    }

    // The target

    private static int serve(EndpointListener listener) throws InterruptedException {
        int written = 0;
        try (RdmaEndpoint endpoint = listener.getRequest()) {
            MemoryRegion disk = endpoint.registerMessages(BLOCKS * BLOCK);
            for (int i = 0; i < BLOCKS; i++) {
                disk.segment().setString((long) i * BLOCK, "contents of block " + i);
            }
            MemoryRegion command = endpoint.registerMessages(COMMAND);
            MemoryRegion answer = endpoint.registerMessages(ANSWER);
            endpoint.postReceive(1, command.sge());
            endpoint.accept(ConnectParameters.DEFAULT);
            for (int i = 0; i < BLOCKS; i++) {
                Connection.checked(endpoint.awaitReceive());
                MemorySegment text = command.segment();
                int number = text.get(ValueLayout.JAVA_INT, NUMBER);
                int key = text.get(ValueLayout.JAVA_INT, KEY);
                RemoteMemory place = new RemoteMemory(text.get(ValueLayout.JAVA_LONG, ADDRESS), BLOCK, key);
                endpoint.postReceive(1, command.sge());
                endpoint.postWrite(2, Set.of(), place, disk.sge((long) number * BLOCK, BLOCK));
                qp(endpoint)
                        .postSend(SendRequest.sendWithInvalidate(key)
                                .sge(answer.sge())
                                .build());
                Connection.checked(endpoint.awaitSend());
                Connection.checked(endpoint.awaitSend());
                written++;
            }
            endpoint.disconnect();
        }
        return written;
    }

    // The initiator

    private static void read(RdmaCm cm, AddressInfo target) throws InterruptedException {
        try (RdmaEndpoint endpoint = RdmaEndpoint.create(cm, target, null, ATTRIBUTES);
                Arena arena = Arena.ofShared()) {
            QueuePair qp = qp(endpoint);
            MemoryRegion command = endpoint.registerMessages(COMMAND);
            MemoryRegion answer = endpoint.registerMessages(ANSWER);
            MemorySegment memory = qp.context().allocateBuffer(BLOCK, BLOCK, arena);
            endpoint.postReceive(1, answer.sge());
            endpoint.connect(ConnectParameters.DEFAULT);
            try (FastMemoryRegion region = qp.protectionDomain().allocateFastRegion(1)) {
                int key = region.key();
                for (int number = BLOCKS - 1; number >= 0; number--) {
                    key = MemoryKeys.next(key);
                    region.map(List.of(memory));
                    qp.postSend(SendRequest.registerMemory(
                                    region, key, Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE))
                            .build());
                    command.segment().set(ValueLayout.JAVA_INT, NUMBER, number);
                    command.segment().set(ValueLayout.JAVA_INT, KEY, key);
                    command.segment().set(ValueLayout.JAVA_LONG, ADDRESS, region.iova());
                    endpoint.postSend(2, Set.of(), command.sge());
                    Connection.checked(endpoint.awaitSend());
                    Connection.checked(endpoint.awaitSend());
                    WorkCompletion done = Connection.checked(endpoint.awaitReceive());
                    endpoint.postReceive(1, answer.sge());
                    System.out.println("block " + number + ": " + memory.getString(0) + "; key invalidated: "
                            + done.flags().contains(WcFlag.WITH_INV));
                }
            }
            endpoint.disconnect();
        }
    }

    private static QueuePair qp(RdmaEndpoint endpoint) {
        return Objects.requireNonNull(endpoint.id().qp(), "an endpoint has a queue pair");
    }
}
