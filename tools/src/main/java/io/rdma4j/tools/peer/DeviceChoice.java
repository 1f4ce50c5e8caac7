package io.rdma4j.tools.peer;

import io.rdma4j.rxe.DeviceSpec;
import io.rdma4j.rxe.RxeOptions;
import io.rdma4j.rxe.RxeProvider;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.Host;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Finds the device that a tool is to use, or makes it. */
public final class DeviceChoice {
    private DeviceChoice() {}

    /**
     * The device that the user means.
     *
     * @param host whose devices have names
     * @param wanted the name of a device; or what one is to be made of, in the form of {@link DeviceSpec}, which then is
     *     the only device of a host that lives as long as the process; null for the first device there is
     */
    public static Device find(Supplier<Host> host, @Nullable String wanted) throws ToolFailure {
        if (wanted != null && wanted.contains("=")) {
            return make(DeviceSpec.parse(wanted));
        }
        for (Device device : host.get().devices()) {
            if (wanted == null || device.name().equals(wanted)) {
                return device;
            }
        }
        throw new ToolFailure(wanted == null ? "No IB devices found" : "IB device " + wanted + " not found");
    }

    private static Device make(DeviceSpec spec) {
        Host host = Host.create("tool");
        host.register(new RxeProvider(List.of(spec), RxeOptions.DEFAULT));
        return host.device(spec.name());
    }
}
