// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import io.rdma4j.verbs.core.ObjectKind;
import io.rdma4j.verbs.state.Admission;
import io.rdma4j.verbs.values.Resource;
import io.rdma4j.verbs.values.ResourceKind;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The open objects of a device over all its contexts. Corresponds to {@code struct rdma_restrack_root}. An object is
 * added in the last step of its creation and removed when it is closed. Any thread.
 */
final class ResourceRegister {
    private final Map<Object, Entry> entries = new LinkedHashMap<>();
    private final Map<ResourceKind, Integer> lastIds = new EnumMap<>(ResourceKind.class);

    /** @param id number of the object; not used for queue pairs, whose number is the id */
    private record Entry(ResourceKind kind, int id, Context context) {
        int id(Object object) {
            return object instanceof RealQueuePair pair ? pair.ops().qpn() : id;
        }
    }

    /** The register, as the objects of a context use it. */
    Admission.Register of(Context context) {
        Entry ofQueuePairs = new Entry(ResourceKind.QP, 0, context);
        return new Admission.Register() {
            @Override
            public void add(ObjectKind kind, Object object) {
                if (object instanceof RealQueuePair) {
                    put(object, ofQueuePairs);
                } else {
                    ResourceRegister.this.add(kind, object, context);
                }
            }

            @Override
            public void remove(Object object) {
                ResourceRegister.this.remove(object);
            }
        };
    }

    /** Adds a complete object, if the register contains its kind ({@code rdma_restrack_add}). */
    synchronized void add(ObjectKind objects, Object object, Context context) {
        ResourceKind kind = kind(objects);
        if (kind != null) {
            put(object, new Entry(kind, lastIds.merge(kind, 1, Integer::sum), context));
        }
    }

    private synchronized void put(Object object, Entry entry) {
        entries.put(object, entry);
    }

    /** Null for objects that the register does not contain. */
    private static @Nullable ResourceKind kind(ObjectKind objects) {
        return switch (objects) {
            case PROTECTION_DOMAIN -> ResourceKind.PD;
            case COMPLETION_QUEUE -> ResourceKind.CQ;
            case QUEUE_PAIR -> ResourceKind.QP;
            case MEMORY_REGION -> ResourceKind.MR;
            case CONTEXT -> ResourceKind.CONTEXT;
            case SHARED_RECEIVE_QUEUE -> ResourceKind.SRQ;
            default -> null;
        };
    }

    /** Removes a closed object ({@code rdma_restrack_del}). */
    synchronized void remove(Object object) {
        entries.remove(object);
    }

    private synchronized Map<Object, Entry> snapshot() {
        return new LinkedHashMap<>(entries);
    }

    /** In the order of creation; a new list. */
    List<Resource> list() {
        Map<Object, Entry> all = snapshot();
        List<Resource> resources = new ArrayList<>();
        all.forEach((object, entry) -> resources.add(new Resource(
                entry.kind(), entry.id(object), entry.context().owner(), details(all, object, entry.context()))));
        return resources;
    }

    private static Map<String, Object> details(Map<Object, Entry> all, Object object, Context context) {
        Map<String, Object> details = new LinkedHashMap<>();
        switch (object) {
            case ProtectionDomain pd -> details.put("users", pd.life().users());
            case CompletionQueue cq -> {
                details.put("cqe", cq.capacity());
                details.put("users", cq.life().users());
            }
            case RealQueuePair pair -> {
                details.put("type", pair.type());
                details.put("state", pair.ops().state());
                ProtectionDomain pd = pair.pd();
                if (pd != null) {
                    putId(details, all, pd);
                }
            }
            case MemoryRegion region -> {
                details.put("rkey", "0x" + Integer.toHexString(region.rkey()));
                details.put("lkey", "0x" + Integer.toHexString(region.lkey()));
                details.put("mrlen", region.lengthBytes());
                putId(details, all, region.protectionDomain());
            }
            case SharedReceiveQueue srq -> {
                details.put("type", srq.type());
                putId(details, all, srq.protectionDomain());
            }
            default -> {
                return details;
            }
        }
        putId(details, all, context);
        return details;
    }

    /** Adds the number of another object, unless that object has just been removed. */
    private static void putId(Map<String, Object> details, Map<Object, Entry> all, Object object) {
        Entry entry = all.get(object);
        if (entry != null) {
            details.put(entry.kind().idLabel(), entry.id(object));
        }
    }
}
