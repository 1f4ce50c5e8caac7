"""Connections of the guest's side by rdma_cm: the commands of peer.py that begin with "cm_". One listener and one connection
at a time."""
import pyverbs.cm_enums as ce
import pyverbs.enums as e
from pyverbs.cmid import CMID, AddrInfo, CMEvent, CMEventChannel, ConnParam
from pyverbs.qp import QPCap, QPInitAttr

MESSAGE = 64
RESOLVE_MS = 2000
NAMES = {value: name[len("RDMA_CM_EVENT_"):] for name, value in vars(ce).items() if name.startswith("RDMA_CM_EVENT_")}


def parameters(data):
    result = ConnParam(resources=1, depth=1, data_len=len(data))
    if data:
        result.set_private_data(data.encode())
    return result


class Connections:
    def __init__(self):
        self.channel = CMEventChannel()
        self.listener = self.id = self.region = None
        self.waiting = []

    def new(self, space):
        self.type = e.IBV_QPT_UD if space == "UDP" else e.IBV_QPT_RC
        self.space = getattr(ce, "RDMA_PS_" + space)
        return CMID(creator=self.channel, port_space=self.space)

    def do_cm_listen(self, address, space, port, backlog):
        self.listener = self.new(space)
        self.listener.bind_addr(AddrInfo(src=address, src_service=str(port), port_space=self.space,
                                         flags=ce.RAI_PASSIVE))
        self.listener.listen(backlog=backlog)
        return {}

    def do_cm_connect(self, address, space, port, data="", further=0):
        if further:  # the object would end the request if nothing held it
            self.waiting.append((self.id, self.region, self.received))
        self.id = self.new(space)
        self.id.resolve_addr(AddrInfo(dst=address, dst_service=str(port), port_space=self.space), RESOLVE_MS)
        self.expect("ADDR_RESOLVED")
        self.id.resolve_route(RESOLVE_MS)
        self.expect("ROUTE_RESOLVED")
        self.prepare()
        self.id.connect(parameters(data))
        return {}

    def expect(self, name):
        found = self.do_cm_event()["event"]
        if found != name:
            raise ValueError("event %s, %s expected" % (found, name))

    def prepare(self):
        """Queue pair, and the receive of the first message."""
        self.id.create_qp(QPInitAttr(qp_type=self.type, cap=QPCap(max_send_wr=4, max_recv_wr=4)))
        self.region = self.id.reg_msgs(MESSAGE)
        self.received = self.id.reg_msgs(MESSAGE)
        self.id.post_recv(self.received, MESSAGE)

    def do_cm_event(self):
        event = CMEvent(self.channel)
        name = NAMES[event.event_type]
        # CMEvent does not tell the length: private data of events has zeros behind it.
        data = bytes(event.private_data or b"").split(b"\0")[0].decode("ascii", "replace")
        if name == "CONNECT_REQUEST":
            self.id = CMID(creator=event, listen_id=self.listener)
        event.ack_cm_event()
        return dict(event=name, data=data or "-")

    def do_cm_accept(self, data=""):
        self.prepare()
        self.id.accept(parameters(data))
        return {}

    def do_cm_reject(self, data=""):
        self.id.reject(data.encode())
        return {}

    def do_cm_disconnect(self):
        self.id.disconnect()
        return {}

    def do_cm_send(self, text):
        self.region.write(text.ljust(MESSAGE, "."), MESSAGE)
        self.id.post_send(self.region, e.IBV_SEND_SIGNALED, MESSAGE)
        return dict(status=self.id.get_send_comp().status)

    def do_cm_receive(self):
        status = self.id.get_recv_comp().status
        text = self.received.read(MESSAGE, 0).decode().rstrip(".") if status == 0 else ""
        if status == 0:
            self.id.post_recv(self.received, MESSAGE)
        return dict(status=status, text=text)

    def do_cm_close(self):
        if self.id:
            self.id.close()
            self.id = None
        for id, region, received in self.waiting:
            id.close()
        self.waiting = []
        return {}
