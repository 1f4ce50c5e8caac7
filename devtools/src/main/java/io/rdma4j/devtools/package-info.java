// SPDX-License-Identifier: Apache-2.0
/** The commands {@code features}, {@code sim} and {@code interop}. */
@NullMarked
package io.rdma4j.devtools;

import org.jspecify.annotations.NullMarked;
