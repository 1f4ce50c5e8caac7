// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.abi;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.spi.PortInterface;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Network interfaces as bytes: for each its index, P_Key, GID, number of addresses and addresses; big-endian. */
public final class InterfaceCodec {
    private static final int MAX_ADDRESSES = 64;

    /**
     * What a client knows of an interface.
     *
     * @param index of the interface, from 1
     * @param pkey of its partition, 16 bits
     * @param gid in its link address
     * @param addresses its IP addresses
     */
    public record Entry(int index, int pkey, Gid gid, List<Gid> addresses) {}

    private InterfaceCodec() {}

    /**
     * {@return interfaces as bytes; of one with more than 64 addresses the first ones}
     *
     * @param interfaces any number
     */
    public static byte[] encode(List<PortInterface> interfaces) {
        ByteBuffer bytes = ByteBuffer.allocate(interfaces.size() * (12 + Gid.BYTES * (1 + MAX_ADDRESSES)));
        for (PortInterface each : interfaces) {
            List<Gid> addresses = each.addresses();
            int count = Math.min(addresses.size(), MAX_ADDRESSES);
            bytes.putInt(each.interfaceIndex())
                    .putInt(each.pkey())
                    .put(each.gid().toBytes())
                    .putInt(count);
            addresses.subList(0, count).forEach(address -> bytes.put(address.toBytes()));
        }
        byte[] used = new byte[bytes.position()];
        bytes.flip().get(used);
        return used;
    }

    /**
     * {@return the interfaces of bytes}
     *
     * @param data as {@link #encode} returns them
     * @throws RdmaException EIO if the bytes are malformed
     */
    public static List<Entry> decode(byte[] data) {
        ByteBuffer bytes = ByteBuffer.wrap(data);
        List<Entry> entries = new ArrayList<>();
        try {
            while (bytes.hasRemaining()) {
                int index = bytes.getInt();
                int pkey = bytes.getInt();
                Gid gid = gid(bytes);
                int count = bytes.getInt();
                List<Gid> addresses = new ArrayList<>();
                for (int i = 0; i < count; i++) {
                    addresses.add(gid(bytes));
                }
                entries.add(new Entry(index, pkey, gid, List.copyOf(addresses)));
            }
        } catch (BufferUnderflowException e) {
            throw new RdmaException(Errno.EIO, "the list of network interfaces is cut off", e);
        }
        return entries;
    }

    private static Gid gid(ByteBuffer from) {
        byte[] bytes = new byte[Gid.BYTES];
        from.get(bytes);
        return Gid.ofBytes(bytes);
    }
}
