// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric;

import java.lang.foreign.MemorySegment;

/** Disturbs a wire link: it sees the bytes of each packet between the two ports, and may change them. */
public interface LinkNoise {
    /**
     * A packet is on the link: a local route header first, or a link packet of 6 bytes.
     *
     * @param bytes the whole packet with its CRCs; valid during the call
     * @param fromFirst true if the first port of {@link IbSubnet#connect} sends it
     */
    void pass(MemorySegment bytes, boolean fromFirst);
}
