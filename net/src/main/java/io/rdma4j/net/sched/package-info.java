/**
 * In which order, and when, packets that wait for a transmit queue leave ({@code net/sched}). It knows packets and time, no
 * devices: those are above.
 */
@NullMarked
package io.rdma4j.net.sched;

import org.jspecify.annotations.NullMarked;
