#!/usr/bin/env python3
"""A client as they were written for LinOTP: the standard library, cookies, and nothing else.

    TANKEEPER_SECRET=… old_client.py http://127.0.0.1:5001 WAY NAME SERIAL

WAY is how it says who it is:
    basic    name and password with every request
    session  /admin/getsession; the cookie admin_session and the parameter session
    login    /admin/login; the cookie access_token_cookie and, with every POST, the header X-CSRF-TOKEN
    token    an API token
TANKEEPER_SECRET holds the password, or the API token.

It enrols a QR-TAN token in two phases, plays the user's app, confirms a payment and asks the monitoring. It works with
both dialects and prints a line of JSON for each step.
"""
import base64
import hashlib
import hmac
import http.cookiejar
import json
import os
import sys
import urllib.parse
import urllib.request


class Client:
    """Sends requests as an administrator."""

    def __init__(self, base_url, way, name, secret):
        self.base_url, self.way = base_url, way
        self.cookies = http.cookiejar.CookieJar()
        processor = urllib.request.HTTPCookieProcessor(self.cookies)
        self.opener = urllib.request.build_opener(processor)
        self.headers, self.session = {}, None
        credentials = base64.b64encode(f"{name}:{secret}".encode()).decode()
        basic = {"Authorization": f"Basic {credentials}"}
        if way == "basic":
            self.headers = basic
        elif way == "token":
            self.headers = {"Authorization": f"Bearer {secret}"}
        elif way == "session":
            self.send("/admin/getsession", {}, basic)
            self.session = self.cookie("admin_session")
        else:
            self.send("/admin/login", {"username": name, "password": secret}, {})
            self.headers = {"X-CSRF-TOKEN": self.cookie("csrf_access_token")}

    def cookie(self, name):
        return next(cookie.value for cookie in self.cookies if cookie.name == name)

    def send(self, path, parameters, headers=None, method="POST"):
        """Returns the answer; an error of the server ends the program."""
        if self.session is not None:
            parameters = {**parameters, "session": self.session}
        form = urllib.parse.urlencode(parameters)
        url = self.base_url + path + (f"?{form}" if method == "GET" else "")
        request = urllib.request.Request(
            url,
            data=None if method == "GET" else form.encode(),
            headers=self.headers if headers is None else headers,
            method=method,
        )
        with self.opener.open(request) as response:
            answer = json.load(response)
        if not answer["result"]["status"]:
            sys.exit(f"{path}: {answer['result']['error']['message']}")
        return answer


class App:
    """What the user's telephone does (RFC 6287; a suite with counter and letters, as QR-TAN tokens have)."""

    def __init__(self, phase_1):
        parameters = urllib.parse.parse_qs(urllib.parse.urlsplit(phase_1["app_import"]).query)
        self.suite = parameters["os"][0]
        self.shared_secret = bytes.fromhex(phase_1["sharedsecret"])
        self.key, self.counter = b"", 0

    def activate(self, code, nonce_hex):
        letters = code[:-2]
        code_bytes = base64.b32decode(letters + "=" * (-len(letters) % 8))
        nonce = bytes.fromhex(nonce_hex)
        password = self.shared_secret + code_bytes + nonce[:-8]
        self.key = hashlib.pbkdf2_hmac("sha256", password, nonce[-8:], 10_000, 32)

    def respond(self, question):
        data = self.suite.encode() + b"\0" + self.counter.to_bytes(8, "big")
        data += question.encode().ljust(128, b"\0")
        self.counter += 1
        digest = hmac.new(self.key, data, "sha256").digest()
        offset = digest[-1] & 15
        number = int.from_bytes(digest[offset : offset + 4], "big") & 0x7FFFFFFF
        digits = int(self.suite.split(":")[1].rsplit("-", 1)[1])
        return str(number % 10**digits).zfill(digits)


def show(step, value):
    print(json.dumps({"step": step, "value": value}), flush=True)


def main(base_url, way, name, serial):
    client = Client(base_url, way, name, os.environ["TANKEEPER_SECRET"])
    token = {"type": "ocra", "genkey": "1", "serial": serial}
    phase_1 = client.send("/admin/init", {**token, "sharedsecret": "1"})["detail"]
    show("phase 1", phase_1["serial"])
    app = App(phase_1)

    code = client.send("/ocra/getActivationCode", {})["result"]["value"]["activationcode"]
    activation = {"activationcode": code, "message": "Welcome"}
    phase_2 = client.send("/admin/init", {**token, **activation})["detail"]
    app.activate(code.replace("=", ""), phase_2["nonce"])
    confirmation = {"transactionid": phase_2["transactionid"], "pass": app.respond(phase_2["challenge"])}
    show("phase 2", client.send("/ocra/check_t", confirmation)["result"]["value"]["result"])

    challenge = client.send("/ocra/request", {"serial": serial, "data": "Pay 50 € to Jürgen"})["detail"]
    url = urllib.parse.urlsplit(challenge["data"])
    question = urllib.parse.parse_qs(url.query)["ch"][0]
    confirmation = {"transactionid": challenge["transactionid"], "pass": app.respond(question)}
    show("payment", client.send("/ocra/check_t", confirmation)["result"]["value"]["result"])
    show("again", client.send("/ocra/check_t", confirmation)["result"]["value"]["result"])

    counts = client.send("/monitoring/tokens", {"status": "active"}, method="GET")["result"]["value"]
    show("monitoring", counts["Summary"])


if __name__ == "__main__":
    if len(sys.argv) != 5 or sys.argv[2] not in ("basic", "session", "login", "token"):
        sys.exit(__doc__)
    main(*sys.argv[1:])
