// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;

/** Errors of calls. */
final class IdErrors {
    private IdErrors() {}

    static RdmaException invalid(String message) {
        return new RdmaException(Errno.EINVAL, message);
    }

    /** The errno of an event that has failed. */
    static Errno ofStatus(int status) {
        for (Errno errno : Errno.values()) {
            if (errno.code() == Math.abs(status)) {
                return errno;
            }
        }
        return Errno.EIO;
    }
}
