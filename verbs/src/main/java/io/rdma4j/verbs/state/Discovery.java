// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.state;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.local.RunDirectory;
import io.rdma4j.verbs.spi.DeviceMatch;
import io.rdma4j.verbs.spi.DeviceOps;
import io.rdma4j.verbs.spi.Driver;
import io.rdma4j.verbs.spi.FoundDevice;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Finds the devices that other processes serve, and a driver for each. Corresponds to {@code ibverbs_get_device_list}.
 * The caller ensures that only one thread at a time uses it.
 */
public final class Discovery {
    /**
     * Devices without a driver are logged as warnings if this system property is true, or if the corresponding
     * environment variable of libibverbs is set.
     */
    public static final String WARNINGS_PROPERTY = "rdma4j.warnings";

    private static final String WARNINGS_VARIABLE = "IBV_SHOW_WARNINGS";

    private final RunDirectory directory;
    private final boolean loading;
    private final Logger log;
    private final List<Driver> drivers = new ArrayList<>();
    private final Map<FoundDevice, DeviceOps> devices = new LinkedHashMap<>();
    private boolean loaded;
    private boolean refused;

    /** @param loading true to load installed drivers if the registered ones do not accept all devices */
    public Discovery(RunDirectory directory, boolean loading, Logger log) {
        this.directory = directory;
        this.loading = loading;
        this.log = log;
    }

    /** Adds a driver after the existing ones ({@code verbs_register_driver}). */
    public void register(Driver driver) {
        drivers.add(driver);
    }

    public RunDirectory directory() {
        return directory;
    }

    /** True if devices of other processes can be reached. */
    public boolean isActive() {
        return loading || !drivers.isEmpty();
    }

    /**
     * The present devices that have a driver. A device that was present at the last call is the same object.
     *
     * @param wanted selects the devices for which a driver is needed
     */
    public Map<FoundDevice, DeviceOps> refresh(Predicate<FoundDevice> wanted) {
        if (!isActive()) {
            return Map.of();
        }
        List<FoundDevice> unmatched = scan();
        unmatched.removeIf(wanted.negate());
        Map<FoundDevice, DeviceOps> before = new HashMap<>(devices);
        devices.clear();
        unmatched.removeIf(found -> {
            DeviceOps same = before.get(found);
            if (same != null) {
                devices.put(found, same);
            }
            return same != null;
        });
        tryAllDrivers(unmatched);
        if (!unmatched.isEmpty() && loading && !loaded) {
            loaded = true;
            loadDrivers();
            tryAllDrivers(unmatched);
        }
        unmatched.forEach(this::warn);
        return Collections.unmodifiableMap(devices);
    }

    /**
     * Finds the device of another process that has the addresses of a device of this process.
     *
     * @return its entry and a device for it, which is not open yet; null if there is none
     */
    public Map.@Nullable Entry<FoundDevice, DeviceOps> serving(DeviceOps device) {
        for (FoundDevice found : isActive() ? scan() : List.<FoundDevice>of()) {
            if (found.hasAddressOf(device)) {
                DeviceOps reached = tryDrivers(found);
                if (reached == null && loading && !loaded) {
                    loaded = true;
                    loadDrivers();
                    reached = tryDrivers(found);
                }
                if (reached != null) {
                    return Map.entry(found, reached);
                }
            }
        }
        return null;
    }

    private List<FoundDevice> scan() {
        try {
            return directory.scan();
        } catch (RdmaException e) {
            // A directory that another user controls is logged as a warning once; a missing one is usual.
            boolean warns = e.errno() == Errno.EACCES && !refused;
            refused |= warns;
            log.log(
                    warns ? Level.WARNING : Level.DEBUG,
                    "devices of other processes are not looked for: {0}",
                    e.getMessage());
            return new ArrayList<>();
        }
    }

    /** Moves the devices that a driver accepts from the list to {@link #devices}. */
    private void tryAllDrivers(List<FoundDevice> unmatched) {
        unmatched.removeIf(found -> {
            DeviceOps device = tryDrivers(found);
            if (device != null) {
                devices.put(found, device);
            }
            return device != null;
        });
    }

    /** Drivers that match the driver id have priority, because any process can choose any device name. */
    private @Nullable DeviceOps tryDrivers(FoundDevice found) {
        DeviceOps device = found.driverId() == 0 ? null : tryDrivers(found, DeviceMatch.DriverId.class);
        return device != null ? device : tryDrivers(found, DeviceMatch.NamePrefix.class);
    }

    private @Nullable DeviceOps tryDrivers(FoundDevice found, Class<? extends DeviceMatch> rule) {
        for (Driver driver : drivers) {
            boolean matches =
                    driver.matchTable().stream().anyMatch(match -> rule.isInstance(match) && match.matches(found));
            DeviceOps device = matches && checkAbi(driver, found) ? driver.allocateDevice(found) : null;
            if (device != null) {
                return device;
            }
        }
        return null;
    }

    private boolean checkAbi(Driver driver, FoundDevice found) {
        int version = found.abiVersion();
        boolean fits = version >= driver.minAbiVersion() && version <= driver.maxAbiVersion();
        if (!fits) {
            log.log(
                    Level.WARNING,
                    "driver {0} speaks versions {1} to {2} of the commands, {3} understands {4}",
                    driver.name(),
                    driver.minAbiVersion(),
                    driver.maxAbiVersion(),
                    found.path(),
                    version);
        }
        return fits;
    }

    private void loadDrivers() {
        var found = ServiceLoader.load(Driver.class).iterator();
        while (true) {
            try {
                if (!found.hasNext()) {
                    return;
                }
                drivers.add(found.next());
            } catch (ServiceConfigurationError | RuntimeException e) {
                log.log(Level.WARNING, "a driver was left out", e);
            }
        }
    }

    private void warn(FoundDevice found) {
        boolean wanted = Boolean.getBoolean(WARNINGS_PROPERTY) || System.getenv(WARNINGS_VARIABLE) != null;
        log.log(
                wanted ? Level.WARNING : Level.DEBUG,
                "no driver takes {0} ({1}): is the library that serves it missing?",
                found.name(),
                found.path());
    }
}
