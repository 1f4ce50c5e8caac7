// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.architecture.samples.wire;

/** A codec with a table that other classes can write. */
public final class OpenTable {
    static final int[] LENGTHS = {12, 8};

    private OpenTable() {}
}
