#!/bin/sh
# For PAM: auth required pam_exec.so expose_authtok quiet /bin/sh /usr/local/bin/pam-login.sh http://127.0.0.1:5001
# On another machine, https://…: curl checks the certificate. On the same one, guesses count for tokens alone, not for
# the address: see LIMIT_EXEMPT.
# The user types PIN and response together, for a challenge that a portal shows. They come with a NUL at their end.
answer=$(tr -d '\0' |
  curl --silent --max-time 10 --data-urlencode "user=$PAM_USER" --data-urlencode pass@- "$1/validate/simplecheck")
[ "$answer" = ':-)' ]
