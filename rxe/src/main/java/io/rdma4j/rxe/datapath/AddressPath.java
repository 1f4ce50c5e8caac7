package io.rdma4j.rxe.datapath;

import io.rdma4j.transport.port.DatagramPath;
import io.rdma4j.verbs.Rate;

/** The path and the rate of datagrams to one address. For the owner of the port loop only. */
public final class AddressPath implements DatagramPath {
    private NetworkPath network;
    private Rate staticRate;

    public AddressPath(NetworkPath network, Rate staticRate) {
        this.network = network;
        this.staticRate = staticRate;
    }

    public void set(NetworkPath network, Rate staticRate) {
        this.network = network;
        this.staticRate = staticRate;
    }

    NetworkPath network() {
        return network;
    }

    @Override
    public Rate staticRate() {
        return staticRate;
    }
}
