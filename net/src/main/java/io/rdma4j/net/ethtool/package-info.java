// SPDX-License-Identifier: Apache-2.0
/**
 * Driver-specific settings and values of devices: {@link io.rdma4j.net.ethtool.EthtoolOps} and its records, as in
 * {@code ethtool}.
 */
@NullMarked
package io.rdma4j.net.ethtool;

import org.jspecify.annotations.NullMarked;
