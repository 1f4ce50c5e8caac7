package io.rdma4j.rxe;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/** Whether a port is out of service, and why. Set by the owner of the port loop, read by any thread. */
final class PortFailure {
    private static final Logger LOG = System.getLogger(PortFailure.class.getName());

    private final String portName;
    private volatile @Nullable RuntimeException cause;

    PortFailure(String portName) {
        this.portName = portName;
    }

    /** True from the first error on. */
    boolean isThere() {
        return cause != null;
    }

    /** Notes and logs an error; false if it is not the first. */
    boolean set(RuntimeException error) {
        boolean first = cause == null;
        LOG.log(Level.ERROR, portName + (first ? " has failed and is out of service" : " has failed again"), error);
        if (first) {
            cause = error;
        }
        return first;
    }

    /** Takes the port out of service for a reason that is no error; false if it is already. */
    boolean retire(RdmaException reason) {
        boolean first = cause == null;
        if (first) {
            cause = reason;
        }
        return first;
    }

    /** @throws RdmaException EIO if the port is out of service */
    void check() {
        RuntimeException error = cause;
        if (error != null) {
            throw new RdmaException(
                    Errno.EIO,
                    portName + " is out of service: close all contexts of the device and open it again",
                    error);
        }
    }
}
