/**
 * A way past the sockets for processes of one user on one machine: {@link io.rdma4j.net.shm.SharedMemory} is what a UDP driver asks before
 * it sends a packet, and before it looks at its sockets.
 *
 * <pre>
 *   /dev/shm/rdma4j-UID        0700, of the user
 *     NETNS_ADDRESS_PORT.OWNER   a socket on which the process with that address listens; its end is the end of all it owns
 *     memory.OWNER.N             memory of that owner: rings until both ends have mapped them, and what it has allocated for buffers
 * </pre>
 *
 * <p>Two processes share a stream connection and a file with two rings. The connection says which file, and its end that the peer is
 * gone, even by {@code kill -9}. Packets go through the rings ({@link io.rdma4j.net.shm.RingProducer}, {@link
 * io.rdma4j.net.shm.RingConsumer}), trains whole and without checksum; payload that lies in memory which the peer can map goes as a reference, and the
 * receiver reads it where it is. So does longer payload in any other memory, if the system lets the receiver read this process ({@link
 * io.rdma4j.net.shm.PeerProcess}, {@link io.rdma4j.net.shm.ProcessMemory}). A peer that sleeps is woken by an empty datagram to its UDP port, and hears by one of a byte that somebody is at its door, as every driver sleeps on that port anyway.
 *
 * <p>What comes out of shared memory is checked like what comes from a network; who breaks the rules is cut off.
 */
@NullMarked
package io.rdma4j.net.shm;

import org.jspecify.annotations.NullMarked;
