#!/bin/sh
# Starts a program of this plugin: `sh launch.sh <entry>`. The PATH that a hook sees may have no Node.js, or an old one; the
# interpreter that was found is noted in the plugin's data folder, so that only the first hook looks for one.
entry=$1
case $entry in '' | *[!a-z0-9-]*) exit 0 ;; esac
shift
# Meant for other programs: a file that it names may be gone, and Node.js would not start.
unset NODE_OPTIONS
file=${0%/*}/$entry.cjs
note=${CLAUDE_PLUGIN_DATA:+$CLAUDE_PLUGIN_DATA/node}
if [ -n "$note" ] && [ -f "$note" ] && IFS= read -r node <"$note" && [ -x "$node" ] && [ -f "$file" ]; then
  exec "$node" "$file" "$@"
fi

home=${HOME:-$USERPROFILE}
# A hook has nothing to say without its program; it must not disturb the client.
give_up() {
  umask 077
  log=$home/.openviking/logs/launcher.log
  {
    mkdir -p "$home/.openviking/logs"
    # Every hook would add a line for as long as nobody looks.
    [ "$(wc -c <"$log")" -gt 65536 ] && printf '' >"$log"
    printf '%s %s\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$1" >>"$log"
  } 2>/dev/null
  exit 0
}
[ -f "$file" ] || give_up "$file is missing: install the plugin again"
fits() {
  [ -x "$1" ] && "$1" -e 'v=process.versions.node.split(/[.]/);process.exit(process.getBuiltinModule&&(v[0]>20||v[0]==20&&v[1]>=18)?0:1)' </dev/null >/dev/null 2>&1
}
found=$(command -v node 2>/dev/null)
for node in "$OPENVIKING_NODE" "$found" \
  "$home"/.nvm/versions/node/*/bin/node \
  "$home"/.local/share/fnm/node-versions/*/installation/bin/node \
  "$home"/.fnm/node-versions/*/installation/bin/node \
  "$home/Library/Application Support/fnm/node-versions"/*/installation/bin/node \
  "$home/.volta/bin/node" \
  "$home"/.asdf/installs/nodejs/*/bin/node \
  "$home"/.local/share/mise/installs/node/*/bin/node \
  /opt/homebrew/bin/node \
  /home/linuxbrew/.linuxbrew/bin/node \
  /usr/local/bin/node \
  /usr/bin/node \
  /snap/bin/node \
  "$PROGRAMFILES/nodejs/node.exe" \
  "$LOCALAPPDATA/Volta/bin/node.exe"; do
  if fits "$node"; then
    if [ -n "$note" ]; then
      { mkdir -p "$CLAUDE_PLUGIN_DATA" && printf '%s\n' "$node" >"$note.$$" && mv -f "$note.$$" "$note"; } 2>/dev/null
    fi
    exec "$node" "$file" "$@"
  fi
done
give_up "no Node.js 20.18 or later found for $file: install Node.js, or set OPENVIKING_NODE"
