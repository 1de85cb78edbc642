<?php
// ask USER TEXT prints transaction id and content of the QR code, and waits two minutes for the app.
// check TRANSACTION RESPONSE sends a typed response.
// The last line is "confirmed" or "not confirmed". TANKEEPER_URL and TANKEEPER_TOKEN are in the environment.
// PHP 8.
function call(string $path, array $fields): array {
    $context = stream_context_create(['http' => [
        'method' => 'POST',
        'header' => [
            'Authorization: Bearer ' . getenv('TANKEEPER_TOKEN'),
            'Content-Type: application/x-www-form-urlencoded',
        ],
        'content' => http_build_query($fields),
        'timeout' => 35,
        'ignore_errors' => true,
    ]]);
    for ($attempt = 0; $attempt < 3; $attempt++) {
        $stream = fopen(getenv('TANKEEPER_URL') . $path, 'r', false, $context);
        if ($stream === false) {
            throw new RuntimeException('no answer');
        }
        $head = implode("\n", stream_get_meta_data($stream)['wrapper_data']);
        if (preg_match('/^HTTP\S+ (429|503)/', $head)) {
            sleep(preg_match('/^Retry-After: (\d+)/mi', $head, $wait) ? (int) $wait[1] : 1);
            continue;
        }
        $answer = json_decode(stream_get_contents($stream), true, 16, JSON_THROW_ON_ERROR);
        if (!$answer['result']['status']) {
            throw new RuntimeException($answer['result']['error']['message']);
        }
        return $answer;
    }
    throw new RuntimeException('the server is busy');
}

function is_accepted(string $transaction): bool {
    $entries = call('/ocra/checkstatus', ['transactionid' => $transaction])['result']['value'];
    return in_array(true, array_column($entries, 'valid_tan'), true);
}

function ask(string $user, string $text): bool {
    ['transactionid' => $transaction, 'data' => $code] = call('/ocra/request', ['user' => $user, 'data' => $text])['detail'];
    echo "$transaction $code\n";
    for ($second = 0; $second < 120; $second++) {
        if (is_accepted($transaction)) {
            return true;
        }
        sleep(1);
    }
    return false;
}

function check(string $transaction, string $response): bool {
    $value = call('/ocra/check_t', ['transactionid' => $transaction, 'pass' => $response])['result']['value'];
    // A request that was repeated may have been accepted the first time.
    return $value['result'] || is_accepted($transaction);
}

$confirmed = $argv[1] === 'ask' ? ask($argv[2], $argv[3]) : check($argv[2], $argv[3]);
echo $confirmed ? "confirmed\n" : "not confirmed\n";
