// SPDX-License-Identifier: Apache-2.0
/**
 * The ping-pongs of rdma-core: {@code ibv_rc_pingpong}, {@code ibv_uc_pingpong}, {@code ibv_ud_pingpong}, {@code
 * ibv_srq_pingpong}, and {@code ibv_xsrq_pingpong}. Each of the two ends may be the original. {@code ibv_xsrq_pingpong}
 * measures nothing and has separate classes ({@code Xsrq…}).
 *
 * <p>A {@link io.rdma4j.tools.pingpong.PingPongProgram} defines the differences of a program, and {@link
 * io.rdma4j.tools.pingpong.PingPongCommand} runs it: verbs objects ({@code PingPongContext}), addresses over TCP
 * ({@code OutOfBand}), the loop ({@code PingPongLoop}), the result.
 */
@NullMarked
package io.rdma4j.tools.pingpong;

import org.jspecify.annotations.NullMarked;
