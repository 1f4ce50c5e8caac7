// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.shm;

import java.util.SequencedMap;

/**
 * Counters of shared memory traffic. The owner of the loop writes them; any thread may read slightly outdated values.
 */
final class ShmCounters {
    long sentPackets;
    long sentReferences;
    long sentOfProcess;
    long sentLost;
    long full;
    long receivedPackets;
    long sentMessages;
    long storedMessages;
    long receivedMessages;
    long processReads;
    long processesRefused;
    long wakeUps;
    long visits;
    long channels;
    long cutOff;

    /** Adds the counters to the statistics of a driver. */
    void addTo(SequencedMap<String, Long> statistics) {
        statistics.put("shm_tx_packets", sentPackets);
        statistics.put("shm_tx_references", sentReferences);
        statistics.put("shm_tx_process_references", sentOfProcess);
        statistics.put("shm_tx_lost", sentLost);
        statistics.put("shm_tx_full", full);
        statistics.put("shm_tx_link_messages", sentMessages);
        statistics.put("shm_tx_link_stores", storedMessages);
        statistics.put("shm_rx_packets", receivedPackets);
        statistics.put("shm_rx_link_messages", receivedMessages);
        statistics.put("shm_rx_process_reads", processReads);
        statistics.put("shm_rx_processes_refused", processesRefused);
        statistics.put("shm_wake_ups", wakeUps);
        statistics.put("shm_visits", visits);
        statistics.put("shm_channels", channels);
        statistics.put("shm_cut_off", cutOff);
    }
}
