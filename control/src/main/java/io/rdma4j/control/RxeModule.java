package io.rdma4j.control;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.Device;

/**
 * The module of a machine that makes RDMA devices over network devices ({@code rdma_rxe}). The first device loads it, as on Linux; as long
 * as it is not loaded there are no devices. Any thread may call.
 */
public final class RxeModule {
    /** Its name. */
    public static final String NAME = "rdma_rxe";

    private final Machine machine;
    private volatile boolean loaded;

    RxeModule(Machine machine) {
        this.machine = machine;
    }

    /** {@return whether it is loaded} */
    public boolean isLoaded() {
        return loaded;
    }

    /** Loads it ({@code modprobe rdma_rxe}); nothing happens if it is loaded. */
    public void load() {
        loaded = true;
    }

    /** {@return how many of its devices are open now ({@code /sys/module/rdma_rxe/refcnt})} */
    public int users() {
        return (int) machine.rdma().devices().stream()
                .filter(device -> machine.port(device.name()) != null)
                .count();
    }

    /**
     * Deletes its devices and unloads it ({@code modprobe -r rdma_rxe}).
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
