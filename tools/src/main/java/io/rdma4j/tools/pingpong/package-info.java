/**
 * The ping-pongs of rdma-core, each of whose two ends may be the original: {@code ibv_rc_pingpong}, {@code ibv_uc_pingpong},
 * {@code ibv_ud_pingpong}, {@code ibv_srq_pingpong}; and {@code ibv_xsrq_pingpong}, which measures nothing and has classes of its own
 * ({@code Xsrq…}).
 *
 * <p>A {@link io.rdma4j.tools.pingpong.PingPongProgram} says what one of them does in its own way, and
 * {@link io.rdma4j.tools.pingpong.PingPongCommand} plays it: objects ({@code PingPongContext}), addresses over TCP
 * ({@code OutOfBand}), the loop ({@code PingPongLoop}), the result.
 */
@NullMarked
package io.rdma4j.tools.pingpong;

import org.jspecify.annotations.NullMarked;
