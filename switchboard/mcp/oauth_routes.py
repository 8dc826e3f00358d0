"""OAuth's routes: the official SDK's, and the two that it has otherwise than we need them.

Its metadata promises refresh tokens and leaves out programs without a secret, and its revocation wants the
secret of every program in the form, those included that have none or send it in a header (RFC 7009).
"""

from __future__ import annotations

from mcp.server.auth.handlers.metadata import MetadataHandler
from mcp.server.auth.middleware.client_auth import AuthenticationError, ClientAuthenticator
from mcp.server.auth.routes import build_metadata, cors_middleware, create_auth_routes
from mcp.server.auth.settings import ClientRegistrationOptions, RevocationOptions
from mcp.shared.auth import OAuthMetadata
from pydantic import AnyHttpUrl, ConfigDict, TypeAdapter
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from switchboard.lib.plumbing import Plumbing
from switchboard.mcp.oauth import Provider

METADATA, REVOKE = "/.well-known/oauth-authorization-server", "/revoke"
# as it is: an issuer is compared letter by letter (RFC 8414 section 3.3), so no slash is put at its end
_ISSUER = TypeAdapter(AnyHttpUrl, config=ConfigDict(url_preserve_empty_path=True))
_REGISTERING = ClientRegistrationOptions(enabled=True)
_KEPT_NOWHERE = {"Cache-Control": "no-store", "Pragma": "no-cache"}


def build(lib: Plumbing) -> Starlette:
    """The ASGI application of `/register`, `/authorize`, `/token`, `/revoke` and the server's metadata.

    Raises ValueError where the base URL can be no issuer: neither HTTPS nor this machine.
    """
    provider, issuer = Provider(lib), _ISSUER.validate_python(lib.settings.base_url)
    told = MetadataHandler(_metadata(issuer))
    revoking = _Revoking(provider)
    ours = [
        Route(METADATA, cors_middleware(told.handle, ["GET"]), methods=["GET"]),
        Route(REVOKE, cors_middleware(revoking.handle, ["POST"]), methods=["POST"]),
    ]
    theirs = create_auth_routes(provider, issuer, client_registration_options=_REGISTERING)
    return Starlette(routes=[*ours, *theirs])  # the first that fits


def _metadata(issuer: AnyHttpUrl) -> OAuthMetadata:
    about = build_metadata(issuer, None, _REGISTERING, RevocationOptions(enabled=True))
    methods = ["none", *(about.token_endpoint_auth_methods_supported or ())]
    about.token_endpoint_auth_methods_supported = methods
    about.revocation_endpoint_auth_methods_supported = methods
    about.grant_types_supported = ["authorization_code"]
    return about


class _Revoking:
    """RFC 7009: a program ends its token. Whose token it is not is told nothing about it."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider
        self._authenticator = ClientAuthenticator(provider)

    async def handle(self, request: Request) -> Response:
        """200, whatever became of it; 401 for a program that is not the one it says it is."""
        try:
            program = await self._authenticator.authenticate_request(request)
        except AuthenticationError as error:
            return _refusal(401, "invalid_client", error.message)
        given = (await request.form()).get("token")
        if not isinstance(given, str):
            return _refusal(400, "invalid_request", "token: is missing")
        token = await self._provider.load_access_token(given)
        if token is not None and token.client_id == program.client_id:
            await self._provider.revoke_token(token)
        return Response(status_code=200, headers=_KEPT_NOWHERE)


def _refusal(status: int, error: str, why: str) -> Response:
    told = {"error": error, "error_description": why}
    return JSONResponse(told, status, headers=_KEPT_NOWHERE)
