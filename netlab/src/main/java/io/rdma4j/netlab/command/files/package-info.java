// SPDX-License-Identifier: Apache-2.0
/** The commands on files, and the files of a machine in {@code /sys} and {@code /proc}. */
@NullMarked
package io.rdma4j.netlab.command.files;

import org.jspecify.annotations.NullMarked;
