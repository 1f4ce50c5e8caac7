// SPDX-License-Identifier: Apache-2.0
/** Carries the packets of a device over an end port of a fabric: local route headers, paths by LID, checks. */
@NullMarked
package io.rdma4j.ib.carrier;

import org.jspecify.annotations.NullMarked;
