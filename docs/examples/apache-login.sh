#!/bin/sh
# For Apache, see apache.conf: reads the login in one line and PIN and response together in the next. A further one comes
# of a login of several lines, of which the first alone would be checked.
IFS= read -r login && IFS= read -r pass && ! IFS= read -r further || exit 1
answer=$(printf %s "$pass" |
  curl --silent --max-time 10 --data-urlencode "user=$login" --data-urlencode pass@- "$1/validate/simplecheck")
[ "$answer" = ':-)' ]
