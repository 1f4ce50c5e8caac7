package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.Arrays;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Whether a device can do what is asked of it, and has room for one more object: the gate before each verb that makes something. Any thread. */
final class Admission {
    private final Context context;

    /** @param context whose objects are counted */
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

    /** @throws RdmaException EOPNOTSUPP if the device has none of these capabilities */
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
     * Counts a new object at the device and at the context, and enters it into the device's register when it is complete; takes the
     * counts back if making it fails.
     *
     * @throws RdmaException ENOMEM if there are as many as the device has room for
     */
    <T> T create(ObjectKind kind, DeviceLimit limit, Supplier<T> maker) {
        return count(kind, limit, () -> {
            T made = context.life().admit(kind, maker);
            context.device().register().add(kind, made, context);
            return made;
        });
    }

    /** The same at the device alone. */
    <T> T count(ObjectKind kind, DeviceLimit limit, Supplier<T> maker) {
        context.device().quota().take(kind, limit, context.queryDevice().limit(limit));
        try {
            return maker.get();
        } catch (RuntimeException e) {
            context.device().quota().give(kind);
            throw e;
        }
    }

    /** An object counted by {@link #create} is gone. */
    void destroyed(ObjectKind kind, Object object) {
        context.device().register().remove(object);
        context.life().release(kind);
        context.device().quota().give(kind);
    }
}
