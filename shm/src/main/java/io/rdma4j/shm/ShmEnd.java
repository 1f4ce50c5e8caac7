// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.shm;

import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;

/**
 * This end of all channels of a device.
 *
 * @param directory in which the processes find each other
 * @param port UDP port of the device
 * @param owner random number that names the files of this end
 * @param segments memory of this process that peers can map
 * @param system reads other memory of peers; null: it is not read
 * @param permitsStores whether WRITEs are executed by the process that posts them
 * @param counters of all channels
 */
record ShmEnd(
        ShmDirectory directory,
        int port,
        long owner,
        OwnSegments segments,
        @Nullable ProcessMemory system,
        boolean permitsStores,
        ShmCounters counters) {
    /** Environment variable that forbids stores, with the value {@code off}. */
    static final String STORES_VARIABLE = "RDMA4J_SHM_STORES";

    /** System property with the same values; it overrides the variable. */
    static final String STORES_PROPERTY = "rdma4j.shm.stores";

    static ShmEnd of(ShmDirectory directory, int port, @Nullable ProcessMemory system) {
        long owner = new SecureRandom().nextLong() >>> 1;
        boolean stores = !"off".equals(System.getProperty(STORES_PROPERTY, System.getenv(STORES_VARIABLE)));
        return new ShmEnd(directory, port, owner, new OwnSegments(directory, owner), system, stores, new ShmCounters());
    }
}
