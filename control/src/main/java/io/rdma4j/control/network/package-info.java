/** Whole networks inside the JVM: {@link io.rdma4j.control.network.Network} builds the machines and links that a topology describes. */
@NullMarked
package io.rdma4j.control.network;

import org.jspecify.annotations.NullMarked;
