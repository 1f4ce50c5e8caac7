// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.XrcDomain;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The protection domain and the XRC domain that the ids of a device share if the program names none. They exist as long
 * as an id uses them. With the lock of rdma_cm.
 */
final class DefaultDomains {
    private static final class Domains {
        final ProtectionDomain pd;

        @Nullable
        XrcDomain xrcDomain;

        int users;

        Domains(ProtectionDomain pd) {
            this.pd = pd;
        }
    }

    /** The use of the domains of a device by one id. */
    final class Share {
        private final LocalDevice device;
        private final Context context;
        private final Domains shared;

        private Share(LocalDevice device, Context context, Domains shared) {
            this.device = device;
            this.context = context;
            this.shared = shared;
        }

        ProtectionDomain pd() {
            return shared.pd;
        }

        XrcDomain xrcDomain() {
            XrcDomain known = shared.xrcDomain;
            if (known == null) {
                known = context.openXrcDomain();
                shared.xrcDomain = known;
            }
            return known;
        }

        void close() {
            if (--shared.users == 0 && closed(shared)) {
                domains.remove(device);
            }
        }
    }

    private final Map<LocalDevice, Domains> domains = new HashMap<>();

    Share share(LocalDevice device, Context context) {
        Domains shared = domains.computeIfAbsent(device, _ -> new Domains(context.allocatePd()));
        shared.users++;
        return new Share(device, context, shared);
    }

    /** False if objects of the program are left in a domain, which the next id uses then. */
    private static boolean closed(Domains unused) {
        try {
            XrcDomain xrcDomain = unused.xrcDomain;
            if (xrcDomain != null) {
                xrcDomain.close();
                unused.xrcDomain = null;
            }
            unused.pd.close();
            return true;
        } catch (RdmaException e) {
            if (e.errno() != Errno.EBUSY) {
                throw e;
            }
            return false;
        }
    }
}
