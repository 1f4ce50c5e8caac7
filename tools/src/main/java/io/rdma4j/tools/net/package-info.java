/**
 * {@code rdma4j net}: runs a network inside the JVM, with the project's tools and the commands of {@link
 * io.rdma4j.control.command.Shell} on its hosts, and lets other processes look at it and change it.
 */
@NullMarked
package io.rdma4j.tools.net;

import org.jspecify.annotations.NullMarked;
