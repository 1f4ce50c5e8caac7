// SPDX-License-Identifier: Apache-2.0
/** The lab: a guest with the unmodified Linux driver and rdma-core, on a bridge in a separate network namespace. */
@NullMarked
package io.rdma4j.interop.lab;

import org.jspecify.annotations.NullMarked;
