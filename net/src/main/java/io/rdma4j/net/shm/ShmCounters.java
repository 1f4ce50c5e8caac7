package io.rdma4j.net.shm;

import java.util.SequencedMap;

/** What went past the sockets. The owner of the loop counts; any thread reads what is a little old. */
final class ShmCounters {
    long sentPackets;
    long sentReferences;
    long sentOfProcess;
    long sentLost;
    long full;
    long receivedPackets;
    long sentNotes;
    long receivedNotes;
    long processReads;
    long processesRefused;
    long wakeUps;
    long visits;
    long channels;
    long cutOff;

    /** Adds them to the statistics of a driver. */
    void addTo(SequencedMap<String, Long> statistics) {
        statistics.put("shm_tx_packets", sentPackets);
        statistics.put("shm_tx_references", sentReferences);
        statistics.put("shm_tx_process_references", sentOfProcess);
        statistics.put("shm_tx_lost", sentLost);
        statistics.put("shm_tx_full", full);
        statistics.put("shm_tx_notes", sentNotes);
        statistics.put("shm_rx_packets", receivedPackets);
        statistics.put("shm_rx_notes", receivedNotes);
        statistics.put("shm_rx_process_reads", processReads);
        statistics.put("shm_rx_processes_refused", processesRefused);
        statistics.put("shm_wake_ups", wakeUps);
        statistics.put("shm_visits", visits);
        statistics.put("shm_channels", channels);
        statistics.put("shm_cut_off", cutOff);
    }
}
