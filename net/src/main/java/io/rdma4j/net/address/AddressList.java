// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.address;

import java.util.Arrays;

/**
 * An immutable list of link addresses that a device receives besides its own ({@code netdev_hw_addr_list}). The data
 * path scans it without a lock. Each address has a use count.
 */
final class AddressList {
    static final AddressList EMPTY = new AddressList(new long[0], new int[0]);

    private final long[] addresses;
    private final int[] uses;

    private AddressList(long[] addresses, int[] uses) {
        this.addresses = addresses;
        this.uses = uses;
    }

    boolean contains(long address) {
        return indexOf(address) >= 0;
    }

    private int indexOf(long address) {
        for (int i = 0; i < addresses.length; i++) {
            if (addresses[i] == address) {
                return i;
            }
        }
        return -1;
    }

    /** Returns a list with one more use of {@code address}. */
    AddressList plus(long address) {
        int found = indexOf(address);
        int count = addresses.length;
        if (found < 0) {
            long[] moreAddresses = Arrays.copyOf(addresses, count + 1);
            int[] moreUses = Arrays.copyOf(uses, count + 1);
            moreAddresses[count] = address;
            moreUses[count] = 1;
            return new AddressList(moreAddresses, moreUses);
        }
        int[] moreUses = uses.clone();
        moreUses[found]++;
        return new AddressList(addresses, moreUses);
    }

    /** Returns a list with one use of {@code address} less. The list must contain it; the last use removes it. */
    AddressList minus(long address) {
        int found = indexOf(address);
        int[] fewerUses = uses.clone();
        if (--fewerUses[found] > 0) {
            return new AddressList(addresses, fewerUses);
        }
        int last = addresses.length - 1;
        long[] fewerAddresses = addresses.clone();
        fewerAddresses[found] = addresses[last];
        fewerUses[found] = uses[last];
        return new AddressList(Arrays.copyOf(fewerAddresses, last), Arrays.copyOf(fewerUses, last));
    }

    boolean isEmpty() {
        return addresses.length == 0;
    }

    /** Returns a copy of the addresses. */
    long[] toArray() {
        return addresses.clone();
    }
}
