// SPDX-License-Identifier: Apache-2.0
/**
 * {@code rdma4j net}: runs a network inside the JVM. Its hosts run the project's tools and the commands of {@link
 * io.rdma4j.netlab.command.Shell}. Other processes can inspect and change it.
 */
@NullMarked
package io.rdma4j.tools.net;

import org.jspecify.annotations.NullMarked;
