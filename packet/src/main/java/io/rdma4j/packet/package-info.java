/**
 * The packet buffer: {@link io.rdma4j.packet.SkBuff} with its shared info, its pool, its queues, and typed views of its control buffer.
 *
 * <p>Everything that carries packets calls this package: transport builds buffers, net devices move them, the sender's
 * owner frees them. It knows bytes, offsets and counts only: no header format, no device, no thread, no clock.
 *
 * <pre>
 *   head        data            tail         end        frag 0      frag 1
 *    |           |               |            |        +--------+  +-----+
 *    | headroom  | linear part   |  tailroom  |   ...  | memory |  | ... |   registered memory of others
 *    +-----------+---------------+------------+        +--------+  +-----+
 *                |- headLen -----|                     |- dataLen -------|
 *                |- len = headLen + dataLen -----------------------------|
 * </pre>
 */
@NullMarked
package io.rdma4j.packet;

import org.jspecify.annotations.NullMarked;
