/**
 * The state of a port and of its device, independent of the network: limits and capabilities, tables of P_Keys, GIDs and
 * numbers, the port state machine, management with its notices and its non-volatile memory, counters, and the interfaces
 * to link and loop. It imports nothing of {@link io.rdma4j.net}.
 */
@NullMarked
package io.rdma4j.rxe.port;

import org.jspecify.annotations.NullMarked;
