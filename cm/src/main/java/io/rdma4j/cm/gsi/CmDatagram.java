// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm.gsi;

import io.rdma4j.cm.CmAddress;
import java.lang.foreign.MemorySegment;

/**
 * A received datagram of the class CM.
 *
 * @param mad 256 bytes
 * @param source the way back to the sender
 */
public record CmDatagram(MemorySegment mad, CmAddress source) {}
