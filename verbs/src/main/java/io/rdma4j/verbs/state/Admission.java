// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.state;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.core.ObjectKind;
import io.rdma4j.verbs.device.DeviceAttributes;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.device.DeviceLimit;
import java.util.Arrays;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Checks, before an object is created, that the device supports it and that its limit is not reached. Any thread. */
public final class Admission {
    private final String device;
    private final ContextState context;
    private final Register register;

    /** @param device name of the device */
    public Admission(String device, ContextState context, Register register) {
        this.device = device;
        this.context = context;
        this.register = register;
    }

    /** Name of the device. */
    public String device() {
        return device;
    }

    /** The list of the device's open objects, for one context. */
    public interface Register {
        /** Adds a complete object. */
        void add(ObjectKind kind, Object object);

        /** Removes a closed object. */
        void remove(Object object);
    }

    /** @throws RdmaException EOPNOTSUPP if the device's limit is 0 */
    public void require(DeviceLimit limit) {
        if (context.queryDevice().limit(limit) == 0) {
            throw new RdmaException(Errno.EOPNOTSUPP, device + " has none of these: its " + limit.label() + " is 0");
        }
    }

    /** @throws RdmaException EOPNOTSUPP if the device has none of the capabilities */
    public void require(DeviceCapability... oneOf) {
        DeviceAttributes attributes = context.queryDevice();
        for (DeviceCapability capability : oneOf) {
            if (attributes.has(capability)) {
                return;
            }
        }
        throw new RdmaException(
                Errno.EOPNOTSUPP,
                device + " lacks the capability "
                        + Arrays.stream(oneOf).map(Enum::name).collect(Collectors.joining(" or ")));
    }

    /**
     * Counts a new object at the device and the context, creates it, and adds it to the device's register. If the
     * creation fails, the counts are restored.
     *
     * @throws RdmaException ENOMEM if the device's limit is reached
     */
    public <T> T create(ObjectKind kind, DeviceLimit limit, Supplier<T> maker) {
        return count(kind, limit, () -> {
            T made = context.life().admit(kind, maker);
            register.add(kind, made);
            return made;
        });
    }

    /** As {@link #create}, but counts the object at the device only and does not add it to the register. */
    public <T> T count(ObjectKind kind, DeviceLimit limit, Supplier<T> maker) {
        context.quota().take(kind, limit, context.queryDevice().limit(limit));
        try {
            return maker.get();
        } catch (RuntimeException e) {
            context.quota().give(kind);
            throw e;
        }
    }

    /** Reverts {@link #create} after the object was destroyed. */
    public void destroyed(ObjectKind kind, Object object) {
        register.remove(object);
        context.life().release(kind);
        context.quota().give(kind);
    }
}
