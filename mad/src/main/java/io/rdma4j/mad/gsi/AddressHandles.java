// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.mad.gsi;

import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.values.AddressVector;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Address handles of recent destinations. A handle stays open while a request uses it. Guarded by the queue pair. */
final class AddressHandles {
    private static final int KEPT = 64;

    /** A handle and the number of requests that use it. */
    static final class Entry {
        final AddressHandle handle;
        private int users;
        private boolean dropped;

        Entry(AddressHandle handle) {
            this.handle = handle;
        }
    }

    private final ProtectionDomain pd;
    private final Map<AddressVector, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);

    AddressHandles(ProtectionDomain pd) {
        this.pd = pd;
    }

    /** @throws io.rdma4j.base.RdmaException if the path is invalid now */
    Entry use(AddressVector vector) {
        Entry entry = entries.get(vector);
        if (entry == null) {
            entry = new Entry(pd.createAddressHandle(vector));
            entries.put(vector, entry);
        }
        entry.users++;
        return entry;
    }

    void release(Entry entry) {
        entry.users--;
        if (entry.dropped) {
            closeUnused(entry);
            return;
        }
        Iterator<Entry> oldest = entries.values().iterator();
        while (entries.size() > KEPT && oldest.hasNext()) {
            Entry old = oldest.next();
            if (old.users == 0) {
                oldest.remove();
                old.handle.close();
            }
        }
    }

    private static void closeUnused(Entry entry) {
        if (entry.users == 0) {
            entry.handle.close();
        }
    }

    /** Forgets all handles, because the tables that they refer to have changed. */
    void dropAll() {
        List<Entry> all = new ArrayList<>(entries.values());
        entries.clear();
        all.forEach(entry -> {
            entry.dropped = true;
            closeUnused(entry);
        });
    }
}
