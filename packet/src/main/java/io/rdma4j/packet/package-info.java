// SPDX-License-Identifier: Apache-2.0
/**
 * The packet buffer {@link io.rdma4j.packet.SkBuff} with its shared info, pool, queues, and typed views of its control
 * buffer.
 *
 * <p>Transport builds buffers, network devices move them, and the last holder frees them. This package works with
 * bytes, offsets and counts only. It contains no header format, device, thread or clock.
 *
 * <pre>
 *   head        data            tail         end        frag 0      frag 1
 *    |           |               |            |        +--------+  +-----+
 *    | headroom  | linear part   |  tailroom  |   ...  | memory |  | ... |   registered memory
 *    +-----------+---------------+------------+        +--------+  +-----+
 *                |- headLen -----|                     |- dataLen -------|
 *                |- len = headLen + dataLen -----------------------------|
 * </pre>
 */
@NullMarked
package io.rdma4j.packet;

import org.jspecify.annotations.NullMarked;
