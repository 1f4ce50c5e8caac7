// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.values;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A snapshot of an object in the resource register of a device; immutable. Corresponds to
 * {@code struct rdma_restrack_entry}.
 *
 * @param kind kind of the object
 * @param id its number at the device; for a queue pair the QPN
 * @param owner the task that opened the object's context
 * @param details further values with the names and the order of {@code rdma resource show}; other objects appear with
 *     their numbers in the register
 */
public record Resource(ResourceKind kind, int id, Owner owner, Map<String, Object> details) {
    /** Copies the map. */
    public Resource {
        details = Collections.unmodifiableMap(new LinkedHashMap<>(details));
    }
}
