// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm.gsi;

/**
 * The way of this process to the communication manager of a process that serves a device: an extension of the contexts
 * of such devices ({@link io.rdma4j.verbs.Context#extension}).
 */
@FunctionalInterface
public interface CmAccess {
    /**
     * Begins the use of the queue pairs 1 of the device by one communication manager.
     *
     * @return the use; the caller closes it
     * @throws io.rdma4j.base.RdmaException EAGAIN if too many managers use the device, EINVAL if a program manages the
     *     class itself, EOPNOTSUPP if the serving process has no such command, EIO if it has ended
     */
    CmChannel attach();
}
