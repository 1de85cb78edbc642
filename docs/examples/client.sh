#!/usr/bin/env bash
# ask USER TEXT prints transaction id and content of the QR code, and waits two minutes for the app.
# check TRANSACTION RESPONSE sends a typed response.
# The last line is "confirmed" or "not confirmed". TANKEEPER_URL and TANKEEPER_TOKEN are in the environment.
set -euo pipefail
call() { # PATH NAME=VALUE…
  local path=$1 fields=() answer
  shift
  for field in "$@"; do fields+=(--data-urlencode "$field"); done
  answer=$(curl --silent --show-error --max-time 35 --retry 3 --data httperror=400 --fail-with-body "${fields[@]}" \
    --header @<(printf 'Authorization: Bearer %s' "$TANKEEPER_TOKEN") "$TANKEEPER_URL$path") ||
    { echo "$answer" >&2; return 1; }
  echo "$answer"
}
member() { sed -n "s/.*\"$1\": \"\{0,1\}\([^\",]*\).*/\1/p"; }
state() { call /ocra/checkstatus "transactionid=$1" | member valid_tan; }
confirmed() { [ "$1" = true ] && echo confirmed || echo 'not confirmed'; }

if [ "$1" = check ]; then
  result=$(call /ocra/check_t "transactionid=$2" "pass=$3" | member result | tail -1)
  # A request that was repeated may have been accepted the first time.
  [ "$result" = true ] || result=$(state "$2")
  confirmed "$result"
  exit
fi
answer=$(call /ocra/request "user=$2" "data=$3")
transaction=$(member transactionid <<< "$answer")
echo "$transaction $(member data <<< "$answer")"
for _ in {1..120}; do
  valid=$(state "$transaction")
  [ "$valid" != true ] || break
  sleep 1
done
confirmed "$valid"
