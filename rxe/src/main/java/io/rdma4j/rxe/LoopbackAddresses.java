// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.function.Function;

/**
 * The loopback addresses 127.0.0.1, 127.0.0.2, …. Linux accepts all of them without configuration, so that each process
 * can have its own.
 */
final class LoopbackAddresses {
    private static final int LAST = 254;

    private LoopbackAddresses() {}

    static InetAddress first() {
        return address(1);
    }

    /**
     * Calls {@code bind} for each address until it succeeds.
     *
     * @throws RdmaException EADDRINUSE or EADDRNOTAVAIL if no address is free; the message contains a hint
     */
    static <T> T firstFree(Function<InetAddress, T> bind) {
        for (int last = 1; ; last++) {
            try {
                return bind.apply(address(last));
            } catch (RdmaException e) {
                if (e.errno() == Errno.EADDRNOTAVAIL && last > 1) {
                    throw new RdmaException(
                            Errno.EADDRINUSE,
                            "the RoCE port of 127.0.0.1 is taken by another process, and this system has no "
                                    + address(last).getHostAddress()
                                    + ": add that address to the loopback interface, or give this process a device on"
                                    + " another address or port by " + RxeProvider.DEVICES_VARIABLE
                                    + "=NAME=udp:ADDR[:PORT]",
                            e);
                }
                if (e.errno() != Errno.EADDRINUSE) {
                    throw e;
                }
                if (last == LAST) {
                    throw new RdmaException(
                            Errno.EADDRINUSE,
                            "the RoCE port is taken on all addresses from 127.0.0.1 to 127.0.0." + LAST
                                    + ", as the kernel's rdma_rxe does (rdma link): end that program, or use another"
                                    + " port, for example"
                                    + " " + RxeProvider.DEVICES_VARIABLE + "=rxe0=udp:127.0.0.1:4792",
                            e);
                }
            }
        }
    }

    private static InetAddress address(int last) {
        try {
            return InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) last});
        } catch (UnknownHostException e) {
            throw new AssertionError("4 bytes are a legal length", e);
        }
    }
}
