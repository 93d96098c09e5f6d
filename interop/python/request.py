"""Requests, from their ProtoJSON, and what is in them."""

import base64
from uuid import uuid4

from a2a.client import ClientCallContext
from a2a.client.service_parameters import ServiceParametersFactory, with_a2a_extensions
from a2a.types import SendMessageRequest
from google.protobuf.json_format import ParseDict

# Text of every length of UTF-8, and what JSON escapes.
UNICODE = 'příliš 日本語 🦉 𝔘 "quoted" \\ / \u2028 \u0001 <b>&amp;'
# More than the buffers of any transport.
LARGE = 'x' * (300 * 1024)
# Every byte there is, in base64.
EVERY_BYTE = base64.b64encode(bytes(range(256))).decode()
# A webhook that nobody calls.
HOOK = 'http://hooks.example/a2a'


def message(text_or_parts, message=None, **request):
    """A message of text, or of parts, and what else its request has."""
    parts = [{'text': text_or_parts}] if isinstance(text_or_parts, str) else text_or_parts
    fields = {'messageId': str(uuid4()), 'role': 'ROLE_USER', 'parts': parts, **(message or {})}
    return ParseDict({'message': fields, **request}, SendMessageRequest())


def naming(*uris):
    """A call that names extensions."""
    return ClientCallContext(service_parameters=ServiceParametersFactory.create([with_a2a_extensions(list(uris))]))
