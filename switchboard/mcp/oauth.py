"""What the official SDK's OAuth asks of a provider, on `access/oauth.py`. Importing this loads the SDK.

The SDK checks parameters, redirects, PKCE and the clients' secrets; `oauth_routes.py` puts both together.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TypeVar

from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    AuthorizeError,
    OAuthAuthorizationServerProvider,
    RefreshToken,
    RegistrationError,
    TokenError,
)
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from pydantic import AnyUrl

from switchboard.access import oauth, oauth_programs
from switchboard.errors import Problem
from switchboard.lib.plumbing import Plumbing

T = TypeVar("T")


# ruff: noqa: ARG002 - what there is none of is asked for by name


class Provider(OAuthAuthorizationServerProvider[AuthorizationCode, RefreshToken, AccessToken]):
    """What the SDK's handlers work on. The database is asked in threads, as the loop serves everybody."""

    def __init__(self, lib: Plumbing) -> None:
        self._lib = lib

    async def _do(self, act: Callable[..., T], *given: object) -> T:
        return await asyncio.get_running_loop().run_in_executor(None, act, self._lib, *given)

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        """A registered program."""
        found = await self._do(oauth_programs.client, client_id)
        if found is None:
            return None
        return OAuthClientInformationFull.model_validate(
            {**found.details, "client_id": found.id, "client_secret": found.secret}
        )

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        """Keep one."""
        details = client_info.model_dump(mode="json", exclude={"client_id", "client_secret"})
        secret = client_info.client_secret
        try:
            await self._do(oauth_programs.register, client_info.client_id, details, secret)
        except Problem as problem:
            wrong = problem.field == "redirect_uris"
            raise RegistrationError(
                "invalid_redirect_uri" if wrong else "invalid_client_metadata", problem.detail
            ) from None

    async def authorize(
        self, client: OAuthClientInformationFull, params: AuthorizationParams
    ) -> str:
        """Where the human is asked: our consent screen."""
        asking = oauth.Asking(
            client_id=client.client_id,
            redirect_uri=str(params.redirect_uri),
            redirect_uri_given=params.redirect_uri_provided_explicitly,
            challenge=params.code_challenge,
            state=params.state,
            resource=params.resource,
        )
        try:
            return await self._do(oauth.consent_url, asking)
        except Problem as problem:
            raise AuthorizeError("invalid_request", problem.detail) from None

    async def load_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: str
    ) -> AuthorizationCode | None:
        """A code of that program that is not spent."""
        found = await self._do(oauth.code, client.client_id, authorization_code)
        if found is None:
            return None
        return AuthorizationCode(
            code=authorization_code,
            scopes=list(found.verbs),
            expires_at=found.expires_at.timestamp(),
            client_id=found.client_id,
            code_challenge=found.challenge,
            redirect_uri=AnyUrl(found.redirect_uri),
            redirect_uri_provided_explicitly=found.redirect_uri_given,
            resource=found.resource,
        )

    async def exchange_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: AuthorizationCode
    ) -> OAuthToken:
        """Its token."""
        made = await self._do(oauth.exchange, client.client_id, authorization_code.code)
        if made is None:
            raise TokenError("invalid_grant", "The code is spent or over.")
        token, row = made
        return OAuthToken(
            access_token=token,
            expires_in=_seconds_to(row.expires_at),
            scope=" ".join(row.verbs),
        )

    async def load_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: str
    ) -> RefreshToken | None:
        """None: a token lasts until it ends."""
        return None

    async def exchange_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: RefreshToken, scopes: list[str]
    ) -> OAuthToken:
        """Never: there are none."""
        raise TokenError("unsupported_grant_type")

    async def load_access_token(self, token: str) -> AccessToken | None:
        """A live token, for whoever wants to revoke it."""
        client_id = await self._do(oauth.client_of_token, token)
        return (
            None if client_id is None else AccessToken(token=token, client_id=client_id, scopes=[])
        )

    async def revoke_token(self, token: AccessToken | RefreshToken) -> None:
        """End it."""
        await self._do(oauth.revoke, token.token)


def _seconds_to(moment: datetime | None) -> int | None:
    return None if moment is None else max(0, int((moment - datetime.now(UTC)).total_seconds()))
