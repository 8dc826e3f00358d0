"""The form of an endpoint's hook: where to call."""

from __future__ import annotations

from typing import Any

from wtforms import StringField

from switchboard.web.forms import PageForm, required


class HookForm(PageForm):
    """The address of a hook."""

    url = StringField(
        "Address",
        [required("Give the address to call.")],
        description="Called when a todo is ready. It gets a secret of its own to verify calls with.",
        render_kw={
            "autocomplete": "off",
            "autocapitalize": "none",
            "spellcheck": "false",
            "placeholder": "https://agent.example.org/bell",
        },
    )


def hook_form(endpoint_id: str, formdata: Any = None) -> HookForm:
    """The form for one endpoint's hook; its names are its own on a page of many."""
    return HookForm(formdata=formdata, prefix=f"{endpoint_id}-")
