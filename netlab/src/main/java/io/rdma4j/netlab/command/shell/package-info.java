// SPDX-License-Identifier: Apache-2.0
/** The session of a command, its words, and its output; the nested shells of a console. */
@NullMarked
package io.rdma4j.netlab.command.shell;

import org.jspecify.annotations.NullMarked;
