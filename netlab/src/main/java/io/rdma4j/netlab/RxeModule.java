// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.Device;

/**
 * The module of a machine that creates RDMA devices over network devices ({@code rdma_rxe}). As on Linux, the first
 * device loads it. Any thread may call.
 */
public final class RxeModule {
    /** Name of the module. */
    public static final String NAME = "rdma_rxe";

    private final Machine machine;
    private volatile boolean loaded;

    RxeModule(Machine machine) {
        this.machine = machine;
    }

    /** {@return whether the module is loaded} */
    public boolean isLoaded() {
        return loaded;
    }

    /** Loads the module ({@code modprobe rdma_rxe}). Idempotent. */
    public void load() {
        loaded = true;
    }

    /** {@return the number of its devices that are open ({@code /sys/module/rdma_rxe/refcnt})} */
    public int users() {
        return (int) machine.rdma().devices().stream()
                .filter(device -> machine.port(device.name()) != null)
                .count();
    }

    /**
     * Deletes the module's devices and unloads it ({@code modprobe -r rdma_rxe}).
     *
     * @throws RdmaException ENOENT if it is not loaded, EBUSY while one of its devices is open
     */
    public void unload() {
        if (!loaded) {
            throw new RdmaException(Errno.ENOENT, "module " + NAME + " is not loaded");
        }
        int users = users();
        if (users > 0) {
            throw new RdmaException(Errno.EBUSY, "module " + NAME + " is in use: open devices: " + users);
        }
        for (Device device : machine.rdma().devices()) {
            machine.rdma().deleteLink(device.name());
        }
        loaded = false;
    }
}
