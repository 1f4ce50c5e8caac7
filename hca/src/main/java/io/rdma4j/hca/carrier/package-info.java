// SPDX-License-Identifier: Apache-2.0
/** The interface between the device and what carries its packets. */
@NullMarked
package io.rdma4j.hca.carrier;

import org.jspecify.annotations.NullMarked;
