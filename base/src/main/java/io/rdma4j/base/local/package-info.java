// SPDX-License-Identifier: Apache-2.0
/**
 * Directories, files and sockets that processes of one user share on one machine, and the checks that exclude other
 * users.
 *
 * <p>For the modules of this project. Control path only; any thread may call.
 */
@NullMarked
package io.rdma4j.base.local;

import org.jspecify.annotations.NullMarked;
