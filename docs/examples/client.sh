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
confirmed() { [ "$1" = true ] && echo confirmed || echo 'not confirmed'; }

if [ "$1" = check ]; then
  confirmed "$(call /ocra/check_t "transactionid=$2" "pass=$3" | member result | tail -1)"
  exit
fi
answer=$(call /ocra/request "user=$2" "data=$3")
transaction=$(member transactionid <<< "$answer")
echo "$transaction $(member data <<< "$answer")"
for _ in {1..120}; do
  valid=$(call /ocra/checkstatus "transactionid=$transaction" | member valid_tan)
  [ "$valid" != true ] || break
  sleep 1
done
confirmed "$valid"
