// SPDX-License-Identifier: Apache-2.0
/** Scenarios of the real OpenSM and infiniband-diags on a subnet of this project; they need no guest and no root. */
@NullMarked
package io.rdma4j.interop.subnet;

import org.jspecify.annotations.NullMarked;
