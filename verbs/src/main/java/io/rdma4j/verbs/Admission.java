package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.Arrays;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Checks, before an object is created, that the device supports it and that its limit is not reached. Any thread. */
final class Admission {
    private final Context context;

    Admission(Context context) {
        this.context = context;
    }

    /** @throws RdmaException EOPNOTSUPP if the device's limit is 0 */
    void require(DeviceLimit limit) {
        if (context.queryDevice().limit(limit) == 0) {
            throw new RdmaException(
                    Errno.EOPNOTSUPP, context.device() + " has none of these: its " + limit.label() + " is 0");
        }
    }

    /** @throws RdmaException EOPNOTSUPP if the device has none of the capabilities */
    void require(DeviceCapability... oneOf) {
        DeviceAttributes attributes = context.queryDevice();
        for (DeviceCapability capability : oneOf) {
            if (attributes.has(capability)) {
                return;
            }
        }
        throw new RdmaException(
                Errno.EOPNOTSUPP,
                context.device() + " lacks the capability "
                        + Arrays.stream(oneOf).map(Enum::name).collect(Collectors.joining(" or ")));
    }

    /**
     * Counts a new object at the device and the context, creates it, and adds it to the device's register. If the
     * creation fails, the counts are restored.
     *
     * @throws RdmaException ENOMEM if the device's limit is reached
     */
    <T> T create(ObjectKind kind, DeviceLimit limit, Supplier<T> maker) {
        return count(kind, limit, () -> {
            T made = context.life().admit(kind, maker);
            context.device().register().add(kind, made, context);
            return made;
        });
    }

    /** As {@link #create}, but counts the object at the device only and does not add it to the register. */
    <T> T count(ObjectKind kind, DeviceLimit limit, Supplier<T> maker) {
        context.device().quota().take(kind, limit, context.queryDevice().limit(limit));
        try {
            return maker.get();
        } catch (RuntimeException e) {
            context.device().quota().give(kind);
            throw e;
        }
    }

    /** Reverts {@link #create} after the object was destroyed. */
    void destroyed(ObjectKind kind, Object object) {
        context.device().register().remove(object);
        context.life().release(kind);
        context.device().quota().give(kind);
    }
}
