// SPDX-License-Identifier: Apache-2.0
/** The commands {@code features}, {@code sim}, {@code interop}, {@code programs} and {@code dropin}. */
@NullMarked
package io.rdma4j.devtools;

import org.jspecify.annotations.NullMarked;
