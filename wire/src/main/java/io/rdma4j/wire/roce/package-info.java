// SPDX-License-Identifier: Apache-2.0
/**
 * The RoCEv2 packet as a whole: its check, its description and its invariant CRC.
 *
 * <p>The headers of the transport are in {@link io.rdma4j.wire}, those of the network in {@link io.rdma4j.wire.ip}.
 */
@NullMarked
package io.rdma4j.wire.roce;

import org.jspecify.annotations.NullMarked;
