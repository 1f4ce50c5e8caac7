// SPDX-License-Identifier: Apache-2.0
/**
 * Tools that read an InfiniBand subnet by management datagrams, with options, text and exit codes of infiniband-diags.
 *
 * <p>{@link io.rdma4j.tools.diag.DiagCommand} opens a port, {@link io.rdma4j.tools.diag.MadAccess} sends requests.
 */
@NullMarked
package io.rdma4j.tools.diag;

import org.jspecify.annotations.NullMarked;
