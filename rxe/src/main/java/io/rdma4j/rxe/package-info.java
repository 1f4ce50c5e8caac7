@NullMarked
package io.rdma4j.rxe;

import org.jspecify.annotations.NullMarked;
