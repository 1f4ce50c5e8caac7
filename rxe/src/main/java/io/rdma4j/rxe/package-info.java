/**
 * The software RoCEv2 device: queue pairs of {@link io.rdma4j.transport} over a network device of {@link io.rdma4j.net}.
 *
 * <p>A message on its way out: {@link io.rdma4j.rxe.RxeQp} takes the packet from its engine, {@link io.rdma4j.rxe.NetworkPath}
 * puts UDP and IP in front, the network device carries it, {@link io.rdma4j.rxe.RoceOffload} cuts trains and computes the
 * ICRC where bytes leave the host's memory. On its way in: {@link io.rdma4j.rxe.RoceInput} checks shape, queue pair,
 * addresses, P_Key and ICRC and hands the packet to the engine. {@link io.rdma4j.rxe.PortLoop} says which thread does all
 * that; it is the only place that starts one.
 *
 * <p>A port counts by the names of Linux's rxe ({@link io.rdma4j.verbs.Context#queryHwCounters}), and beyond those: {@code np_ecn_marked_roce_packets},
 * {@code np_cnp_sent}, {@code rp_cnp_handled}, {@code rp_cnp_ignored} and {@code rx_icrc_encapsulated} (packets dropped for their ICRC) as mlx5 does, and
 * {@code rcvd_solved_ip_id}: packets that were taken because their ICRC fits with some other IPv4 identification than the 0 that a UDP socket
 * leaves to assume.
 */
@NullMarked
package io.rdma4j.rxe;

import org.jspecify.annotations.NullMarked;
