// SPDX-License-Identifier: Apache-2.0
/**
 * A minimal provider: queue pairs of one device send to each other. The tests of the core use it, and it is an example
 * of the code that a provider needs.
 */
package io.rdma4j.verbs.loop;
