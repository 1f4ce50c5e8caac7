// SPDX-License-Identifier: Apache-2.0
/**
 * Small complete programs for beginners: each opens the loopback device, shows one feature, and closes all its objects.
 *
 * <ol>
 *   <li>{@link io.rdma4j.examples.HelloSend}: a message over a reliable connection
 *   <li>{@link io.rdma4j.examples.KeyValueGet}: a lookup by RDMA READ, without work of the server's program
 *   <li>{@link io.rdma4j.examples.AtomicCounter}: a counter that many clients increment
 *   <li>{@link io.rdma4j.examples.SharedReceiveServer}: one set of receive buffers for many clients
 *   <li>{@link io.rdma4j.examples.MulticastChat}: datagrams to a group
 *   <li>{@link io.rdma4j.examples.VirtualThreadEcho}: a virtual thread for each connection that blocks on completions
 *   <li>{@link io.rdma4j.examples.EchoPair}: two processes that connect by address and port
 *   <li>{@link io.rdma4j.examples.EndpointPair}: the same with the calls that C programs use
 * </ol>
 *
 * <p>{@code ./rdma4j example HelloSend} runs one. They use only the artifact {@code io.rdma4j:rdma4j}, on the class
 * path. With {@code java --enable-native-access=ALL-UNNAMED} the JVM prints no warning about native access.
 */
@NullMarked
package io.rdma4j.examples;

import org.jspecify.annotations.NullMarked;
