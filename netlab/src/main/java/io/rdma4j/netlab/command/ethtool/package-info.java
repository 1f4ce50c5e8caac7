/** {@code ethtool}. */
@NullMarked
package io.rdma4j.netlab.command.ethtool;

import org.jspecify.annotations.NullMarked;
