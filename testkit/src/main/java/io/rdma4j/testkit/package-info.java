// SPDX-License-Identifier: Apache-2.0
/**
 * Tests of programs that use RDMA. {@link io.rdma4j.testkit.RdmaFabric} on a test class or method creates hosts in this
 * JVM, each with a software RoCEv2 device, on a network that loses, delays or corrupts packets. The test gets them as
 * parameters:
 *
 * {@snippet :
 * @RdmaFabric(hosts = 2, loss = 0.01, seed = 7)
 * class TransferTest {
 *     @Test
 *     void theMessageArrives(QpPair pair) {
 *         pair.b().postReceive(1, 0, 4096);
 *         pair.a().postSend(2, 0, 4096);
 *         pair.b().awaitReceive();
 *         pair.a().awaitSend();
 *     }
 * }
 * }
 *
 * {@link io.rdma4j.testkit.Fabric} changes the network during the test and waits, in real time or in virtual time.
 * Without JUnit, {@link io.rdma4j.testkit.Fabric#open} creates the same network.
 */
@NullMarked
package io.rdma4j.testkit;

import org.jspecify.annotations.NullMarked;
