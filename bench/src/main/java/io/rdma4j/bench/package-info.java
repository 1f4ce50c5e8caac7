// SPDX-License-Identifier: Apache-2.0
/** The command {@code ./rdma4j bench}. */
@NullMarked
package io.rdma4j.bench;

import org.jspecify.annotations.NullMarked;
