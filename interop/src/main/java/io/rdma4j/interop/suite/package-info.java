// SPDX-License-Identifier: Apache-2.0
/** Scenarios with the lab, in both directions, over several transports, and checks of their packets. */
@NullMarked
package io.rdma4j.interop.suite;

import org.jspecify.annotations.NullMarked;
