// SPDX-License-Identifier: Apache-2.0
/** Cases for completion queues and completion channels. */
@NullMarked
package io.rdma4j.testing.conformance.cq;

import org.jspecify.annotations.NullMarked;
