"""The tables, one file per noun: columns, constraints and indexes, no verbs."""

from switchboard.models.accounts import Account, Membership, Name, Team, Token
from switchboard.models.base import Base
from switchboard.models.connections import Connection
from switchboard.models.deliveries import Delivery, DeliveryBody, DeliveryKey
from switchboard.models.endpoints import Endpoint
from switchboard.models.replies import Reply
from switchboard.models.sources import Source, SourceRoute, SourceSecret
from switchboard.models.todos import Todo

__all__ = [
    "Account",
    "Base",
    "Connection",
    "Delivery",
    "DeliveryBody",
    "DeliveryKey",
    "Endpoint",
    "Membership",
    "Name",
    "Reply",
    "Source",
    "SourceRoute",
    "SourceSecret",
    "Team",
    "Todo",
    "Token",
]
