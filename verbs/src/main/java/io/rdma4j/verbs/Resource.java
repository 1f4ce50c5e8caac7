package io.rdma4j.verbs;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A live object of a device as its register knows it, of one moment. Answers to {@code struct rdma_restrack_entry}; immutable.
 *
 * @param kind what it is
 * @param id its number at the device; for a queue pair that is the QPN
 * @param owner who opened the context that it was made from
 * @param details the rest under the names of {@code rdma resource show}, in its order; numbers of other objects are theirs in
 *     the register
 */
public record Resource(ResourceKind kind, int id, Owner owner, Map<String, Object> details) {
    /** Copies the map. */
    public Resource {
        details = Collections.unmodifiableMap(new LinkedHashMap<>(details));
    }
}
