// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.state;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.core.ObjectKind;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.values.QpType;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Counts queue pairs for raw datagrams by their type, in addition to their count as queue pairs (IBA 11.2.1.2). */
public final class RawQuota {
    private record Kind(ObjectKind kind, DeviceLimit limit) {}

    private RawQuota() {}

    private static @Nullable Kind kind(QpType type) {
        return switch (type) {
            case RAW_IPV6 -> new Kind(ObjectKind.RAW_IPV6_QUEUE_PAIR, DeviceLimit.MAX_RAW_IPV6_QP);
            case RAW_ETHERTYPE -> new Kind(ObjectKind.RAW_ETHERTYPE_QUEUE_PAIR, DeviceLimit.MAX_RAW_ETHY_QP);
            default -> null;
        };
    }

    /**
     * Counts a queue pair at the device; reverts the count if the creation fails.
     *
     * @throws RdmaException EOPNOTSUPP if the device does not support the type, ENOMEM at its limit
     */
    public static <T> T create(ContextState context, QpType type, Supplier<T> maker) {
        Kind raw = kind(type);
        if (raw == null) {
            return maker.get();
        }
        if (context.queryDevice().limit(raw.limit()) == 0) {
            throw new RdmaException(
                    Errno.EOPNOTSUPP,
                    "no queue pairs of type " + type + " on "
                            + context.admission().device() + ": its "
                            + raw.limit().label() + " is 0");
        }
        return context.admission().count(raw.kind(), raw.limit(), maker);
    }

    /** Removes a closed queue pair from the count. */
    public static void destroyed(ContextState context, QpType type) {
        Kind raw = kind(type);
        if (raw != null) {
            context.quota().give(raw.kind());
        }
    }
}
