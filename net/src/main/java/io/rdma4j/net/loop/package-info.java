/** The loop that drives the devices of a host, and whoever works above them: who works, and when. */
@NullMarked
package io.rdma4j.net.loop;

import org.jspecify.annotations.NullMarked;
