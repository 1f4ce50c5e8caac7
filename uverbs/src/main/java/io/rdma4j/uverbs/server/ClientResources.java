// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import io.rdma4j.uverbs.abi.CommandAttribute;
import io.rdma4j.uverbs.abi.CommandType;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.uverbs.abi.ResourceCodec;
import io.rdma4j.verbs.values.Owner;
import io.rdma4j.verbs.values.Resource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Asks a client for the objects of its other modules, such as ids of rdma_cm, which exist in the client only. Any
 * thread.
 */
final class ClientResources implements AutoCloseable {
    /** Time limit for the answer, ms: a client may be suspended. */
    private static final long LIMIT_MS = 1000;

    private final SessionEvents events;
    private final Owner owner;
    private final AtomicLong lastNumber = new AtomicLong();
    private final Map<Long, CompletableFuture<List<Resource>>> waiting = new ConcurrentHashMap<>();

    /** @param owner the client */
    ClientResources(SessionEvents events, Owner owner) {
        this.events = events;
        this.owner = owner;
    }

    void addTo(CommandTable table) {
        table.add(CommandType.REPORT_RESOURCES, (request, _) -> report(request));
    }

    /** Asks the client; completes with its objects, or with none after the time limit. */
    CompletableFuture<List<Resource>> query() {
        long number = lastNumber.incrementAndGet();
        CompletableFuture<List<Resource>> answer = new CompletableFuture<>();
        waiting.put(number, answer);
        events.tell(new Message(CommandType.RESOURCES_EVENT).putLong(CommandAttribute.USER_HANDLE, number));
        return answer.completeOnTimeout(List.of(), LIMIT_MS, TimeUnit.MILLISECONDS)
                .whenComplete((_, _) -> waiting.remove(number));
    }

    private void report(Message request) {
        CompletableFuture<List<Resource>> answer = waiting.get(request.getLong(CommandAttribute.USER_HANDLE));
        if (answer != null) {
            List<Resource> reported = List.of();
            try {
                // The owner is the client, whatever the client says.
                reported = ResourceCodec.decode(request.getBytes(CommandAttribute.RESOURCES)).stream()
                        .map(each -> new Resource(each.kind(), each.id(), owner, each.details()))
                        .toList();
            } finally {
                answer.complete(reported);
            }
        }
    }

    /** The client has ended. */
    @Override
    public void close() {
        waiting.values().forEach(answer -> answer.complete(List.of()));
    }
}
