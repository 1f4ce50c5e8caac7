// SPDX-License-Identifier: Apache-2.0
/** Performance management (IBA 16.1): counters and samples of ports. */
@NullMarked
package io.rdma4j.wire.mad.pm;

import org.jspecify.annotations.NullMarked;
