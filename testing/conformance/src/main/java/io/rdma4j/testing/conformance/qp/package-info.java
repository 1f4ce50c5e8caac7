// SPDX-License-Identifier: Apache-2.0
/** Cases for queue pairs: states, attributes, resizing, posting, shared receive queues, errors, path migration. */
@NullMarked
package io.rdma4j.testing.conformance.qp;

import org.jspecify.annotations.NullMarked;
