import { remedy } from '../diagnose/remedies.ts';
import { textPart } from '../findings/cause-key.ts';
import { evidence, finding, ref } from '../findings/make-finding.ts';
import type { Confidence, Finding, Remedy, Trouble } from '../findings/trouble.ts';
import { isInFlight, type Node } from '../openshift/node.ts';
import { isRequiredForUpgrade } from '../openshift/pool.ts';
import { isEarlierSecond } from '../text/instant.ts';
import { clipped, listed } from '../text/phrases.ts';
import { poolCommand } from '../text/pool-command.ts';
import { poolkeeperCommand } from '../text/shell-words.ts';
import { unique } from '../text/unique.ts';
import { syncsToEnd } from './ended-syncs.ts';
import { heldWords, past, type UndonePause, undonePauseOf } from './find-undone-pause.ts';
import type { JudgeInput } from './input.ts';
import type { PoolState } from './pool-state.ts';
import { trouble } from './pool-troubles.ts';

type FirstSeen = JudgeInput['firstSeen'];

/** No pool can have this name. */
const prefix = '*|undone|';

/** Nodes that are remembered as targeted since: the message names no more. */
const nodesKept = 10;

/** Characters of a field manager, or of the words for a hook Job, in a headline and elsewhere. */
const byAtMost = { headline: 80, elsewhere: 253 };

/** Pools of which a program has taken our pause away. */
export interface UndonePauses {
  /** By pool. */
  readonly troubles: ReadonlyMap<string, Trouble>;
  /** To be stored until the next pass. */
  readonly firstSeen: FirstSeen;
}

/** A program, as Argo CD with the pool in Git or another operator, has resumed pools that Poolkeeper had paused. What a
 *  person resumes is that person's decision, and no trouble. */
export function undonePauses(states: readonly PoolState[], input: JudgeInput): UndonePauses {
  const { firstSeen: before } = input;
  if (input.pools.kind !== 'seen') {
    const known = Object.entries(before).filter(([key]) => key.startsWith(prefix));
    return { troubles: new Map(), firstSeen: Object.fromEntries(known) };
  }
  const found = states.flatMap((state) => {
    const undone = undonePauseOf(state, input.now);
    if (undone === undefined) return [];
    const keyOf = (word: string) => `${prefix}${word}|${state.pool.name}`;
    const since = before[keyOf('since')] ?? undone.at;
    const known = (before[keyOf('nodes')] ?? '').split(' ').filter((name) => name !== '');
    const nodes = unique([...known, ...targetedSince(undone.at, state)]).slice(0, nodesKept);
    const clocks: FirstSeen = {
      [keyOf('since')]: since,
      ...(nodes.length > 0 && { [keyOf('nodes')]: nodes.join(' ') }),
    };
    return [{ clocks, pool: state.pool.name, trouble: undoneTrouble({ ...undone, since, nodes }, state, input) }];
  });
  return {
    troubles: new Map(found.map(({ pool, trouble: each }) => [pool, each])),
    firstSeen: Object.assign({}, ...found.map(({ clocks }) => clocks)),
  };
}

/** Where the time of a node is not known, it counts: whoever looks finds out. */
function targetedSince(at: string, { nodes }: PoolState): readonly string[] {
  const isSince = ({ targetedAt }: Node) => targetedAt === undefined || !isEarlierSecond(targetedAt, at);
  return nodes.filter((node) => isInFlight(node) && isSince(node)).map(({ name }) => name);
}

interface Undone extends UndonePause {
  /** Of the first of those that follow each other. */
  readonly since: string;
  /** That were targeted since. */
  readonly nodes: readonly string[];
}

function undoneTrouble(undone: Undone, state: PoolState, input: JudgeInput): Trouble {
  const { pool } = state;
  const { by, nodes, since, standing } = undone;
  const again = pool.paused ? '; paused again' : '';
  const found = trouble(state, input, 'late-pause', {
    severity: pool.paused && nodes.length === 0 ? 'warning' : 'high',
    headline: `resumed by ${nameOf(undone, byAtMost.headline)} ${past(undone)}${again}`,
    since,
    findings: [undoneFinding(undone, state, input)],
    facts: [
      { label: 'Resumed by', value: nameOf(undone, byAtMost.elsewhere) },
      { label: 'Resumed at', value: undone.at },
      { label: 'Held for', value: heldWords(undone) },
      { label: 'Pool', value: pool.paused ? 'paused again' : 'not paused' },
      { label: 'Nodes targeted since', value: nodesText(undone, state) },
    ],
    syncs: syncsToEnd(standing.flatMap(({ id, kind }) => (kind === 'sync' ? [{ hold: id }] : []))),
  });
  // Who it is, and that the first node goes, is news; which further nodes go is not.
  return { ...found, digest: [found.digest, textPart(by), nodes.length > 0 ? 'targeted' : ''].join(';') };
}

function nameOf({ by, sort }: UndonePause, limit: number): string {
  return sort === 'unknown' ? 'an unknown writer' : clipped(by, limit);
}

function nodesText({ nodes }: Undone, { unseen }: PoolState): string {
  if (nodes.length > 0) return listed(nodes);
  return unseen === undefined ? 'none seen' : `not known: ${unseen}`;
}

function undoneFinding(undone: Undone, state: PoolState, input: JudgeInput): Finding {
  const { now } = input;
  const { pool } = state;
  const { at, sort } = undone;
  const of = ref('MachineConfigPool', pool.name);
  const who = nameOf(undone, byAtMost.elsewhere);
  const resumed = `At ${at} ${who}, which is no person as far as is known, resumed pool ${pool.name} although Poolkeeper had paused it for ${heldWords(undone)}.`;
  return finding({
    code: 'Z5',
    subject: of,
    sentence: `${resumed} ${stateWords(undone, state)} Nodes targeted since: ${nodesText(undone, state)}.`,
    confidence: confidences[sort],
    class: 'structural',
    evidence: [
      evidence(of, 'spec.paused', pool.paused, now.toISOString()),
      evidence(of, 'metadata.managedFields[f:spec.f:paused] when it was resumed', `${who} at ${at}`, now.toISOString()),
    ],
    remedies: [...endOfResumes(undone), ...(pool.paused ? [] : [pauseAgain(state, input)])],
  });
}

function stateWords({ standing }: Undone, { pool }: PoolState): string {
  if (pool.paused) return 'It is paused again; nodes that were targeted in between go on.';
  if (standing.length === 0) return 'It is not paused, and no longer held for that.';
  const what = standing.some(({ kind }) => kind === 'sync') ? 'in the middle of the sync' : 'now';
  return `It is not paused again for that, so its nodes may reboot ${what}.`;
}

/** How sure it is that no person did it. */
const confidences = {
  argocd: 'certain',
  program: 'strong',
  hook: 'likely',
  unknown: 'possible',
} as const satisfies Record<UndonePause['sort'], Confidence>;

const outOfGit = remedy('Take spec.paused out of the manifest of the pool in Git');
const ignored = remedy(
  'Have its Application ignore it: ignoreDifferences of /spec/paused, with the sync option RespectIgnoreDifferences=true',
  { command: poolkeeperCommand('manifests', '--only', 'argocd-settings') },
);

/** Whatever resumed it would do so again. */
function endOfResumes({ sort, by }: Undone): readonly Remedy[] {
  switch (sort) {
    case 'argocd':
      return [outOfGit, ignored];
    case 'hook':
      return [remedy('Take the Job that resumes pools out of Git', { command: poolkeeperCommand('doctor') })];
    case 'program':
      return [
        remedy(`Have ${clipped(by, byAtMost.headline)} leave spec.paused of this pool alone: stop its own pausing`),
      ];
    case 'unknown':
      return [
        remedy('See who replaces the pool as a whole, as Argo CD does with the sync option Replace=true: not with it'),
      ];
    default:
      return sort satisfies never;
  }
}

function pauseAgain({ pool }: PoolState, { cluster }: Pick<JudgeInput, 'cluster'>): Remedy {
  const required = isRequiredForUpgrade(pool) ? ['--required'] : [];
  const hold = (time: string) =>
    `${poolCommand('hold', { cluster, pool: pool.name }, '--for', time, ...required)} --reason "..."`;
  return remedy('Then pause it again, for the nodes that have not been targeted yet', {
    command: hold('2h'),
    // A resume would go past running syncs and gates, too.
    undo: hold('1m'),
    risk: 'low',
  });
}
