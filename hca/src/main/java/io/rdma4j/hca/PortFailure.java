// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/** Holds the reason why a port is out of service, if it is. The owner of the port loop sets it; any thread reads it. */
public final class PortFailure {
    private static final Logger LOG = System.getLogger(PortFailure.class.getName());

    /** Maximum number of log entries: a port that is out of service may fail again with each posted request. */
    private static final int MAX_LOGGED = 16;

    private final String portName;
    private volatile @Nullable Throwable cause;

    /** Number of errors. */
    private int errors;

    public PortFailure(String portName) {
        this.portName = portName;
    }

    /** Returns true after the first error. */
    public boolean isThere() {
        return cause != null;
    }

    /**
     * Records an error and logs it, unless {@link #MAX_LOGGED} errors were logged. Returns true for the first error.
     * Does not throw.
     */
    public boolean set(Throwable error) {
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
            // The log itself has failed, for example because the heap is full.
        }
    }

    /**
     * Takes the port out of service for a reason that is not an error. Returns false if it was out of service before.
     */
    public boolean retire(RdmaException reason) {
        boolean first = cause == null;
        if (first) {
            cause = reason;
        }
        return first;
    }

    /** @throws RdmaException EIO if the port is out of service */
    public void check() {
        Throwable error = cause;
        if (error != null) {
            throw new RdmaException(
                    Errno.EIO,
                    portName + " is out of service: close all contexts of the device and open it again",
                    error);
        }
    }
}
