import { sweepIntervalSeconds, tickSeconds } from '../configuration/policy.ts';
import { remedy } from '../diagnose/remedies.ts';
import { evidence, finding, ref } from '../findings/make-finding.ts';
import {
  type Finding,
  type ObjectRef,
  type Remedy,
  refText,
  type Trouble,
  type TroubleKind,
} from '../findings/trouble.ts';
import { earliest, secondsSince } from '../text/instant.ts';
import { kindWord } from '../text/kind-words.ts';
import { ageText, between, clipped, listed, quoted } from '../text/phrases.ts';
import { command } from '../text/shell-words.ts';
import { nodeAwayWithApi } from './away-with-api.ts';
import type { BlindSpot } from './blind-spot.ts';
import type { JudgeInput } from './input.ts';
import { makeTrouble } from './make-trouble.ts';
import { inArgoCd, placedRef, type Served } from './told-application.ts';
import {
  byNamespaces,
  isPoolKind,
  isUnlisted,
  isUnreadKind,
  keptAtMost,
  type UnreadableObject,
} from './unreadable-objects.ts';

/** Poolkeeper itself observes less than it should: the cluster cannot be read, the last list of everything is too old,
 *  objects cannot be parsed, or a kind cannot be read. One incident for each pool that cannot be parsed, one for
 *  everything else: none of these hides another. */
export function watcherTroubles(input: JudgeInput): readonly Trouble[] {
  const pools = input.unreadable.filter(isPoolKind);
  const others = input.unreadable.filter((object) => !isPoolKind(object) && hasLasted(object, input));
  return [
    ...blindCluster(input),
    ...overdueSweep(input),
    ...pools.map((pool) => unparsedPool(pool, input)),
    ...unparsed(others, input),
  ];
}

/** What cannot be parsed is not observed either. */
export function unparsedBlindSpots({ cluster, unreadable }: JudgeInput): readonly BlindSpot[] {
  const pools = unreadable
    .filter(isPoolKind)
    .map(({ name, why }): BlindSpot => ({ cluster, pool: name, kinds: 'all', why }));
  const node = unreadable.find(({ kind }) => kind === 'Node');
  return [...pools, ...(node === undefined ? [] : [{ cluster, pool: '*', kinds: ofNodes, why: node.why }])];
}

const ofNodes: readonly TroubleKind[] = ['drain-blocked', 'node-degraded', 'node-lost', 'no-progress', 'late-pause'];

/** The API server knows no such kind, or something else than it has answered. */
const isUnserved = /machineconfigpools: 404\b/;
const takeItOut =
  'If this is a hosted control plane (HyperShift, ROSA HCP) or MicroShift, it has no MachineConfigPools: take it out of the configuration';

/** The token ends while a cluster is out of reach for longer than what is left of its life. */
const tokenRefused = /machineconfigpools: 401\b/;
const connectAgain =
  'Its token counts no longer, as after a day or a weekend out of reach: run poolkeeper connect again; for a cluster that sleeps, with --token-hours of twice its longest sleep';

/** No successful read for so long that the absence of trouble means nothing. */
function blindCluster(input: JudgeInput): readonly Trouble[] {
  const { cluster, now, pools, misses, lastGoodReadAt, policy } = input;
  if (pools.kind !== 'unreadable' || misses < policy.blindAfterMisses) return [];
  const since = lastGoodReadAt ?? now.toISOString();
  const of = ref('Cluster', cluster);
  const away = nodeAwayWithApi(input.firstSeen);
  // It comes back with its node, or is told then.
  if (away !== undefined && secondsSince(since, now) < policy.stuckAfter.rebootSeconds) return [];
  return [
    makeTrouble({
      key: { cluster, pool: '*', kind: 'watcher-blind' },
      severity: 'high',
      headline: `cluster ${cluster} cannot be read`,
      since,
      findings: [
        finding({
          code: 'B1',
          subject: of,
          sentence: `The pools of ${cluster} could not be read ${misses} times in a row: ${quoted(pools.why, 240)}. Poolkeeper makes no decision and resolves no incident until they can be.${away === undefined ? '' : ` ${away}, the only node of its control plane, was being updated when they were last read.`}`,
          confidence: 'certain',
          class: 'external',
          evidence: [evidence(of, 'last error', clipped(pools.why), now.toISOString())],
          remedies: [
            ...(away === undefined
              ? []
              : [remedy(`Look at the console of ${away}: has it come back from its reboot?`)]),
            ...(isUnserved.test(pools.why) ? [remedy(takeItOut)] : []),
            ...(tokenRefused.test(pools.why) ? [remedy(connectAgain)] : []),
            remedy('Check the API server, the network path and the token of Poolkeeper'),
          ],
        }),
      ],
      facts: [
        { label: 'Last successful read', value: lastGoodReadAt ?? 'never' },
        { label: 'Unreadable for', value: ageText(between(since, now.toISOString())) },
        { label: 'Failed reads', value: String(misses) },
      ],
    }),
  ];
}

/** Intervals without a complete sweep after which that is an incident. One may fail by chance. */
const sweepsMissedAtMost = 3;

/** The list of Applications is too old: a sync that no event reported would not be found. */
function overdueSweep({ cluster, now, policy, sweep }: JudgeInput): readonly Trouble[] {
  const { since, triedUntil, why } = sweep ?? {};
  if (since === undefined || triedUntil === undefined) return [];
  const intervalMs = sweepIntervalSeconds(policy) * 1000;
  if (between(since, triedUntil) <= sweepsMissedAtMost * intervalMs) return [];
  const of = ref('Cluster', cluster);
  const reason = why === undefined ? '' : `: ${quoted(why, 240)}`;
  return [
    makeTrouble({
      key: { cluster, pool: '*', kind: 'sweep-overdue' },
      severity: 'high',
      headline: `the Applications of ${cluster} cannot be listed`,
      since,
      findings: [
        finding({
          code: 'B3',
          subject: of,
          sentence: `The Applications that deploy to ${cluster} should be listed every ${ageText(intervalMs)}, and have not been listed completely for more than ${sweepsMissedAtMost} times that${reason}. Until they are, a sync is found only by its events.`,
          confidence: 'certain',
          class: 'external',
          evidence: [evidence(of, 'last complete sweep', since, now.toISOString())],
          remedies: [remedy('Check the API server of each Argo CD instance and the permissions of Poolkeeper there')],
        }),
      ],
      facts: [
        { label: 'Last complete list', value: since },
        { label: 'Age', value: ageText(between(since, now.toISOString())) },
      ],
    }),
  ];
}

/** Objects named in a sentence; the rest is counted. */
const namedAtMost = 3;

/** What a failed call hides may be seen by the next pass: it is told as late as a cluster that cannot be read. */
function hasLasted(object: UnreadableObject, { now, policy }: JudgeInput): boolean {
  return !isUnreadKind(object) || secondsSince(object.since, now) >= (policy.blindAfterMisses - 1) * tickSeconds;
}

/** Objects other than pools, and kinds. They hide nothing but themselves. */
function unparsed(all: readonly UnreadableObject[], input: JudgeInput): readonly Trouble[] {
  const [oldest] = all.toSorted((a, b) => Date.parse(a.since) - Date.parse(b.since));
  const kinds = all.filter(isUnreadKind);
  const objects = all.filter((object) => !isUnreadKind(object));
  if (kinds.length === 0 || oldest === undefined) return unparsedObjects(objects, input);
  const others = unparsedObjects(objects, input);
  return [
    makeTrouble({
      key: { cluster: input.cluster, pool: '*', kind: 'objects-unreadable' },
      severity: 'high',
      headline: `${listed(kinds.map(({ kind }) => `${kind}s`))} cannot be read`,
      since: oldest.since,
      findings: [...kinds.map((kind) => unreadKind(kind, input)), ...others.flatMap(({ findings }) => findings)],
      facts: [{ label: 'Unreadable since', value: oldest.since }],
    }),
  ];
}

/** The API server says which right is missing; anything else is no answer. */
const isRefused = /: 403\b/;

function unreadKind({ kind, why }: UnreadableObject, { cluster, now }: JudgeInput): Finding {
  const of = ref('Cluster', cluster);
  return finding({
    code: 'B5',
    subject: of,
    sentence: `${kind}s of ${cluster} could not be read: ${quoted(why, 240)}. Until they can be, ${untilRead(kind)}; everything else goes on.`,
    confidence: 'certain',
    class: 'external',
    evidence: [evidence(of, 'last error', clipped(why), now.toISOString())],
    remedies: [
      isRefused.test(why)
        ? remedy(
            `Let the account of Poolkeeper get and list ${kind}s: run poolkeeper connect again, as the cluster was connected`,
          )
        : remedy('Check the API server and the network path'),
    ],
  });
}

function untilRead(kind: string): string {
  return kind === 'Node'
    ? 'no drain, reboot or failure of a node is seen, none of their incidents is resolved, and a pool stays paused whose nodes may have another config'
    : 'a sync that changes one which no pool renders yet pauses every pool, and a pool stays paused that may lack one';
}

/** Namespaces of which it is told what cannot be parsed; all objects are counted. */
const namespacesAtMost = 10;

/** A finding for each namespace, so that people are told of the first one in each, however many another one has. */
function unparsedObjects(objects: readonly UnreadableObject[], input: JudgeInput): readonly Trouble[] {
  const namespaces = byNamespaces(objects);
  const [first] = namespaces.flat();
  if (first === undefined) return [];
  const cannot = cannotOf(objects);
  const since = earliest(objects.map((object) => object.since)) ?? first.since;
  return [
    makeTrouble({
      key: { cluster: input.cluster, pool: '*', kind: 'objects-unreadable' },
      severity: objects.some(isUnlisted) ? 'high' : 'warning',
      headline: objects.length === 1 ? `${wordsOf(first, input)} ${cannot}` : `${countOf(objects)} objects ${cannot}`,
      since,
      findings: namespaces.slice(0, namespacesAtMost).map((own) => unparsedFinding(own, input)),
      facts: [{ label: 'Unreadable since', value: since }],
    }),
  ];
}

function cannotOf(objects: readonly UnreadableObject[]): string {
  return objects.some(isUnlisted) ? 'cannot be read' : 'cannot be parsed';
}

/** The unreadable objects of one namespace. */
function unparsedFinding(own: readonly UnreadableObject[], input: JudgeInput): Finding {
  const { cluster, now } = input;
  const [first] = own;
  const isOne = own.length === 1 && first !== undefined;
  const ofAll = first === undefined || first.namespace === '' ? ref('Cluster', cluster) : namespaceOf(first, input);
  const named = own.slice(0, namedAtMost);
  const they =
    isOne && !own.some(isUnlisted) ? 'It is ignored, and what it does' : 'They are ignored, and what they do';
  return finding({
    code: 'B2',
    subject: isOne ? refOf(first, input) : ofAll,
    sentence: `${sentencesOf(own, input)} ${they} to the pools is unknown; holds of Applications among them stay as they are.`,
    confidence: 'certain',
    class: 'structural',
    evidence: named.map((object) => evidence(refOf(object, input), 'parsing', clipped(object.why), now.toISOString())),
    remedies: named.map((object) => remedyOf(object, input)),
  });
}

function remedyOf(object: UnreadableObject, input: JudgeInput): Remedy {
  const where = inArgoCd(object, input);
  if (!isUnlisted(object))
    return remedy(`Correct the object${where}, or ask its owner to`, { command: getCommand(object) });
  return remedy(
    `If namespace ${object.namespace}${where} is gone, take it out of the namespaces of its Argo CD in poolkeeper.yaml; otherwise connect the cluster again, which grants the rights there`,
  );
}

/** `Application a/x cannot be parsed at spec.source. Application a/y cannot ... And 4 more.` */
function sentencesOf(objects: readonly UnreadableObject[], input: JudgeInput): string {
  const named = objects.slice(0, namedAtMost).map((object) => `${wordsOf(object, input)} ${quoted(object.why, 160)}.`);
  const more = objects.length - named.length;
  return [...named, ...(more > 0 ? [`So it is with ${countOf(objects, named.length)} more.`] : [])].join(' ');
}

/** No more than a limit is remembered. */
function countOf({ length }: readonly UnreadableObject[], without = 0): string {
  return `${length >= keptAtMost ? 'at least ' : ''}${length - without}`;
}

function unparsedPool(pool: UnreadableObject, { cluster, now }: JudgeInput): Trouble {
  return makeTrouble({
    key: { cluster, pool: pool.name, kind: 'objects-unreadable' },
    severity: 'high',
    headline: `pool ${pool.name} cannot be parsed`,
    since: pool.since,
    findings: [unparsedPoolFinding(pool, now)],
    facts: [{ label: 'Unreadable since', value: pool.since }],
  });
}

function unparsedPoolFinding(pool: UnreadableObject, now: Date): Finding {
  return finding({
    code: 'B4',
    subject: ref(pool.kind, pool.name),
    sentence: `Pool ${pool.name} ${quoted(pool.why, 160)}. Until it can be parsed, Poolkeeper neither pauses nor resumes it and resolves none of its incidents; pools that wait for it keep waiting, and the others are kept as usual.`,
    confidence: 'certain',
    class: 'structural',
    evidence: [evidence(ref(pool.kind, pool.name), 'parsing', clipped(pool.why), now.toISOString())],
    remedies: [remedy('Correct the pool', { command: getCommand(pool) })],
  });
}

function refOf(object: UnreadableObject, served: Served): ObjectRef {
  const { kind, namespace, name } = object;
  return isUnlisted(object) ? namespaceOf(object, served) : placedRef(object, ref(kind, name, namespace), served);
}

function namespaceOf(object: UnreadableObject, served: Served): ObjectRef {
  return placedRef(object, ref('Namespace', object.namespace), served);
}

function wordsOf(object: UnreadableObject, served: Served): string {
  const { kind, namespace, name } = object;
  if (isUnlisted(object)) return `${kind}s in namespace ${namespace}${inArgoCd(object, served)}`;
  if (name === '') return `An object of kind ${kind} without a name${inArgoCd(object, served)}`;
  return refText(refOf(object, served));
}

function getCommand({ kind, namespace, name }: UnreadableObject): string {
  const place = namespace === '' ? [] : ['-n', namespace];
  return command('oc', 'get', kindWord(kind), ...(name === '' ? [] : [name]), ...place, '-o', 'yaml');
}
