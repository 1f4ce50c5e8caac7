// SPDX-License-Identifier: Apache-2.0
/**
 * The command line: {@link io.rdma4j.tools.Main} finds the tool by its name. Each tool is one class that parses its
 * arguments, calls the library and prints.
 *
 * <p>Only the launcher {@code ./rdma4j} calls it. A tool uses the public API only.
 */
@NullMarked
package io.rdma4j.tools;

import org.jspecify.annotations.NullMarked;
