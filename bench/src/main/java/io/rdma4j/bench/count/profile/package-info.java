// SPDX-License-Identifier: Apache-2.0
/** In which methods the instructions of counted operations are. */
@NullMarked
package io.rdma4j.bench.count.profile;

import org.jspecify.annotations.NullMarked;
