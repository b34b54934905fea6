#!/bin/sh
# Install pagecost @VERSION@ from this folder, without a network:   sh install.sh [FOLDER]
#
# FOLDER is made: a Python environment with everything in it. Without a name it is ~/pagecost, for root /opt/pagecost,
# from where all users of the machine may run it: nothing is ever written there again.
# PYTHON=/path/to/python@PYTHON@ names the Python that is taken.
set -eu
umask 022 # what others may write to is never loaded as machine code
here=$(cd "$(dirname "$0")" && pwd)

fail() {
  printf 'pagecost was not installed: %s\n' "$*" >&2
  exit 1
}

if [ "$(id -u)" = 0 ]; then folder=${1:-/opt/pagecost}; else folder=${1:-$HOME/pagecost}; fi
case $folder in /*) ;; *) folder=$PWD/$folder ;; esac
[ ! -e "$folder/bin" ] || fail "there is something in $folder already; name another folder, or remove it"

system=$(uname -s)
machine=$(uname -m)
[ "$system $machine" = "@SYSTEM@ @MACHINE@" ] ||
  fail "this folder is for @SYSTEM@ on @MACHINE@, and this is $system on $machine"

# The first Python of the right version
version='import sys; print("%d.%d" % sys.version_info[:2])'
python= found=
for name in ${PYTHON:+"$PYTHON"} python@PYTHON@ python3 python; do
  has=$("$name" -I -c "$version" 2>/dev/null) || continue
  found="$found $name is $has;"
  if [ "$has" = @PYTHON@ ]; then
    python=$name
    break
  fi
  [ -z "${PYTHON:-}" ] || break # the one that was named, or none
done
[ -n "$python" ] || fail "it needs Python @PYTHON@, for which its wheels are.${found:+ Here$found}
Install that (on Debian and Ubuntu the package python@PYTHON@), or name one: PYTHON=/path/to/python@PYTHON@ sh install.sh
For another Python: make wheelhouse PYTHON=3.12, on a machine with a network."

glibc=$("$python" -I -c 'import platform; print((platform.libc_ver()[1] or "0.0").split(".")[1])')
[ "$system" != Linux ] || [ "$glibc" -ge @GLIBC@ ] ||
  fail "it needs glibc 2.@GLIBC@ or later and this is 2.$glibc (Debian 12, Ubuntu 22.04 and RHEL 9 have 2.34 or later)"

echo "pagecost @VERSION@: @WHEELS@ into $folder ..."
"$python" -I -m venv --without-pip "$folder" || fail "no environment could be made in $folder"
# The pip beside this file: Debian's Python comes without one. It reads no settings, so it asks nobody else.
env -u PYTHONHOME PIP_CONFIG_FILE=/dev/null PYTHONPATH="$(echo "$here"/wheels/pip-*.whl)" \
  "$folder/bin/python" -m pip install --quiet --isolated --no-index --find-links "$here/wheels" --no-deps \
  --require-hashes --no-cache-dir --disable-pip-version-check --no-warn-script-location \
  --requirement "$here/requirements.txt" || fail "see above; $folder can be removed"

package=$("$folder/bin/python" -I -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/pagecost
if [ -d "$here/kernels" ]; then
  mkdir -p "$package/kernel_cache"
  cp -R "$here/kernels/." "$package/kernel_cache/"
  chmod -R u+rwX,go+rX,go-w "$package/kernel_cache"
fi
# numba is loaded here once: whatever cannot run on this machine is found now and not in class
level=$("$folder/bin/python" -I -c 'from pagecost import _jit; print(_jit.level())') ||
  fail "Numba does not run on this machine, see above"
if [ -d "$package/kernel_cache/$level" ]; then
  echo "machine code for this processor ($level) is there: nothing has to be compiled"
else
  echo "there is no machine code for this processor ($level): everybody's first use of a question compiles, and says so"
fi
cat <<END

Open the lab:   "$folder/bin/pagecost" lab
The app:        "$folder/bin/pagecost" app --browser
END
[ ! -d "$here/book" ] || echo "The book:       $here/book/index.html"
