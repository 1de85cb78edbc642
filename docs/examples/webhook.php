<?php
function is_genuine(string $secret, array $headers, string $body): bool {
    $key = base64_decode(substr($secret, strlen('whsec_')));
    $signed = $headers['webhook-id'] . '.' . $headers['webhook-timestamp'] . '.' . $body;
    $right = 'v1,' . base64_encode(hash_hmac('sha256', $signed, $key, true));
    $fits = array_filter(explode(' ', $headers['webhook-signature']), fn($one) => hash_equals($right, $one));
    return abs(time() - (int) $headers['webhook-timestamp']) < 300 && count($fits) > 0;
}
