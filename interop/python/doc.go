// Package python tests against the official Python SDK, a2a-sdk, as client and
// as server, over its three transports.
//
// The tests need Python 3.11 or later with pip, and have the build tag interop:
//
//	go test -tags interop -count=1 ./interop/python
//
// They install the SDK, by requirements.txt, into a virtual environment in the
// user's cache.
//
// client.py holds a conversation of the SDK's client, server.py is two agents on
// its server: see package interop/sdk.
package python
