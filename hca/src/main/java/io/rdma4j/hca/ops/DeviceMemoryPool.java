// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.ops;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;

/** Accounts for the device memory that is left. Any thread. */
final class DeviceMemoryPool {
    private long left;

    DeviceMemoryPool(long bytes) {
        this.left = bytes;
    }

    /** @throws RdmaException ENOMEM if less than {@code length} bytes are left */
    synchronized HcaDm allocate(long length, long alignment) {
        if (length > left) {
            throw new RdmaException(Errno.ENOMEM, length + " bytes of device memory: " + left + " are left");
        }
        HcaDm block = new HcaDm(length, alignment, () -> give(length));
        left -= length;
        return block;
    }

    private synchronized void give(long length) {
        left += length;
    }
}
