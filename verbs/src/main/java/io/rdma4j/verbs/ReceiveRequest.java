// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.core.Arguments;
import io.rdma4j.verbs.wr.ReceiveBatch;
import io.rdma4j.verbs.wr.Sge;
import java.util.List;

/**
 * A work request for a receive queue; immutable, may be posted repeatedly. Corresponds to {@code struct ibv_recv_wr}.
 *
 * @param wrId {@code wr_id}: the number in the completion
 * @param sges {@code sg_list}: memory for the message, in order; an empty list receives an empty message only
 */
public record ReceiveRequest(long wrId, List<Sge> sges) implements WorkRequest {
    /** A queue for receive requests. */
    interface Poster {
        ReceiveBatch startReceive();
    }

    /** Copies the list. */
    public ReceiveRequest {
        sges = List.copyOf(sges);
    }

    /**
     * {@return a request with these scatter/gather elements}
     *
     * @param wrId {@code wr_id}: 64 bits that the device does not interpret
     * @param sges filled in order
     */
    public static ReceiveRequest of(long wrId, Sge... sges) {
        return new ReceiveRequest(wrId, List.of(sges));
    }

    /**
     * Posts requests one after another.
     *
     * @param queue begins a batch on the queue
     * @throws BadWorkRequestException at the first rejected request; the requests before it stay posted
     */
    static void post(List<ReceiveRequest> requests, Poster queue) {
        Arguments.allPresent("requests", requests);
        for (int i = 0; i < requests.size(); i++) {
            ReceiveRequest request = requests.get(i);
            try {
                ReceiveBatch batch = queue.startReceive();
                request.addTo(batch);
                batch.complete();
            } catch (RdmaException e) {
                throw new BadWorkRequestException(i, request, e);
            }
        }
    }

    /** Writes the request into an open batch. */
    private void addTo(ReceiveBatch batch) {
        batch.receive(wrId);
        for (int i = 0; i < sges.size(); i++) { // an iterator would be garbage for each request
            Sge sge = sges.get(i);
            batch.sge(sge.lkey(), sge.address(), sge.length());
        }
    }
}
