// SPDX-License-Identifier: Apache-2.0
/**
 * What a packet passes between engine and network: {@link io.rdma4j.rxe.datapath.PortLoop} drives the queue pairs,
 * {@link io.rdma4j.rxe.datapath.PortOutput} and {@link io.rdma4j.rxe.datapath.RoceInput} send and receive, and
 * {@link io.rdma4j.rxe.datapath.LocalTransport} delivers eager messages. Everything that uses
 * {@link io.rdma4j.net} while the port is open is here.
 */
@NullMarked
package io.rdma4j.rxe.datapath;

import org.jspecify.annotations.NullMarked;
