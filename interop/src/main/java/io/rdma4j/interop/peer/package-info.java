/**
 * The two sides of a verbs scenario. Each is a process that takes commands, a line each, and answers each with a line: {@code ok NAME=VALUE…} or
 * {@code error ERRNO TEXT}. One is a script in the guest, which uses pyverbs, the other is {@link io.rdma4j.interop.peer.PeerProgram}; the scenario
 * tells both what to do and compares what they say. Numbers are decimal, offsets count in the side's one memory region.
 *
 * <table>
 * <caption>Commands</caption>
 * <tr><td>{@code open device type address bytes access}</td><td>closes what was open, and makes everything up to a queue pair: {@code qpn psn gid rkey address}</td></tr>
 * <tr><td>{@code connect qpn psn gid mtu timeout retries rnr_retries rnr_timer}</td><td>to RTS</td></tr>
 * <tr><td>{@code receive id offset length}</td><td>posts a receive</td></tr>
 * <tr><td>{@code post op id offset length [remote rkey imm compare swap]}</td><td>posts a signaled request</td></tr>
 * <tr><td>{@code poll ms}</td><td>waits for a completion: {@code status id bytes imm}; status -1 if none came</td></tr>
 * <tr><td>{@code window kind id offset length access}</td><td>posts the binding of a window: {@code rkey}</td></tr>
 * <tr><td>{@code region offset length access}</td><td>registers a part once more: {@code rkey}</td></tr>
 * <tr><td>{@code fill offset length seed}</td><td>writes a pattern</td></tr>
 * <tr><td>{@code set offset value}, {@code get offset}</td><td>64 bits in the machine's order</td></tr>
 * <tr><td>{@code crc offset length}</td><td>CRC-32 of memory</td></tr>
 * <tr><td>{@code counters}</td><td>the port's {@code hw_counters} since the process was started, or, in the guest, the device</td></tr>
 * <tr><td>{@code state}</td><td>of the queue pair, as in C</td></tr>
 * </table>
 */
@NullMarked
package io.rdma4j.interop.peer;

import org.jspecify.annotations.NullMarked;
