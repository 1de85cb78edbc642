#!/bin/sh
# For Apache, see apache.conf: reads the login in one line and PIN and response together in the next.
IFS= read -r login && IFS= read -r pass || exit 1
answer=$(printf %s "$pass" |
  curl --silent --max-time 10 --data-urlencode "user=$login" --data-urlencode pass@- "$1/validate/simplecheck")
[ "$answer" = ':-)' ]
