// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.base.local;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Memory of a peer process into which this process may store. Any thread; allocates only to map memory. */
public interface PeerMemory {
    /** {@return the keys of the peer, see {@link KeyPage}; null while the peer permits no stores} */
    @Nullable
    MemorySegment keys();

    /**
     * {@return a segment of the peer, mapped for reading and writing; null if it cannot be mapped}
     *
     * @param number of the segment, as the peer has published it
     */
    @Nullable
    MemorySegment segment(int number);
}
