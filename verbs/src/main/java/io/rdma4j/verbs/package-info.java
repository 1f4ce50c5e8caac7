@NullMarked
package io.rdma4j.verbs;

import org.jspecify.annotations.NullMarked;
