// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.state;

import io.rdma4j.verbs.core.Lifecycle;
import io.rdma4j.verbs.core.ObjectKind;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.spi.PdOps;
import java.util.function.Supplier;

/**
 * The state behind a protection domain that its objects use.
 *
 * @param context the context that it was created from
 * @param life counts the objects of the domain
 * @param ops the provider's part
 */
public record DomainState(ContextState context, Lifecycle life, PdOps ops) {
    /** Creates an object, and counts it at the domain, the context and the device. */
    public <T> T create(ObjectKind kind, DeviceLimit limit, Supplier<T> maker) {
        return life.admit(kind, () -> context.admission().create(kind, limit, maker));
    }

    /** Removes an object from the counts that {@link #create} has incremented. */
    public void destroyed(ObjectKind kind, Object object) {
        life.release(kind);
        context.admission().destroyed(kind, object);
    }
}
