// SPDX-License-Identifier: Apache-2.0
/** The tools of librdmacm: programs that connect by address and port. */
@NullMarked
package io.rdma4j.tools.rdmacm;

import org.jspecify.annotations.NullMarked;
