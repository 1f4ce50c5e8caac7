/**
 * The software RoCEv2 device: queue pairs of {@link io.rdma4j.transport} over a network device of {@link io.rdma4j.net}.
 *
 * <p>A message on its way out: {@link io.rdma4j.rxe.RxeQp} takes the packet from its engine, {@link io.rdma4j.rxe.NetworkPath}
 * puts UDP and IP in front, the network device carries it, {@link io.rdma4j.rxe.RoceOffload} cuts trains and computes the
 * ICRC where bytes leave the host's memory. On its way in: {@link io.rdma4j.rxe.RoceInput} checks shape, queue pair,
 * addresses, P_Key and ICRC and hands the packet to the engine. {@link io.rdma4j.rxe.PortLoop} says which thread does all
 * that; it is the only place that starts one.
 */
@NullMarked
package io.rdma4j.rxe;

import org.jspecify.annotations.NullMarked;
