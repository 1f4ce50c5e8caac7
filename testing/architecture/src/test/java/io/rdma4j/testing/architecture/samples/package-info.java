/** Code that breaks the rules of the house, to show that the rules can fail. Nobody runs it. */
@NullMarked
package io.rdma4j.testing.architecture.samples;

import org.jspecify.annotations.NullMarked;
