"""All of one user's tables inside one transaction."""

from __future__ import annotations

from dataclasses import dataclass

from memory.store.conversations import ConversationGateway
from memory.store.jobs import JobGateway
from memory.store.memories import LifeGateway
from memory.store.mirror import MirrorGateway
from memory.store.purge import PurgeGateway
from memory.store.tombstones import ProposalGateway, TombstoneGateway
from memory.store.traces import NightGateway, TraceGateway
from memory.store.transaction import ChangeGateway, Transaction, new_id
from memory.store.transfer import TransferGateway
from memory.store.vectors import VectorGateway


@dataclass(slots=True)
class SqliteTx(Transaction):
    """`memory.ports.Tx` over one connection."""

    @property
    def memories(self) -> PurgeGateway:
        """See `memory.ports.MemoryTable`."""
        return PurgeGateway(self)

    @property
    def lives(self) -> LifeGateway:
        """See `memory.ports.LifeTable`."""
        return LifeGateway(self)

    @property
    def vectors(self) -> VectorGateway:
        """See `memory.ports.VectorTable`."""
        return VectorGateway(self)

    @property
    def conversations(self) -> ConversationGateway:
        """See `memory.ports.ConversationTable`."""
        return ConversationGateway(self)

    @property
    def jobs(self) -> JobGateway:
        """See `memory.ports.JobTable`."""
        return JobGateway(self)

    @property
    def changes(self) -> ChangeGateway:
        """See `memory.ports.ChangeTable`."""
        return ChangeGateway(self)

    @property
    def tombstones(self) -> TombstoneGateway:
        """See `memory.ports.TombstoneTable`."""
        return TombstoneGateway(self)

    @property
    def traces(self) -> TraceGateway:
        """See `memory.ports.TraceTable`."""
        return TraceGateway(self)

    @property
    def proposals(self) -> ProposalGateway:
        """See `memory.ports.ProposalTable`."""
        return ProposalGateway(self)

    @property
    def nights(self) -> NightGateway:
        """See `memory.ports.NightTable`."""
        return NightGateway(self)

    @property
    def mirror(self) -> MirrorGateway:
        """See `memory.ports.MirrorTable`."""
        return MirrorGateway(self)

    @property
    def transfer(self) -> TransferGateway:
        """See `memory.ports.TransferTable`."""
        return TransferGateway(self)

    def finish(self) -> None:
        """Leave one `embed` job for what has no vector yet, and one `mirror` job; called before COMMIT."""
        name, now = self.shared.embedder, self.shared.clock()
        wanted = list(self.unembedded)
        if wanted and name is not None:
            wanted = self.vectors.without(wanted, name)
        if wanted:
            lane = f"embed:{self.owner}"
            self.jobs.enqueue("embed", new_id(self.con), {"memory_ids": wanted}, now, lane=lane)
        if self.shared.mirror and self.remembers:
            self.jobs.mirror(now)
