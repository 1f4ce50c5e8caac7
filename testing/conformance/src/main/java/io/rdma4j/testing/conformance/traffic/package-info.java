// SPDX-License-Identifier: Apache-2.0
/** Cases for data transfer: each operation and each transport service. */
@NullMarked
package io.rdma4j.testing.conformance.traffic;

import org.jspecify.annotations.NullMarked;
