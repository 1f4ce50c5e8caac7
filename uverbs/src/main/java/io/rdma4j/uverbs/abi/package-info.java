// SPDX-License-Identifier: Apache-2.0
/** The protocol between client and server: the table of commands, their attributes, and the encoding of both. */
@NullMarked
package io.rdma4j.uverbs.abi;

import org.jspecify.annotations.NullMarked;
