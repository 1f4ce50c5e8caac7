/**
 * What a driver shows of itself and lets be set, beyond what all devices have: {@link io.rdma4j.net.ethtool.EthtoolOps} and the
 * records that it speaks in, as {@code ethtool} knows them.
 */
@NullMarked
package io.rdma4j.net.ethtool;

import org.jspecify.annotations.NullMarked;
