package io.rdma4j.rxe;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/** Whether a port is out of service, and why. Set by the owner of the port loop, read by any thread. */
final class PortFailure {
    private static final Logger LOG = System.getLogger(PortFailure.class.getName());

    /** A port that is out of service may fail again with each request that is posted. */
    private static final int MAX_LOGGED = 16;

    private final String portName;
    private volatile @Nullable Throwable cause;

    /** Errors so far. */
    private int errors;

    PortFailure(String portName) {
        this.portName = portName;
    }

    /** True from the first error on. */
    boolean isThere() {
        return cause != null;
    }

    /** Notes an error, and logs it unless many were logged; false if it is not the first. Does not throw. */
    boolean set(Throwable error) {
        boolean first = cause == null;
        if (first) {
            cause = error;
        }
        if (++errors <= MAX_LOGGED) {
            log(first ? " has failed and is out of service" : " has failed again", error);
        }
        return first;
    }

    private void log(String what, Throwable error) {
        try {
            LOG.log(Level.ERROR, portName + what, error);
        } catch (Throwable e) {
            // The log itself has failed, as it does when the heap is full.
        }
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
        Throwable error = cause;
        if (error != null) {
            throw new RdmaException(
                    Errno.EIO,
                    portName + " is out of service: close all contexts of the device and open it again",
                    error);
        }
    }
}
