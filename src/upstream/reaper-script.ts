/**
 * The reaper itself, in POSIX shell: one megabyte of memory instead of the forty of another Node.
 *
 * watch <mark>: reads "+ <pid> <mark>" (started), "- <mark>" (ended) and "bye" (the hub stops normally). At the end of
 * its input it ends all processes that carry the mark or belong to a started session.
 *
 * sweep <mark> <except>: ends all processes that carry the one mark and not the other, and prints how many there were.
 */
export const reaperScript = String.raw`
trap '' HUP INT TERM QUIT PIPE

# The pids of processes whose environment contains $1 and not $2.
carriers() {
  if [ -r /proc/self/environ ]; then
    for pid in $(grep -lsaF -e "$1" /proc/[0-9]*/environ | cut -d/ -f3); do
      [ -n "$2" ] && grep -qsaF -e "$2" "/proc/$pid/environ" || echo "$pid"
    done
  else
    ps -Ewwax -o pid=,command= | grep -F -e " $1" | grep -vF -e signalbox-reaper | while read -r pid rest; do
      case " $rest" in *" $2"*) [ -n "$2" ] || echo "$pid" ;; *) echo "$pid" ;; esac
    done
  fi
}

# The pids of processes in a session that one of $1 started; without /proc, in its process group.
members() {
  [ -n "$1" ] || return 0
  if [ -r /proc/self/stat ]; then
    # pid (name) state parent group session: a name may contain anything. Zombies are left out.
    cat /proc/[0-9]*/stat 2>/dev/null | sed -n 's/^\([0-9]*\) (.*) [^Z] [0-9-]* [0-9-]* \([0-9-]*\) .*/\1 \2/p'
  else
    ps -ax -o pid=,pgid=
  fi | while read -r pid session; do
    case " $1 " in *" $session "*) echo "$pid" ;; esac
  done
}

doomed() {
  { carriers "$1" "$2"; members "$3"; } | sort -u
}

# Sends SIGTERM, and SIGKILL after two seconds. Each round also finds processes that started meanwhile.
end_all() {
  found=$(doomed "$1" "$2" "$3")
  [ -n "$found" ] || return 0
  kill -TERM $found 2>/dev/null
  for round in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    sleep 0.1 2>/dev/null || sleep 1
    found=$(doomed "$1" "$2" "$3")
    [ -n "$found" ] || return 0
  done
  for round in 1 2 3 4 5 6 7 8 9 10; do
    kill -KILL $found 2>/dev/null
    sleep 0.1 2>/dev/null || sleep 1
    found=$(doomed "$1" "$2" "$3")
    [ -n "$found" ] || return 0
  done
}

if [ "$1" = sweep ]; then
  carriers "$2" "$3" | wc -l
  end_all "$2" "$3" ''
  exit
fi

started=
is_orderly=
while read -r sign first second; do
  case $sign in
    +) started=$(echo "$started"; echo "$first $second") ;;
    -)
      started=$(echo "$started" | grep -vF -e "$first")
      end_all "$first" '' '' </dev/null
      ;;
    bye) is_orderly=yes ;;
  esac
done
sessions=$(echo $(echo "$started" | cut -d' ' -f1))
end_all "$2" '' "$sessions"
# Again after a second: a process that the hub was just starting had no mark yet.
[ -n "$is_orderly" ] || { sleep 1; end_all "$2" '' "$sessions"; }
`
