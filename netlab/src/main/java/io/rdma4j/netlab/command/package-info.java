// SPDX-License-Identifier: Apache-2.0
/**
 * The commands that configure and show a machine, with the syntax and output of Linux: {@code ip}, {@code ethtool},
 * {@code tc}, {@code rdma} and others, one class for each. {@link io.rdma4j.netlab.command.Shell} runs them for tools,
 * topology files and tests.
 */
@NullMarked
package io.rdma4j.netlab.command;

import org.jspecify.annotations.NullMarked;
