package io.rdma4j.verbs;

import java.util.List;

/**
 * A request for a receive queue. Answers to {@code struct ibv_recv_wr}; immutable, may be posted many times.
 *
 * @param wrId {@code wr_id}: the number that the completion carries
 * @param sges {@code sg_list}: where the message goes, in order; none takes an empty message only
 */
public record ReceiveRequest(long wrId, List<Sge> sges) implements WorkRequest {
    public ReceiveRequest {
        sges = List.copyOf(sges);
    }

    /** A request with these pieces of memory. */
    public static ReceiveRequest of(long wrId, Sge... sges) {
        return new ReceiveRequest(wrId, List.of(sges));
    }

    /** Writes the request into an open batch. */
    void addTo(ReceiveBatch batch) {
        batch.receive(wrId);
        for (int i = 0; i < sges.size(); i++) { // an iterator would be garbage for each request
            Sge sge = sges.get(i);
            batch.sge(sge.lkey(), sge.address(), sge.length());
        }
    }
}
