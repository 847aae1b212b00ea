import { withoutTrailing } from '../../text/trailing.ts';
/** One pod that a drain names, and how it stays.
 *  `refused`: the eviction was refused again and again, as a disruption budget does. `accepted`: it was evicted and
 *  does not die.
 *  `webhook`: an admission webhook stands between. `namespace`: its namespace is being deleted. `other`: another
 *  error. */
export interface Blocker {
  readonly how: 'refused' | 'accepted' | 'webhook' | 'namespace' | 'other';
  /** Empty in texts of releases that did not say it. */
  readonly namespace: string;
  readonly pod: string;
  /** What followed the name. */
  readonly text: string;
  /** It stands behind the answer of a webhook, whose own words it may be: what is said of the pod does not count. */
  readonly mayBeQuoted?: true;
}

const evicting =
  /^error when evicting pods?\/?\s*"([^"]+)"(?:\s+-n\s+"([^"]+)")?(?:\s*\(will retry after [^)]*\))?\s*:?\s*([\s\S]*)$/i;
const terminatingNamespace =
  /^error when evicting pods?\/?\s*"([^"]+)"\s+(?:-n\s+"([^"]+)"\s+)?from terminating namespace\s*(?:"([^"]+)")?\s*:?\s*([\s\S]*)$/i;
/** As the API server answers: an eviction is an object, and none can be created there. */
const inTerminatingNamespace =
  /unable to create new content in namespace "?([\w-]{1,63})"? because it is being terminated/i;
const waiting =
  /^error when waiting for pods?\/?\s*"([^"]+)"(?:\s+in namespace\s+"([^"]+)")?\s+(?:to terminate|terminating)\s*:?\s*([\s\S]*)$/i;

/** Behind it stand the webhook's own words, to the end: where it denies, and where the call fails, as that quotes what
 *  the webhook answers, its body or the message of its status. Source: Kubernetes apiserver
 *  pkg/admission/plugin/webhook, pkg/util/webhook; client-go rest. */
const answer = /admission webhook "[^"]{1,300}" denied the request|failed calling webhook/i;

const nextError = /error when (?:evicting|waiting)/i;

/** What the MCO adds behind the last error in the condition Drained. */
const aftermath = 'The drain will not be complete until desired drainer';

/** Reads the drain error that the MCO passes on in conditions, events and reasons: several errors may be joined,
 *  quotes may be escaped. A pod named twice counts once, as it was named first. Source: kubectl drain library, facts
 *  of the drain grammar. */
export function parseDrainText(text: string): readonly Blocker[] {
  const blockers = new Map<string, Blocker>();
  const plain = withoutAftermath(text.replaceAll('\\"', '"'));
  let isBehindAnswer = false;
  for (const part of plain.split(/(?=error when (?:evicting|waiting))/i)) {
    const said = parsePart(withoutTrailing(part, ', \t\r\n]'));
    const blocker = isBehindAnswer ? said && unsaid(said) : said;
    isBehindAnswer ||= answer.test(part);
    if (blocker === undefined) continue;
    const key = `${blocker.namespace}/${blocker.pod}`;
    if (!blockers.has(key)) blockers.set(key, blocker);
  }
  return [...blockers.values()];
}

/** Without what is said of it. A pod without its namespace cannot be looked for. */
function unsaid({ namespace, pod }: Blocker): Blocker | undefined {
  return namespace === '' ? undefined : { how: 'refused', namespace, pod, text: '', mayBeQuoted: true };
}

function withoutAftermath(text: string): string {
  const at = text.lastIndexOf(aftermath);
  return at < 0 || nextError.test(text.slice(at)) ? text : withoutTrailing(text.slice(0, at), '. \t\r\n');
}

function parsePart(part: string): Blocker | undefined {
  const doomed = terminatingNamespace.exec(part);
  if (doomed?.[1] !== undefined) {
    return {
      how: 'namespace',
      pod: doomed[1],
      namespace: doomed[2] ?? doomed[3] ?? '',
      text: (doomed[4] ?? '').trim(),
    };
  }
  const lingering = waiting.exec(part);
  if (lingering?.[1] !== undefined) {
    return { how: 'accepted', pod: lingering[1], namespace: lingering[2] ?? '', text: (lingering[3] ?? '').trim() };
  }
  const refused = evicting.exec(part);
  if (refused?.[1] === undefined) return undefined;
  const rest = (refused[3] ?? '').trim();
  const ended = answer.test(rest) ? undefined : inTerminatingNamespace.exec(rest)?.[1];
  if (ended !== undefined) return { how: 'namespace', pod: refused[1], namespace: refused[2] ?? ended, text: rest };
  return { how: refusal(rest), pod: refused[1], namespace: refused[2] ?? '', text: rest };
}

/** The API server repeats names of pods and namespaces, which may hold any word, but neither blanks nor capitals. */
function refusal(rest: string): Blocker['how'] {
  if (/admission webhook "|failed calling webhook/i.test(rest)) return 'webhook';
  if (/global timeout reached|too many requests|^$/i.test(rest) || namesBudget(rest)) return 'refused';
  return 'other';
}

/** Words of the eviction API: `the pod's disruption budget`, `more than one PodDisruptionBudget`. */
export function namesBudget(text: string): boolean {
  return /disruption budget/i.test(text) || /DisruptionBudget/.test(text);
}
