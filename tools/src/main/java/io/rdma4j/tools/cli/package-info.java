/**
 * What a command line consists of: {@link io.rdma4j.tools.cli.Command}, options in the manner of {@code getopt_long}, and JSON.
 *
 * <p>Called by all tools; small, because every tool loads it before it can begin.
 */
@NullMarked
package io.rdma4j.tools.cli;

import org.jspecify.annotations.NullMarked;
