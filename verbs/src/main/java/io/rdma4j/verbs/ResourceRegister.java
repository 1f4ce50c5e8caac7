package io.rdma4j.verbs;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The open objects of a device over all its contexts. Corresponds to {@code struct rdma_restrack_root}. An object is
 * added in the last step of its creation and removed when it is closed. Any thread.
 */
final class ResourceRegister {
    private final Map<Object, Entry> entries = new LinkedHashMap<>();
    private final Map<ResourceKind, Integer> lastIds = new EnumMap<>(ResourceKind.class);

    private record Entry(ResourceKind kind, int id, Context context) {}

    /** Adds a complete object, if the register contains its kind ({@code rdma_restrack_add}). */
    synchronized void add(ObjectKind objects, Object object, Context context) {
        ResourceKind kind = ResourceKind.of(objects);
        if (kind != null) {
            int id = object instanceof RealQueuePair pair ? pair.ops().qpn() : lastIds.merge(kind, 1, Integer::sum);
            entries.put(object, new Entry(kind, id, context));
        }
    }

    /** Removes a closed object ({@code rdma_restrack_del}). */
    synchronized void remove(Object object) {
        entries.remove(object);
    }

    private synchronized Map<Object, Entry> snapshot() {
        return new LinkedHashMap<>(entries);
    }

    /** In the order of creation. */
    List<Resource> list() {
        Map<Object, Entry> all = snapshot();
        List<Resource> resources = new ArrayList<>();
        all.forEach((object, entry) -> resources.add(new Resource(
                entry.kind(), entry.id(), entry.context().owner(), details(all, object, entry.context()))));
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
            details.put(entry.kind().idLabel(), entry.id());
        }
    }
}
