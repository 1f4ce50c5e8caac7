package io.rdma4j.net;

import java.util.Arrays;

/**
 * Link addresses that a device receives besides its own ({@code netdev_hw_addr_list}). Immutable, so that the data path
 * scans it without a lock; each address counts how often it was added.
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

    /** With one more use of {@code address}. */
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

    /** With one use of {@code address} less, which it contains; the last one removes it. */
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

    /** The addresses, a copy. */
    long[] toArray() {
        return addresses.clone();
    }
}
