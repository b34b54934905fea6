#!/bin/sh
# Install what pagecost needs of Debian and is not there yet:  install-debian-packages.sh [window] [package] [test]
# Without a group: all of them. Quiet when nothing is missing. Where this user may not install, or where there is no
# apt, it prints the line to run instead; that is no error, for whatever needs a package says so itself.
set -eu
list=$(dirname "$0")/debian-packages.txt
groups=${*:-window package test}

command -v dpkg-query >/dev/null || exit 0 # not a Debian: nothing here applies

# Reads the list and the names of installed packages; prints a line for each need that no installed package meets.
missing() {
  dpkg-query --show --showformat '${db:Status-Status} ${Package}\n' | awk -v groups="$groups" '
    BEGIN { count = split(groups, names, " "); for (i = 1; i <= count; i++) wanted[names[i]] = 1 }
    NR == FNR { if ($1 == "installed") installed[$2] = 1; next }
    $1 in wanted {
      for (i = 2; i <= NF; i++) if ($i in installed) next
      $1 = ""; gsub(/\|/, " "); print
    }' - "$list"
}

# Prints one name for each need: the first that apt knows.
chosen() {
  missing | while read -r names; do
    name=${names%% *}
    for candidate in $names; do
      if apt-cache policy "$candidate" 2>/dev/null | grep -q 'Candidate: [0-9]'; then name=$candidate && break; fi
    done
    printf '%s ' "$name"
  done
}

[ -n "$(missing)" ] || exit 0
if [ "$(id -u)" = 0 ]; then
  as_root=
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
  as_root='sudo -n'
else
  echo "pagecost needs more of Debian; please run:  sudo apt-get install --no-install-recommends $(chosen)" >&2
  exit 0
fi
echo "pagecost installs what it needs of Debian ..." >&2
$as_root apt-get update -qq || true # without network, what is known already must do
# shellcheck disable=SC2046,SC2086  # a list of words each
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq --no-install-recommends $(chosen) >/dev/null ||
  echo "that failed; please run:  apt-get install --no-install-recommends $(chosen)" >&2
