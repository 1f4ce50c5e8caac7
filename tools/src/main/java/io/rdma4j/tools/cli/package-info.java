// SPDX-License-Identifier: Apache-2.0
/**
 * Parts of a command line: {@link io.rdma4j.tools.cli.Command}, options in the manner of {@code getopt_long}, and JSON.
 *
 * <p>All tools call it. It is small, because every tool loads it before it starts.
 */
@NullMarked
package io.rdma4j.tools.cli;

import org.jspecify.annotations.NullMarked;
