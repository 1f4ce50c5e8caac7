/**
 * Topology files: which machines there are, the links between them, and the commands that set each one up. A description only;
 * what it describes is built elsewhere. Programs that run a network, and the simulator, read them.
 */
@NullMarked
package io.rdma4j.control.topology;

import org.jspecify.annotations.NullMarked;
