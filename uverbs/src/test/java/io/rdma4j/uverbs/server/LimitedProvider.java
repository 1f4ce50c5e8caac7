// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.rxe.DeviceSpec;
import io.rdma4j.rxe.RxeOptions;
import io.rdma4j.rxe.RxeProvider;
import io.rdma4j.verbs.device.DeviceAttributes;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.spi.ContextEvents;
import io.rdma4j.verbs.spi.ContextOps;
import io.rdma4j.verbs.spi.DeviceOps;
import io.rdma4j.verbs.spi.Provider;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Provides a software device that reports a limit of 0 for one kind of objects. */
final class LimitedProvider implements Provider {
    private final RxeProvider real;
    private final DeviceLimit missing;
    private @Nullable DeviceOps device;
    private volatile boolean unplugged;
    private volatile boolean refusing;
    private volatile boolean failing;
    private volatile boolean forgetful;
    private volatile Runnable whileOpening = () -> {};

    private LimitedProvider(RxeProvider real, DeviceLimit missing) {
        this.real = real;
        this.missing = missing;
    }

    static LimitedProvider without(DeviceLimit missing, DeviceSpec spec) {
        return new LimitedProvider(new RxeProvider(List.of(spec), RxeOptions.DEFAULT), missing);
    }

    /** Attributes with 8 for each limit except the missing one. */
    static DeviceAttributes attributes(DeviceLimit missing) {
        DeviceAttributes.Builder builder = DeviceAttributes.builder();
        for (DeviceLimit limit : DeviceLimit.values()) {
            builder.limit(limit, limit == missing ? 0 : 8);
        }
        return builder.build();
    }

    /** Makes the next open fail with ENOMEM. */
    void refuseNextContext() {
        refusing = true;
    }

    /** Makes the next call of a context throw an error, as a fault in mapped memory does. */
    void failNextCall() {
        failing = true;
    }

    /** Makes contexts not understand optional rights. */
    void forgetOptionalAccess() {
        forgetful = true;
    }

    /** Runs an action while a context is opened. */
    void whileOpening(Runnable action) {
        whileOpening = action;
    }

    /** Removes the device. */
    void unplug() {
        unplugged = true;
    }

    @Override
    public String name() {
        return "limited";
    }

    @Override
    public Collection<? extends DeviceOps> discover() {
        if (unplugged) {
            return List.of();
        }
        if (device == null) {
            device = new Limited(real.discover().iterator().next());
        }
        return List.of(device);
    }

    private final class Limited implements DeviceOps {
        private final DeviceOps full;

        Limited(DeviceOps full) {
            this.full = full;
        }

        @Override
        public String name() {
            return full.name();
        }

        @Override
        public int driverId() {
            return full.driverId();
        }

        @Override
        public long nodeGuid() {
            return full.nodeGuid();
        }

        @Override
        public ContextOps open(ContextEvents events) {
            if (refusing) {
                refusing = false;
                throw new RdmaException(Errno.ENOMEM, "no room for one more");
            }
            ContextOps context = full.open(events);
            whileOpening.run();
            return (ContextOps) Proxy.newProxyInstance(
                    ContextOps.class.getClassLoader(),
                    new Class<?>[] {ContextOps.class},
                    (_, method, arguments) -> limited(context, method, arguments));
        }
    }

    private @Nullable Object limited(ContextOps context, Method method, Object @Nullable [] arguments)
            throws Throwable {
        if (failing) {
            failing = false;
            throw new InternalError("a fault occurred in an unsafe memory access operation");
        }
        if (forgetful && method.getName().equals("understandsOptionalAccess")) {
            return false;
        }
        try {
            Object result = method.invoke(context, arguments);
            return result instanceof DeviceAttributes attributes ? without(attributes) : result;
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }

    private DeviceAttributes without(DeviceAttributes full) {
        DeviceAttributes.Builder builder = DeviceAttributes.builder();
        full.limits().forEach((limit, value) -> builder.limit(limit, limit == missing ? 0 : value));
        return builder.build();
    }
}
