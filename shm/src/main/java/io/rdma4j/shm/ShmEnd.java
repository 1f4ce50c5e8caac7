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
 * @param counters of all channels
 */
record ShmEnd(
        ShmDirectory directory,
        int port,
        long owner,
        OwnSegments segments,
        @Nullable ProcessMemory system,
        ShmCounters counters) {
    static ShmEnd of(ShmDirectory directory, int port, @Nullable ProcessMemory system) {
        long owner = new SecureRandom().nextLong() >>> 1;
        return new ShmEnd(directory, port, owner, new OwnSegments(directory, owner), system, new ShmCounters());
    }
}
