/** {@code rdma}, on machines of a topology and on the user's own devices. */
@NullMarked
package io.rdma4j.control.command.rdma;

import org.jspecify.annotations.NullMarked;
