// SPDX-License-Identifier: Apache-2.0
/**
 * The two sides of a verbs scenario. Each is a process that takes commands, one per line, and replies with one line:
 * {@code ok NAME=VALUE…} or {@code error ERRNO TEXT}. One is a script in the guest, which uses pyverbs; the other is
 * {@link io.rdma4j.interop.peer.PeerProgram}. The scenario sends commands to both and compares the replies. Numbers are
 * decimal; offsets are relative to the side's memory region.
 *
 * <table>
 * <caption>Commands</caption>
 * <tr><td>{@code open device type address bytes access}</td><td>closes open objects, and creates all objects up to a
 * queue pair: {@code qpn psn gid rkey address}</td></tr>
 * <tr><td>{@code connect qpn psn gid mtu timeout retries rnr_retries rnr_timer}</td><td>moves the queue pair to
 * RTS</td></tr>
 * <tr><td>{@code receive id offset length}</td><td>posts a receive</td></tr>
 * <tr><td>{@code post op id offset length [remote rkey imm compare swap]}</td><td>posts a signaled request</td></tr>
 * <tr><td>{@code poll ms}</td><td>waits for a completion: {@code status id bytes imm}; status -1 if none
 * arrives</td></tr>
 * <tr><td>{@code window kind id offset length access}</td><td>posts the bind of a window: {@code rkey}</td></tr>
 * <tr><td>{@code region offset length access}</td><td>registers a part again: {@code rkey}</td></tr>
 * <tr><td>{@code fill offset length seed}</td><td>writes a pattern</td></tr>
 * <tr><td>{@code set offset value}, {@code get offset}</td><td>64 bits in host byte order</td></tr>
 * <tr><td>{@code crc offset length}</td><td>CRC-32 of memory</td></tr>
 * <tr><td>{@code counters}</td><td>the port's {@code hw_counters} since the start of the process or, in the guest, of
 * the device</td></tr>
 * <tr><td>{@code state}</td><td>state of the queue pair, as in C</td></tr>
 * </table>
 */
@NullMarked
package io.rdma4j.interop.peer;

import org.jspecify.annotations.NullMarked;
