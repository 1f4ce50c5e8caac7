// SPDX-License-Identifier: Apache-2.0
/**
 * The software RoCEv2 device: queue pairs of {@link io.rdma4j.transport} over a network device of
 * {@link io.rdma4j.net}. This package has the provider, devices and their specifications, and the port.
 *
 * <p>{@link io.rdma4j.rxe.RxePort} assembles the parts: state and verbs objects from {@link io.rdma4j.hca}, and what a
 * packet passes from {@code datapath}, a package that the module does not export.
 *
 * <p>Send path: a queue pair takes the packet from its engine, and its network path adds UDP and IP headers. The
 * network device sends it. The RoCE offload segments trains and computes the ICRC before bytes leave the host's memory.
 * Receive path: the RoCE input checks format, queue pair, addresses, P_Key and ICRC and passes the packet to the
 * engine. The port loop runs both paths in the loop of the host.
 *
 * <p>A port has the counters of Linux rxe ({@link io.rdma4j.verbs.Context#queryHwCounters}). In addition it has
 * {@code np_ecn_marked_roce_packets}, {@code np_cnp_sent}, {@code rp_cnp_handled}, {@code rp_cnp_ignored} and
 * {@code rx_icrc_encapsulated} (packets dropped because of their ICRC) as in mlx5. {@code rcvd_solved_ip_id} counts
 * packets that were accepted because their ICRC matches an IPv4 identification other than 0. A UDP socket does not
 * report this field, so that 0 is assumed first.
 */
@NullMarked
package io.rdma4j.rxe;

import org.jspecify.annotations.NullMarked;
