#!/usr/bin/env python3
"""A client of a portal.

ask USER TEXT prints transaction id and content of the QR code, and waits two minutes for the app.
check TRANSACTION RESPONSE sends a typed response.
The last line is "confirmed" or "not confirmed". TANKEEPER_URL and TANKEEPER_TOKEN are in the environment.
"""
import json, os, sys, time
import urllib.error, urllib.parse, urllib.request

def call(path, **fields):
    headers = {'Authorization': 'Bearer ' + os.environ['TANKEEPER_TOKEN']}
    body = urllib.parse.urlencode(fields).encode()
    request = urllib.request.Request(os.environ['TANKEEPER_URL'] + path, body, headers)
    for _ in range(3):
        try:
            with urllib.request.urlopen(request, timeout=35) as response:
                answer = json.load(response)
        except urllib.error.HTTPError as error:
            if error.code not in (429, 503):
                raise
            time.sleep(int(error.headers.get('Retry-After', 1)))
            continue
        if not answer['result']['status']:
            raise RuntimeError(answer['result']['error']['message'])
        return answer
    raise RuntimeError('the server is busy')

def is_accepted(transaction):
    answer = call('/ocra/checkstatus', transactionid=transaction)
    return any(entry['valid_tan'] for entry in answer['result']['value'])

def ask(user, text):
    detail = call('/ocra/request', user=user, data=text)['detail']
    print(detail['transactionid'], detail['data'], flush=True)
    for _ in range(120):
        if is_accepted(detail['transactionid']):
            return True
        time.sleep(1)
    return False

def check(transaction, response):
    value = call('/ocra/check_t', transactionid=transaction, **{'pass': response})['result']['value']
    # A request that was repeated may have been accepted the first time.
    return value['result'] or is_accepted(transaction)

action = {'ask': ask, 'check': check}[sys.argv[1]]
print('confirmed' if action(*sys.argv[2:]) else 'not confirmed')
