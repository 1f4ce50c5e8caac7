@NullMarked
package io.rdma4j.packet;

import org.jspecify.annotations.NullMarked;
