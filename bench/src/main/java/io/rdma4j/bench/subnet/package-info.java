// SPDX-License-Identifier: Apache-2.0
/** How long the subnet manager needs for subnets of different sizes. */
@NullMarked
package io.rdma4j.bench.subnet;

import org.jspecify.annotations.NullMarked;
