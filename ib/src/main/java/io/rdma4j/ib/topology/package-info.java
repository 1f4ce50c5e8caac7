// SPDX-License-Identifier: Apache-2.0
/** Topology files of ibsim and {@code ibnetdiscover}: nodes and cables of a subnet. */
@NullMarked
package io.rdma4j.ib.topology;

import org.jspecify.annotations.NullMarked;
