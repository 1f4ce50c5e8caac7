@NullMarked
package io.rdma4j.net;

import org.jspecify.annotations.NullMarked;
