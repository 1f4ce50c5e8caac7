// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.count;

import io.rdma4j.bench.verbs.SelfDevice;

/** Work whose operations are counted in a JVM of its own: what was compiled for one device slows down another one. */
public enum Subject {
    /** The rings between application and device. */
    RINGS {
        @Override
        Work open() {
            return new RingWork();
        }
    },
    /** Two queue pairs of one device. */
    ONE_JVM {
        @Override
        Work open() {
            SelfDevice device = new SelfDevice();
            return new MessageWork(
                    device.context(), device.context(), CountedOperation.JVM_POST, null, null, null, device::close);
        }
    },
    /** Two hosts that use shared memory. */
    SHARED_MEMORY {
        @Override
        Work open() {
            TwoHosts hosts = new TwoHosts(true);
            return new MessageWork(
                    hosts.first(),
                    hosts.second(),
                    CountedOperation.SHM_POST,
                    CountedOperation.SHM_TAKE,
                    CountedOperation.SHM_STORE,
                    CountedOperation.EMPTY_POLL,
                    hosts::close);
        }
    },
    /** Two hosts that use UDP sockets. */
    UDP {
        @Override
        Work open() {
            TwoHosts hosts = new TwoHosts(false);
            return new MessageWork(
                    hosts.first(),
                    hosts.second(),
                    CountedOperation.UDP_POST,
                    CountedOperation.UDP_TAKE,
                    null,
                    null,
                    hosts::close);
        }
    };

    /** Opens the devices. */
    abstract Work open();
}
