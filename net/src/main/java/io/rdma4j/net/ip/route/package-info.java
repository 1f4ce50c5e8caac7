/** The routes of a stack: {@link io.rdma4j.net.ip.route.RouteTable} finds the {@link io.rdma4j.net.ip.route.Route}. */
@NullMarked
package io.rdma4j.net.ip.route;

import org.jspecify.annotations.NullMarked;
