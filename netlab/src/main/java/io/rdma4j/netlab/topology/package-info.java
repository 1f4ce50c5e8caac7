// SPDX-License-Identifier: Apache-2.0
/**
 * Topology files: machines, links between them, and the commands that configure them. This package only parses them.
 * Programs that run a network, and the simulator, read them.
 */
@NullMarked
package io.rdma4j.netlab.topology;

import org.jspecify.annotations.NullMarked;
