"""The tables, one file per noun: columns, constraints and indexes, no verbs."""

from switchboard.models.accounts import Account, Membership, Name, Team, Token
from switchboard.models.base import Base
from switchboard.models.connections import Connection
from switchboard.models.deliveries import Delivery, DeliveryBody, DeliveryHour, DeliveryKey
from switchboard.models.endpoints import Endpoint
from switchboard.models.events import Event
from switchboard.models.faults import Fault
from switchboard.models.hooks import EndpointHook, HookCall
from switchboard.models.mail import MailBounce, MailMessage
from switchboard.models.oauth import EndpointToken, OAuthClient, OAuthCode
from switchboard.models.replies import Reply
from switchboard.models.repos import Repo
from switchboard.models.sessions import AgentSession, SessionMessage
from switchboard.models.sinks import MailToken, Notice, Sink
from switchboard.models.sources import Source, SourceRoute, SourceSecret
from switchboard.models.threads import Comment, Thread
from switchboard.models.todos import Todo
from switchboard.models.verdicts import Verdict

__all__ = [
    "Account",
    "AgentSession",
    "Base",
    "Comment",
    "Connection",
    "Delivery",
    "DeliveryBody",
    "DeliveryHour",
    "DeliveryKey",
    "Endpoint",
    "EndpointHook",
    "EndpointToken",
    "Event",
    "Fault",
    "HookCall",
    "MailBounce",
    "MailMessage",
    "MailToken",
    "Membership",
    "Name",
    "Notice",
    "OAuthClient",
    "OAuthCode",
    "Reply",
    "Repo",
    "SessionMessage",
    "Sink",
    "Source",
    "SourceRoute",
    "SourceSecret",
    "Team",
    "Thread",
    "Todo",
    "Token",
    "Verdict",
]
