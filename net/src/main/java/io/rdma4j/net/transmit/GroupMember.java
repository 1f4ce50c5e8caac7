// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.transmit;

import org.jspecify.annotations.Nullable;

/** An owner of packets that may belong to a control group. */
@FunctionalInterface
public interface GroupMember {
    /** {@return the present group, null if there is none} Called on the data path: allocates nothing. */
    @Nullable
    ClientGroup group();
}
