/** The commands: one class each, and what only commands need to print. */
@NullMarked
package io.rdma4j.tools;

import org.jspecify.annotations.NullMarked;
