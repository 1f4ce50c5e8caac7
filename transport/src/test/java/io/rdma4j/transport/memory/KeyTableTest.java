// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.values.AccessFlag;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class KeyTableTest {
    private final Object domain = new Object();
    private final MemorySegment memory = Arena.ofAuto().allocate(100);

    private RegionKey register(KeyTable keys) {
        return register(keys, 0);
    }

    private RegionKey register(KeyTable keys, int access) {
        return keys.register(domain, memory, memory.address(), access);
    }

    @Test
    @Covers({"MR-32", "RXE-38"})
    void keyIsIndexAndVariantAndNeverZero() {
        KeyTable keys = new KeyTable(100, 0, NumberSequence.counting(1));
        RegionKey first = register(keys);
        RegionKey second = register(keys);
        assertThat(first.key()).isNotZero();
        assertThat(second.key() >>> 8).isEqualTo((first.key() >>> 8) + 1);
        assertThat(keys.lookup(domain, first.key(), 0)).isSameAs(first);
        assertThat(keys.lookup(domain, second.key(), 0)).isSameAs(second);
    }

    /** {@code ib_rereg_phys_mr}: peers that have the key of some memory cannot reach other memory with it. */
    @Test
    @Covers({"MR-7", "MR-8", "MR-9"})
    void onlyOtherMemoryGetsAnotherKey() {
        KeyTable keys = new KeyTable(1, 0, NumberSequence.counting(1));
        Object other = new Object();
        RegionKey first = register(keys, AccessFlag.LOCAL_WRITE.bit());
        RegionKey changed = keys.change(first, other, List.of(memory), memory.address(), 0);
        assertThat(changed.key()).isEqualTo(first.key());
        assertThat(first.isValid()).isFalse();
        assertThat(keys.lookup(domain, first.key(), 0)).isNull();
        assertThat(keys.lookup(other, first.key(), AccessFlag.LOCAL_WRITE.bit()))
                .isNull();
        assertThat(keys.lookup(other, first.key(), 0)).isSameAs(changed);
        RegionKey shorter = keys.replace(changed, other, List.of(memory.asSlice(0, 50)), memory.address(), 0);
        assertThat(shorter.key()).isNotEqualTo(first.key());
        assertThat(keys.lookup(other, first.key(), 0)).isNull();
    }

    /** What is not registered yet, or not any more, is there but not valid. */
    @Test
    @Covers({"MR-31", "RXE-38", "RXE-40"})
    void aRegionIsValidFromRegistrationToRevocation() {
        KeyTable keys = new KeyTable(100, 0, NumberSequence.counting(1));
        RegionKey fast = keys.allocateFast(domain);
        assertThat(fast.isValid()).isFalse();
        assertThat(keys.lookup(domain, fast.key(), 0)).isNull();
        RegionKey region = register(keys);
        assertThat(region.isValid()).isTrue();
        keys.revoke(region);
        assertThat(region.isValid()).isFalse();
    }

    /**
     * {@code RXE_LOOKUP_LOCAL} and {@code RXE_LOOKUP_REMOTE}: a region has one key for both, a window none for local
     * use.
     */
    @Test
    @Covers("MR-30")
    void aLocalLookupKnowsLocalKeysOnly() {
        KeyTable keys = new KeyTable(100, 100, NumberSequence.counting(1));
        RegionKey region = register(keys);
        WindowKey window = keys.allocateWindow(domain, false);
        window.bind(region, memory.address(), 10, false, this);
        window.validate(window.key(), 0);
        assertThat(keys.lookup(domain, region.key(), 0)).isSameAs(region);
        assertThat(keys.lookupRemote(domain, this, region.key(), 0)).isSameAs(region);
        assertThat(keys.lookup(domain, window.key(), 0)).isNull();
        assertThat(keys.lookupRemote(domain, this, window.key(), 0)).isSameAs(window);
    }

    /** The lifetime of every piece counts, wherever it stands in the list. */
    @Test
    @Covers("MR-33")
    void aRegionIsAliveWhileAllItsPiecesAre() {
        Arena closing = Arena.ofShared();
        KeyTable keys = new KeyTable(100, 0, NumberSequence.counting(1));
        RegionKey region =
                keys.register(domain, List.of(memory, closing.allocate(10), memory), 0, AccessFlag.LOCAL_WRITE.bit());
        assertThat(region.length()).isEqualTo(210);
        assertThat(region.admits(0, 0)).isTrue();
        closing.close();
        assertThat(region.admits(0, 0)).isFalse();
    }

    @Test
    @Covers({"MR-34", "RXE-208"})
    void lookupWantsTheWholeKeyTheDomainAndAllRights() {
        KeyTable keys = new KeyTable(100, 0, NumberSequence.counting(1));
        int rights = AccessFlag.LOCAL_WRITE.bit() | AccessFlag.REMOTE_READ.bit();
        RegionKey entry = register(keys, rights);
        assertThat(keys.lookup(domain, entry.key(), rights)).isSameAs(entry);
        assertThat(keys.lookup(domain, entry.key(), AccessFlag.REMOTE_READ.bit()))
                .isSameAs(entry);
        assertThat(keys.lookup(domain, entry.key(), rights | AccessFlag.REMOTE_WRITE.bit()))
                .isNull();
        assertThat(keys.lookup(new Object(), entry.key(), 0)).isNull();
        for (int bit = 0; bit < 32; bit++) {
            assertThat(keys.lookup(domain, entry.key() ^ 1 << bit, 0))
                    .as("bit " + bit)
                    .isNull();
        }
        assertThat(keys.lookup(domain, 0, 0)).isNull();
        assertThat(keys.lookup(domain, -1, 0)).isNull();
    }

    /**
     * Whatever numbers come, each entry is found by its own key, and a key with another number at the same place finds
     * nothing.
     */
    @Test
    void randomNumbersAreFoundAlsoWhenTheTableGrows() {
        KeyTable keys = new KeyTable(5000, 0, new NumberSequence(7, "test"));
        DmaSpace space = new DmaSpace();
        RegionKey reserved = keys.reserved(space);
        List<RegionKey> entries = new ArrayList<>();
        for (int i = 0; i < 5000; i++) {
            entries.add(register(keys));
        }
        assertThat(entries).extracting(RegionKey::handle).doesNotHaveDuplicates();
        assertThat(entries).allSatisfy(entry -> {
            assertThat(keys.lookup(domain, entry.key(), 0)).isSameAs(entry);
            assertThat(keys.at(entry.handle())).isSameAs(entry);
            assertThat(keys.at(entry.key() ^ 1 << 31)).isNull();
        });
        assertThat(keys.lookup((DmaUser) () -> space, reserved.key(), 0)).isSameAs(reserved);
    }

    @Test
    @Covers("RXE-42")
    void staleKeysOfAPlaceAreRefusedThroughAllItsVariants() {
        KeyTable keys = new KeyTable(1, 0, NumberSequence.counting(1));
        Set<Integer> seen = new HashSet<>();
        Set<Integer> variants = new HashSet<>();
        RegionKey last = register(keys);
        for (int i = 0; i < 10_000; i++) {
            seen.add(last.key());
            variants.add(last.key() & 0xFF);
            keys.revoke(last);
            assertThat(keys.lookup(domain, last.key(), 0)).isNull();
            RegionKey next = register(keys);
            assertThat(keys.lookup(domain, last.key(), 0)).isNull();
            last = next;
        }
        assertThat(seen).as("no key comes twice in this time").hasSize(10_000);
        assertThat(variants).as("the variant of a place changes").hasSizeGreaterThan(100);
    }

    @Test
    void limitIsReportedWithItsNumberAndRevokingMakesRoom() {
        KeyTable keys = new KeyTable(3, 0, NumberSequence.counting(1));
        register(keys);
        register(keys);
        RegionKey third = register(keys);
        assertThatThrownBy(() -> register(keys))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENOMEM))
                .hasMessageContaining("3")
                .hasMessageContaining("max_mr");
        keys.revoke(third);
        assertThat(keys.lookup(domain, register(keys).key(), 0)).isNotNull();
    }

    @Test
    void tableGrowsToItsLimitAndKeepsWhatItHolds() {
        KeyTable keys = new KeyTable(5000, 0, NumberSequence.counting(1));
        List<RegionKey> entries = new ArrayList<>();
        for (int i = 0; i < 5000; i++) {
            entries.add(register(keys));
        }
        assertThat(entries).extracting(RegionKey::key).doesNotHaveDuplicates();
        assertThat(entries)
                .allSatisfy(
                        entry -> assertThat(keys.lookup(domain, entry.key(), 0)).isSameAs(entry));
        assertThatThrownBy(() -> register(keys)).isInstanceOf(RdmaException.class);
        entries.forEach(keys::revoke);
        assertThat(entries).allMatch(entry -> keys.lookup(domain, entry.key(), 0) == null);
        for (int i = 0; i < 5000; i++) {
            entries.set(i, register(keys));
        }
        assertThat(entries)
                .allSatisfy(
                        entry -> assertThat(keys.lookup(domain, entry.key(), 0)).isSameAs(entry));
    }

    @Test
    void revokingTwiceDoesNotTouchWhoCameAfter() {
        KeyTable keys = new KeyTable(1, 0, NumberSequence.counting(1));
        RegionKey first = register(keys);
        keys.revoke(first);
        keys.revoke(first);
        RegionKey second = register(keys);
        keys.revoke(first);
        assertThat(keys.lookup(domain, second.key(), 0)).isSameAs(second);
        assertThatThrownBy(() -> register(keys)).isInstanceOf(RdmaException.class);
    }

    @Test
    @Covers("MR-35")
    void rangesAreCheckedWithoutWrapping() {
        RegionKey key = new RegionKey(1, domain, List.of(memory), 1000, 0);
        assertThat(key.contains(1000, 100)).isTrue();
        assertThat(key.contains(1100, 0)).isTrue();
        assertThat(key.contains(1099, 1)).isTrue();
        assertThat(key.contains(1099, 2)).isFalse();
        assertThat(key.contains(999, 1)).isFalse();
        assertThat(key.contains(1101, 0)).isFalse();
        assertThat(key.contains(1000, -1)).isFalse();
        assertThat(key.contains(1050, Long.MAX_VALUE)).isFalse();
        assertThat(key.contains(1000 + Long.MIN_VALUE, 10)).isFalse();
        assertThat(key.contains(-1, 10)).isFalse();
    }
}
