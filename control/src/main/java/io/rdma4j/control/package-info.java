/**
 * Machines inside the JVM: {@link io.rdma4j.control.Machine} brings network devices, IP, the loop that drives them and RDMA devices
 * together, which know nothing of one another below. Commands and topology files work on machines; tools and simulations make them.
 */
@NullMarked
package io.rdma4j.control;

import org.jspecify.annotations.NullMarked;
