// SPDX-License-Identifier: Apache-2.0
/** What connections of rdma_cm cost, beside TCP. */
@NullMarked
package io.rdma4j.bench.connect;

import org.jspecify.annotations.NullMarked;
