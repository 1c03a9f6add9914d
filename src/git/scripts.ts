/**
 * What the hub does in git directories that an agent can write, and in those of people beside them. All of it runs in a
 * sandbox without a home and without a network: there, a link leads nowhere and a program that a setting names gains
 * nothing. The scripts are for any POSIX shell.
 */

/** Starts no program that the settings of a repository name. */
const git = `
set -eu
g() { git -c core.hooksPath=/dev/null -c core.fsmonitor=false -c core.untrackedCache=false -c gc.auto=0 "$@"; }
states='MERGE_HEAD MERGE_MODE MERGE_MSG MERGE_RR SQUASH_MSG CHERRY_PICK_HEAD REVERT_HEAD REBASE_HEAD rebase-merge rebase-apply sequencer BISECT_LOG BISECT_START'
cd /tmp
`

/** Without a sandbox, only filters that the person has set for all repositories run in $1. */
const filters = `
filters_of_person() {
  if [ -n "$isolated" ]; then return; fi
  GIT_CONFIG_COUNT=0
  list=$(mktemp)
  g --git-dir="$1" config --show-scope --name-only --get-regexp '^filter\\..*\\.(clean|smudge|process|required)$' |
    sed -n 's/^\\(local\\|worktree\\)\t//p' | sort -u >"$list"
  while read -r key; do
    value=$(git config --global --get "$key" || true)
    eval "export GIT_CONFIG_KEY_$GIT_CONFIG_COUNT=\\$key GIT_CONFIG_VALUE_$GIT_CONFIG_COUNT=\\$value"
    GIT_CONFIG_COUNT=$((GIT_CONFIG_COUNT + 1))
  done <"$list"
  rm "$list"
  export GIT_CONFIG_COUNT
}
`

/**
 * $1: a git directory, $2: where its listings go. A failure ends the script, so a listing is whole. In the listing of the
 * index, a NUL ends a path, so it takes the place of the line break, that of byte 1, and that the place of the NUL.
 */
const list = `
list() {
  mkdir -p "$2"
  head=$(g --git-dir="$1" symbolic-ref -q HEAD) && head="ref: $head" || head=$(g --git-dir="$1" rev-parse -q --verify HEAD) || head=
  busy=
  for state in MERGE_HEAD CHERRY_PICK_HEAD REVERT_HEAD rebase-merge rebase-apply BISECT_LOG; do
    if [ -e "$1/$state" ]; then busy=$state; fi
  done
  printf '%s\\n%s\\n' "$head" "$busy" >"$2/head"
  g --git-dir="$1" for-each-ref --format='%(objectname) %(refname) %(symref)' refs/heads refs/tags refs/remotes >"$2/raw"
  sort "$2/raw" >"$2/refs"
  g --git-dir="$1" --work-tree=/tmp ls-files --stage -z >"$2/raw"
  tr '\\n\\0\\1' '\\1\\n\\0' <"$2/raw" >"$2/swapped"
  sort "$2/swapped" >"$2/index"
  rm "$2/raw" "$2/swapped"
}
submodules() { awk '$1 == "160000"' "$1" | sed 's/^[^\t]*\t//'; }
`

/** Brings the objects that $in/objects names to $shared. $borrowed: the objects of the other side. */
const take = `
take() {
  if [ ! -s "$in/objects" ]; then return; fi
  g --git-dir="$shared" for-each-ref --format='^%(objectname)' >/tmp/objects
  cat "$in/objects" >>/tmp/objects
  lends rev-list --objects --stdin </tmp/objects >/tmp/new
  if [ ! -s /tmp/new ]; then return; fi
  # git itself does the same when it fetches.
  into='unpack-objects -q --strict'
  if [ "$(head -n 101 /tmp/new | wc -l)" -gt 100 ]; then into='index-pack --stdin --strict'; fi
  # shellcheck disable=SC2086
  lends pack-objects -q --revs --stdout --delta-base-offset </tmp/objects | g --git-dir="$shared" $into >/dev/null
}
lends() { GIT_ALTERNATE_OBJECT_DIRECTORIES=$borrowed g --git-dir="$shared" "$@"; }
`

/**
 * Fills the agent's git directory $copy, and prints the paths of the submodules in $workspace, and of those in them. A byte 1
 * takes the place of a line break. $shared and $own: the person's. $name: of the worktree, or empty. $objects: where the
 * sandbox shows the person's objects. $base: where the listings of what both have go.
 */
export const prepare = `${git}${list}
copy() {
  if [ -f "$1" ] && [ ! -L "$1" ]; then mkdir -p "\${2%/*}"; cp "$1" "$2"; fi
}
mine=$copy\${name:+/worktrees/$name}
mkdir -p "$mine" "$copy/refs/heads" "$copy/refs/tags"
for each in config info/exclude info/attributes shallow; do copy "$shared/$each" "$copy/$each"; done
for each in config.worktree info/sparse-checkout; do copy "$own/$each" "$mine/$each"; done
if [ -d "$shared/hooks" ]; then cp -RP "$shared/hooks" "$copy/hooks"; fi
mkdir -p "$copy/objects/info" "$copy/modules"
echo "$objects" >"$copy/objects/info/alternates"
if [ -n "$name" ]; then
  copy "$own/commondir" "$mine/commondir"
  copy "$own/gitdir" "$mine/gitdir"
fi
if [ ! -e "$shared/HEAD" ]; then
  printf '\\n\\n' >"$base/head"
  : >"$base/refs"
  : >"$base/index"
  exit 0
fi
copy "$shared/HEAD" "$copy/HEAD"
copy "$own/HEAD" "$mine/HEAD"
copy "$own/index" "$mine/index"
for each in "$own"/sharedindex.*; do copy "$each" "$mine/\${each##*/}"; done
for each in $states ORIG_HEAD; do
  if [ -e "$own/$each" ]; then cp -RP "$own/$each" "$mine/$each"; fi
done
list "$own" "$base"
while read -r hash ref target; do
  if [ -z "$target" ]; then echo "$hash $ref"; continue; fi
  mkdir -p "$copy/\${ref%/*}"
  echo "ref: $target" >"$copy/$ref"
done <"$base/refs" >"$copy/packed-refs"
show_submodules() (
  submodules "$1/index" >"$1/submodules"
  while read -r path; do
    path=$2$path
    printf '%s\\n' "$path"
    if [ ! -e "$workspace/$path/.git" ]; then continue; fi
    below=$(mktemp -d)
    list "$workspace/$path/.git" "$below"
    show_submodules "$below" "$path/"
  done <"$1/submodules"
)
show_submodules "$base" ''
`

/** Makes the repository $shared if the agent has made one in $copy. Prints `none` if neither is there. */
export const initialize = `${git}
if [ -e "$shared/HEAD" ]; then exit 0; fi
if [ ! -e "$copy/HEAD" ]; then echo none; exit 0; fi
g --git-dir="$shared" init -q
g --git-dir="$shared" config core.bare false
printf '%s\\n\\n' "ref: $(g --git-dir="$shared" symbolic-ref HEAD)" >"$base/head"
`

/** Prints what differs on each side from what both had: first the person's side. */
export const look = `${git}${list}
list "$own" /tmp/person
list "$mine" /tmp/agent
g --git-dir="$mine" stash list --format='%H refs/stash/%H ' >>/tmp/agent/refs
sort -o /tmp/agent/refs /tmp/agent/refs
for side in person agent; do
  cat "/tmp/$side/head"
  comm -3 "$base/refs" "/tmp/$side/refs"
  echo =
  comm -3 "$base/index" "/tmp/$side/index"
  printf '\\036'
done
cat "$base/head"
printf '\\036'
isBare=$(g --git-dir="$shared" rev-parse --is-bare-repository)
for each in "$shared" "$shared"/worktrees/*; do
  if [ "$each" = "$own" ] || [ ! -f "$each/HEAD" ]; then continue; fi
  if [ "$each" = "$shared" ] && [ "$isBare" = true ]; then continue; fi
  branch=$(sed -n 's/^ref: //p' "$each/HEAD")
  if [ -n "$branch" ]; then printf '%s %s\\n' "$branch" "$(cat "$each/gitdir" 2>/dev/null || echo "$each")"; fi
done
`

/**
 * Prints what the commits of the refs in $in/refs say. Each line there has a name, the agent's hash, and the person's if both
 * have moved it. Looks only at objects that git has checked on their way to the person: the agent can exchange its own.
 */
export const inspect = `${git}${list}${take}
take
submodules "$base/index" >/tmp/known
while read -r name agent person; do
  if [ -n "$person" ]; then
    if g --git-dir="$shared" merge-base --is-ancestor "$person" "$agent"; then echo "agent $name"; fi
    if g --git-dir="$shared" merge-base --is-ancestor "$agent" "$person"; then echo "person $name"; fi
  fi
  g --git-dir="$shared" ls-tree -r -z --full-tree "$agent" >/tmp/raw
  tr '\\n\\0\\1' '\\1\\n\\0' </tmp/raw >/tmp/tree
  submodules /tmp/tree | sort | comm -23 - /tmp/known >/tmp/new
  if [ -s /tmp/new ]; then echo "submodule $name $(head -n 1 /tmp/new)"; fi
  if [ "$name" = HEAD ] || g --git-dir="$shared" show-ref --quiet --verify "$name"; then continue; fi
  short=\${name#refs/*/}
  meant=$(g --git-dir="$shared" rev-parse --quiet --verify --symbolic-full-name "$short" 2>/dev/null || true)
  if [ -z "$meant" ] && g --git-dir="$shared" remote | grep -Fqx "\${short%%/*}"; then meant=refs/remotes/$short; fi
  case $short in *HEAD | @) meant=$short ;; esac
  if [ -n "$meant" ]; then echo "meant $name $meant"; fi
done <"$in/refs"
`

/** Notes what both sides have now: $in has the lines of the listings in $base that are old, and the new ones. */
export const save = `${git}
for each in refs index; do
  sort "$in/old-$each" | comm -13 - "$base/$each" >"/tmp/$each"
  sort "/tmp/$each" "$in/new-$each" >"$base/new-$each"
done
cp "$in/head" "$base/new-head"
for each in refs index head; do mv "$base/new-$each" "$base/$each"; done
`

/**
 * Changes one side: the git directories $shared and $own. $in: what to change. Prints the names of the refs that git refused.
 */
export const change = `${git}${take}
export GIT_COMMITTER_NAME=Signalbox GIT_COMMITTER_EMAIL=signalbox@localhost
take
if [ -d "$copy/lfs/objects" ] && [ "$copy" != "$shared" ]; then
  find "$copy/lfs/objects" -type f | while read -r file; do
    hash=\${file##*/}
    case $hash in *[!0-9a-f]*) continue ;; esac
    place=$shared/lfs/objects/$(echo "$hash" | sed 's|^\\(..\\)\\(..\\).*|\\1/\\2|')
    if [ -e "$place/$hash" ]; then continue; fi
    mkdir -p "$place"
    cp "$file" "$place/$hash.new"
    if [ "$(sha256sum <"$place/$hash.new")" = "$hash  -" ]; then mv "$place/$hash.new" "$place/$hash"; else rm "$place/$hash.new"; fi
  done
fi
if [ -s "$in/refs" ] && ! g --git-dir="$own" update-ref -m 'signalbox: from the other side' --stdin <"$in/refs" 2>/dev/null; then
  while read -r line; do
    if ! echo "$line" | g --git-dir="$own" update-ref -m 'signalbox: from the other side' --stdin 2>/dev/null; then
      line=\${line#* }
      echo "\${line%% *}"
    fi
  done <"$in/refs"
fi
if [ -s "$in/index" ]; then g --git-dir="$own" --work-tree=/tmp update-index -z --index-info <"$in/index"; fi
if [ -s "$in/head" ]; then
  read -r head <"$in/head"
  case $head in
    'ref: '*) g --git-dir="$own" symbolic-ref -m 'signalbox: from the other side' HEAD "\${head#ref: }" ;;
    *) g --git-dir="$own" update-ref --no-deref -m 'signalbox: from the other side' HEAD "$head" ;;
  esac
fi
if [ -e "$in/finished" ]; then
  for each in $states; do rm -rf "$own/$each"; done
fi
`

/** Makes a worktree of $own at $path without files, and prints whether the branch is new, and the worktree's directory. */
export const addWorktree = `${git}
if g --git-dir="$own" show-ref --quiet --verify "refs/heads/$branch"; then
  echo old
  g --git-dir="$own" worktree add --quiet --no-checkout "$path" "$branch" >&2
else
  echo new
  g --git-dir="$own" worktree add --quiet --no-checkout -b "$branch" "$path" >&2
fi
mine=$(g -C "$path" rev-parse --absolute-git-dir)
g --git-dir="$mine" read-tree HEAD
echo "$mine"
`

/** Writes the files of the worktree $own to $path, through the filters of its repository. Its index stays. */
export const checkOut = `${git}${filters}
filters_of_person "$own"
index=$own/index
if [ -n "$isolated" ]; then index=/tmp/index; fi
GIT_INDEX_FILE=$index g -c lfs.skipdownloaderrors=true --git-dir="$own" --work-tree="$path" read-tree -u --reset HEAD
`

/** Removes the worktree at $path with all its files. Prints why the branch stays. */
export const removeWorktree = `${git}
g --git-dir="$shared" worktree remove --force "$path" >&2
if [ -n "$branch" ] && g --git-dir="$shared" show-ref --quiet --verify "refs/heads/$branch"; then
  g --git-dir="$shared" branch -D "$branch" 2>&1 >/dev/null || true
fi
`

/** Runs git in $directory with the given arguments. */
export const readGit = `${git}${filters}
filters_of_person "$(g -C "$directory" rev-parse --absolute-git-dir)"
g -C "$directory" -c status.showUntrackedFiles=all "$@"
`
