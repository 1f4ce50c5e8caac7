/**
 * Small programs to begin with, each of them whole: it opens the loopback device, does one thing, and closes all it opened.
 *
 * <ol>
 *   <li>{@link io.rdma4j.examples.HelloSend}: a message over a reliable connection
 *   <li>{@link io.rdma4j.examples.KeyValueGet}: a lookup by RDMA READ, of which the server's program knows nothing
 *   <li>{@link io.rdma4j.examples.AtomicCounter}: a counter that many clients count up
 *   <li>{@link io.rdma4j.examples.SharedReceiveServer}: one stock of receive buffers for many clients
 *   <li>{@link io.rdma4j.examples.MulticastChat}: datagrams to a group
 *   <li>{@link io.rdma4j.examples.VirtualThreadEcho}: a virtual thread for each connection, asleep until something completes
 * </ol>
 *
 * <p>{@code ./rdma4j example HelloSend} runs one. They use nothing but the artifact {@code io.rdma4j:rdma4j}, on the class path;
 * {@code java --enable-native-access=ALL-UNNAMED} lets it call the system without a warning.
 */
@NullMarked
package io.rdma4j.examples;

import org.jspecify.annotations.NullMarked;
