// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm.host;

/** Runs what may block, such as the name service, apart from the threads that drive the devices. */
final class HostTasks {
    private HostTasks() {}

    static void run(Runnable task) {
        Thread.ofVirtual().name("rdma_cm task").start(task);
    }
}
