/** What a hook Job runs for a gate: asks with `oc` until the gate is open or its time is over, says what it waits for
 *  once a minute and whenever that changes, and tells forbidden, an unknown kind and a silent API server from "not
 *  there". Everything of the gate comes by the environment, nothing is written into the script. */
export const gateScript = `set -u
: "\${NAMESPACE:=}" "\${NAME:=}" "\${SELECTOR:=}" "\${CONDITION:=}" "\${STATUS:=}" "\${REASON:=}" "\${HEALTH:=}"
: "\${FIELD:=}" "\${VALUES:=}" "\${VERSION:=}" "\${AT_MOST:=}"
why='not asked'
start=$(date +%s)
end=$((start + TIMEOUT_SECONDS))
told=0
said=
separator=$(printf '\\037')
trap 'exit 143' TERM

set -- get "$RESOURCE" --request-timeout=20s --output "jsonpath=$FIELDS"
if [ -n "$NAMESPACE" ]; then set -- "$@" --namespace "$NAMESPACE"; else set -- "$@" --all-namespaces; fi
if [ -n "$NAME" ]; then set -- "$@" --field-selector "metadata.name=$NAME"; fi
if [ -n "$SELECTOR" ]; then set -- "$@" --selector "$SELECTOR"; fi

# Why an object does not do; nothing if it does.
against() {
  if [ -n "$deleting" ]; then echo "$object is being deleted"; return; fi
  if [ -n "$CONDITION" ]; then
    if [ -z "$status" ]; then echo "$object has no condition $CONDITION"; return; fi
    if [ "$status" != "$STATUS" ] || [ "\${REASON:-$reason}" != "$reason" ]; then
      echo "$object: $CONDITION is $status ($reason)"; return
    fi
    if [ "\${observed:-\${generation:-0}}" -lt "\${generation:-0}" ]; then
      echo "$object: $CONDITION is $status, of an earlier generation"; return
    fi
  fi
  if [ -n "$HEALTH" ] && [ "$health" != "$HEALTH" ]; then echo "$object: health is \${health:-not there}"; return; fi
  if [ -n "$FIELD" ]; then
    if [ -z "$value" ]; then echo "$object has no $FIELD"; return; fi
    if [ -n "$VALUES" ] && ! printf '%s\\n' "$VALUES" | grep -Fxq -e "$value"; then
      echo "$object: $FIELD is $value"; return
    fi
  fi
  if [ -n "$VERSION" ]; then
    case $version in
      "" | "$VERSION"-*) lowest= ;;
      *) lowest=$(printf '%s\\n%s\\n' "$VERSION" "\${version#v}" | sort -V | head -n 1) ;;
    esac
    if [ "$lowest" != "$VERSION" ]; then echo "$object: version is \${version:-not there}, not $VERSION or later"; fi
  fi
}

# Sets why; succeeds if the gate is open.
judge() {
  seen=0
  good=0
  bad=
  while IFS=$separator read -r object deleting generation status reason observed health value version _; do
    if [ -z "$object" ]; then continue; fi
    seen=$((seen + 1))
    wrong=$(against)
    if [ -z "$wrong" ]; then good=$((good + 1)); else bad=$wrong; fi
  done <<END
$objects
END
  why="$good of $seen"
  if [ "$seen" -eq 0 ]; then why="not there"; elif [ -n "$bad" ]; then why="$why: $bad"; fi
  if [ -n "$AT_MOST" ] && [ "$good" -gt "$AT_MOST" ]; then why="$good, more than $AT_MOST"; return 1; fi
  [ "$good" -ge "$AT_LEAST" ]
}

while [ "$(date +%s)" -lt "$end" ]; do
  if objects=$(oc "$@" 2>/tmp/error); then
    if judge; then
      echo "$(date -u +%H:%M:%S) open: $WHAT ($why)"
      exit 0
    fi
  else
    error=$(tr '\\n' ' ' </tmp/error | cut -c 1-300)
    case $error in
      *orbidden*) why="forbidden to read it: $error" ;;
      *"have a resource type"* | *"no matches for kind"* | *"find the requested resource"*)
        why="the cluster has no kind $RESOURCE"
        ;;
      *) why="the API server did not answer: $error" ;;
    esac
  fi
  now=$(date +%s)
  if [ "$why" != "$said" ] || [ $((now - told)) -ge 60 ]; then
    echo "$(date -u +%H:%M:%S) waiting for $WHAT since $((now - start)) s, for at most $TIMEOUT_SECONDS s: $why"
    told=$now
    said=$why
  fi
  sleep "$INTERVAL_SECONDS" &
  wait $!
done
echo "$(date -u +%H:%M:%S) $WHAT: the time of $TIMEOUT_SECONDS s is over: $why"
if [ "$ON_TIMEOUT" = proceed ]; then exit 0; fi
exit 3
`;

/** Exit status of a gate whose time is over: the Job fails at once, and is not tried again. */
export const timeIsOver = 3;
