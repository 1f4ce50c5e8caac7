// SPDX-License-Identifier: Apache-2.0
/** The routes of a stack: {@link io.rdma4j.ip.route.RouteTable} finds the {@link io.rdma4j.ip.route.Route}. */
@NullMarked
package io.rdma4j.ip.route;

import org.jspecify.annotations.NullMarked;
