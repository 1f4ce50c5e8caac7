// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The lookup of addresses for an id, outside the lock because the name service may block. */
final class AddressQuery {
    private final AddressedId id;
    // Guarded by the lock of rdma_cm.
    private boolean isRunning;
    private List<AddressInfo> results = List.of();

    AddressQuery(AddressedId id) {
        this.id = id;
    }

    /** With the lock. Returns the lookup, which the caller runs without the lock. */
    Runnable start(@Nullable String node, @Nullable String service, AddressHints hints) {
        if (!hints.flags().contains(AddressFlag.SA) && !hints.flags().contains(AddressFlag.DNS)) {
            throw new RdmaException(
                    Errno.EOPNOTSUPP, "hints with the flags " + hints.flags() + ": neither DNS nor SA is to be asked");
        }
        if (isRunning) {
            throw new RdmaException(Errno.EBUSY, id + " has another lookup under way");
        }
        isRunning = true;
        results = List.of();
        return () -> run(node, service, hints);
    }

    private void run(@Nullable String node, @Nullable String service, AddressHints hints) {
        List<AddressInfo> found = List.of();
        int status = 0;
        try {
            found = AddressInfo.find(node, service, hints);
        } catch (RdmaException e) {
            status = -e.errno().code();
        }
        finish(found, status);
    }

    private void finish(List<AddressInfo> found, int status) {
        id.lock.locked(() -> {
            isRunning = false;
            results = found;
            if (id.state != RdmaIdState.DESTROYING) {
                id.post(
                        status == 0 ? ConnectionEventType.ADDRINFO_RESOLVED : ConnectionEventType.ADDRINFO_ERROR,
                        status);
            }
            return true;
        });
    }

    /** With the lock. */
    List<AddressInfo> results() {
        if (results.isEmpty()) {
            throw new RdmaException(Errno.ENOENT, id + " has looked up no address");
        }
        return results;
    }
}
