import base64, hashlib, hmac, time

def is_genuine(secret, headers, body):
    key = base64.b64decode(secret.removeprefix('whsec_'))
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    right = 'v1,' + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    age = abs(time.time() - int(headers['webhook-timestamp']))
    return age < 300 and any(hmac.compare_digest(right, one) for one in headers['webhook-signature'].split())
