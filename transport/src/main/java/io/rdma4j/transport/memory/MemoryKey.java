// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.memory;

import org.jspecify.annotations.Nullable;

/**
 * An entry of the device's table of keys: a region or a memory window. Corresponds to {@code rxe_mr} and
 * {@code rxe_mw}.
 *
 * <p>Only the owner of the port loop accesses its state; {@link #handle()} and the protection domain never change.
 */
public abstract sealed class MemoryKey permits RegionKey, WindowKey {
    public static final int VARIANT_MASK = 0xFF;

    /** Stands for all protection domains. */
    static final Object ANY_DOMAIN = new Object();

    private final Object protectionDomain;
    private int key;
    private int access;
    private boolean valid;

    MemoryKey(int key, Object protectionDomain) {
        this.key = key;
        this.protectionDomain = protectionDomain;
    }

    /** {@return the current 32-bit key: mixed index in the upper 24 bits, variant in the lower 8} */
    public int key() {
        return key;
    }

    /** {@return the key without its variant, by which work requests name the entry} */
    public int handle() {
        return key & ~VARIANT_MASK;
    }

    public Object protectionDomain() {
        return protectionDomain;
    }

    /** True while requests may use it. */
    public boolean isValid() {
        return valid;
    }

    /** Makes the entry valid under a new variant of the key. */
    public void validate(int variantOf, int rights) {
        key = handle() | variantOf & VARIANT_MASK;
        access = rights;
        valid = true;
    }

    void setInvalid() {
        valid = false;
    }

    /** True if it is valid and grants all of {@code rights}, bits of {@link io.rdma4j.verbs.values.AccessFlag}. */
    final boolean grants(int wholeKey, Object domain, int rights) {
        return valid && isNamed(wholeKey, domain) && (access & rights) == rights;
    }

    /** True if {@code wholeKey} is its key, and it belongs to {@code domain} or to all protection domains. */
    @SuppressWarnings("ReferenceEquality") // protection domains are compared by identity
    public final boolean isNamed(int wholeKey, Object domain) {
        return key == wholeKey && (protectionDomain == domain || protectionDomain == ANY_DOMAIN);
    }

    public final boolean hasAccess(int rights) {
        return (access & rights) == rights;
    }

    /** True if the peer of {@code queuePair} may use the entry at all. */
    abstract boolean isOpenTo(Object queuePair);

    /** True if the {@code length} bytes at {@code address} are inside; cannot wrap. */
    public abstract boolean contains(long address, long length);

    /** Address of the first byte, as used in requests. */
    public abstract long start();

    /** Bytes. */
    public abstract long length();

    /** The region that contains the bytes; null for an unbound window. */
    @Nullable
    public abstract RegionKey region();

    /** Translates {@code address}, as used in requests, to the address space of {@link #region}. */
    public abstract long toRegion(long address);

    /**
     * True if {@code length} bytes at {@code address} are inside a range of {@code size} bytes from {@code start} on.
     */
    static boolean isWithin(long address, long length, long start, long size) {
        long offset = address - start;
        return length >= 0 && length <= size && offset >= 0 && offset <= size - length;
    }
}
