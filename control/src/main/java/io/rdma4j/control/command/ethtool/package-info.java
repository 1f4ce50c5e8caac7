/** {@code ethtool}. */
@NullMarked
package io.rdma4j.control.command.ethtool;

import org.jspecify.annotations.NullMarked;
