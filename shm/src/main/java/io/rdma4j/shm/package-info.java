// SPDX-License-Identifier: Apache-2.0
/**
 * Shared memory between processes of one user on one machine, instead of UDP sockets. A UDP driver offers each packet
 * to {@link io.rdma4j.shm.ShmTransport} before it sends the packet, and polls it before its sockets.
 *
 * <pre>
 *   /dev/shm/rdma4j-UID        0700, of the user
 *     NETNS_ADDRESS_PORT.OWNER   listening socket of the process with that address; refused: the owner is dead
 *     memory.OWNER.N             memory of that owner: rings until both ends have mapped them, and buffers
 * </pre>
 *
 * <p>Two processes share a stream connection and a file with two rings. The connection carries the number of the file.
 * Its end reports that the peer has ended, even by {@code kill -9}.
 *
 * <p>Packets pass through the rings ({@link io.rdma4j.shm.RingProducer}, {@link io.rdma4j.shm.RingConsumer}),
 * trains uncut and without checksum. Payload in memory that the peer can map is sent as a reference, and the receiver
 * reads it in place. Longer payload in any other memory is sent as a reference too, if the system lets the receiver
 * read this process ({@link io.rdma4j.shm.PeerProcess}, {@link io.rdma4j.shm.ProcessMemory}).
 *
 * <p>Every driver waits on its UDP port. An empty datagram to that port wakes a peer that sleeps, and a datagram of one
 * byte requests the peer to accept connections.
 *
 * <p>Data from shared memory are checked like data from a network. A channel whose peer violates the format is closed.
 */
@NullMarked
package io.rdma4j.shm;

import org.jspecify.annotations.NullMarked;
