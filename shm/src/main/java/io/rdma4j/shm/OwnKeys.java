// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.shm;

import io.rdma4j.base.local.KeyPage;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** The keys by which peers may store into segments of this process, see {@link KeyPage}. Any thread. */
final class OwnKeys {
    private static final System.Logger LOGGER = System.getLogger(OwnKeys.class.getName());

    private final ShmEnd end;

    /** Null until the first key is published. */
    private @Nullable MemorySegment page;

    OwnKeys(ShmEnd end) {
        this.end = end;
    }

    /** Permits peers to store into memory that is part of a segment; see {@link ShmTransport#publish}. */
    synchronized void publish(int domain, int rkey, MemorySegment memory, long iova) {
        OwnSegments.Segment segment = end.permitsStores() ? end.segments().find(memory, 0, memory.byteSize()) : null;
        MemorySegment keys = segment == null ? null : page();
        if (segment != null && keys != null) {
            KeyPage.add(keys, domain, rkey, iova, memory.byteSize(), segment.number(), segment.offsetOf(memory, 0));
        }
    }

    private @Nullable MemorySegment page() {
        if (page == null) {
            try {
                page = end.directory().create(end.owner(), KeyPage.SEGMENT, KeyPage.BYTES, Arena.ofAuto());
            } catch (IOException e) {
                LOGGER.log(Level.DEBUG, "no shared memory for keys: peers do not store", e);
            }
        }
        return page;
    }

    synchronized void withdraw(int rkey) {
        if (page != null) {
            KeyPage.remove(page, rkey);
        }
    }

    /** Deletes the file. */
    synchronized void close() {
        if (page != null) {
            end.directory().delete(end.owner(), KeyPage.SEGMENT);
        }
    }
}
