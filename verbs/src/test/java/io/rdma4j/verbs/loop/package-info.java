/**
 * The smallest useful provider: queue pairs of one device send to one another. The core's tests run on it, and it shows
 * what a provider has to write.
 */
package io.rdma4j.verbs.loop;
