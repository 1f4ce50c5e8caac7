// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.architecture.samples.layers.lower;

import io.rdma4j.testing.architecture.samples.layers.upper.Upper;

/** Depends on the upper layer, which makes a cycle. */
public interface Lower {
    /** The dependency on the upper layer. */
    Upper upper();
}
