// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import io.rdma4j.verbs.values.Resource;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Objects of another module that are shown with those of a device, until it is closed; see
 * {@link Device#addResources}. Any thread.
 */
public final class ResourceSource implements AutoCloseable {
    private final Supplier<List<Resource>> source;
    private final Consumer<ResourceSource> removal;

    ResourceSource(Supplier<List<Resource>> source, Consumer<ResourceSource> removal) {
        this.source = source;
        this.removal = removal;
    }

    /** {@return the objects, in the order of their creation} */
    public List<Resource> resources() {
        return source.get();
    }

    /** The objects are not shown any more. Idempotent. */
    @Override
    public void close() {
        removal.accept(this);
    }
}
