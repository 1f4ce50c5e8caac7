// SPDX-License-Identifier: Apache-2.0
/** Access to agents by reads and writes of a file, as {@code ib_umad} of Linux gives it. */
@NullMarked
package io.rdma4j.mad.umad;

import org.jspecify.annotations.NullMarked;
