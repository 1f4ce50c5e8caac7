/** {@code tc}. */
@NullMarked
package io.rdma4j.control.command.tc;

import org.jspecify.annotations.NullMarked;
