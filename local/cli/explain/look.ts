import type { Policy } from '../../../functions/core/configuration/policy.ts';
import type { Diagnosis } from '../../../functions/core/diagnose/diagnosis.ts';
import { logPath } from '../../../functions/core/diagnose/logs.ts';
import { explainPause } from '../../../functions/core/diagnose/rules.ts';
import type { NodeSubject, Subject } from '../../../functions/core/diagnose/subject.ts';
import { everyName } from '../../../functions/core/findings/listed.ts';
import type { Evidence, Finding, Trouble } from '../../../functions/core/findings/trouble.ts';
import { findSubjects } from '../../../functions/core/judge/find-subjects.ts';
import type { ObservedNodes, ObservedCluster as Sight } from '../../../functions/core/judge/input.ts';
import { judge } from '../../../functions/core/judge/judge.ts';
import { symptomOf } from '../../../functions/core/judge/phases.ts';
import { type PoolState, poolStates } from '../../../functions/core/judge/pool-state.ts';
import { freezesIn } from '../../../functions/core/openshift/freeze.ts';
import { isInFlight } from '../../../functions/core/openshift/node.ts';
import { isAtRest, type Pool } from '../../../functions/core/openshift/pool.ts';
import { holdsOf } from '../../../functions/core/openshift/pool-record.ts';
import { Misconfigured } from '../../../functions/core/text/errors.ts';
import { plusSeconds } from '../../../functions/core/text/instant.ts';
import { notAsked, seenValue } from '../../../functions/core/text/observed.ts';
import { listed } from '../../../functions/core/text/phrases.ts';
import { readEveryNode, readNodes, withoutNodesOf } from '../../../functions/keep-pools/read/read-nodes.ts';
import { attachLogs } from '../../../functions/keep-pools/watch/attach-logs.ts';
import { diagnoseAll } from '../../../functions/keep-pools/watch/diagnose-all.ts';
import { lookInto } from '../../../functions/keep-pools/watch/look-into.ts';
import type { ClusterReader } from '../../snapshot/cluster-reader.ts';
import { askingOnce } from './ask-once.ts';
import type { AskedNode, EarlyDrain, ExplainedTrouble, Explanation, PoolExplanation } from './explanation.ts';
import { type Home, homeOf, outsideNode } from './find-node.ts';
import { firstEvidence } from './first-evidence.ts';

export interface Look {
  readonly cluster: string;
  readonly now: Date;
  readonly policy: Policy;
  /** Names; empty: every pool. */
  readonly pools: readonly string[];
  /** One node to diagnose, even if its update has just begun. */
  readonly node: string | undefined;
  /** Start times known from earlier looks; empty: none. */
  readonly firstSeen: Readonly<Record<string, string>>;
  readonly waitsForRender: readonly string[];
}

/** Seconds. The MCO's first drain attempt ends after 90 s, and a person who asks wants to know now. */
const drainSeconds = 90;
/** As many calls as keep-pools spends on one subject. */
const callsForNode = 15;
/** Drains of one pool that are looked into before they count as stuck. Reads bounded: 3 times `callsForNode`. */
const earlyDrains = 3;

/** One look at a cluster with the judgement and diagnosis of keep-pools. Throws Misconfigured for an unknown pool or
 *  node, Transient if the pools cannot be read. */
export async function explainCluster(look: Look, given: ClusterReader): Promise<Explanation> {
  const { cluster, now } = look;
  const eyes = { ...given, reader: askingOnce(given.reader) };
  const policy = impatient(look.policy);
  const { items, unreadable: invalidPools } = await eyes.pools.listPools();
  const pools = items.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  refuseUnknown(look.pools, [...pools, ...invalidPools]);
  const invalid = invalidPools.map(({ name }) => name);
  const [everyNode, ...seen] = await Promise.all([
    readEveryNode(eyes.pools),
    ...pools.map(async (pool) => ({
      pool,
      nodes: withoutNodesOf(invalid, await nodesOf(pool, look, eyes)),
      waitsForRender: look.waitsForRender.includes(pool.name),
    })),
  ]);
  const { firstSeen, assumed } = firstEvidence(
    seen.map(({ pool, nodes }) => ({ pool, nodes: seenValue(nodes) ?? [] })),
    { policy, now },
  );
  const observed: Sight = {
    cluster,
    now,
    policy,
    pools: { kind: 'seen', value: seen },
    everyNode: withoutNodesOf(invalid, everyNode.nodes),
    rollouts: notAsked,
    known: notAsked,
    firstSeen: { ...firstSeen, ...look.firstSeen },
  };
  const isWanted = (name: string) => look.pools.length === 0 || look.pools.includes(name);
  const found = findSubjects(observed).filter(({ pool }) => isWanted(pool.name));
  const { states } = poolStates(observed);
  const home = homeOf(look.node, observed);
  const outside =
    look.node !== undefined && home === undefined
      ? outsideNode(look.node, everyNode, { states, invalidPools })
      : undefined;
  const own = home === undefined ? outside?.pools : [home.pool.name];
  const shown = states.filter(({ pool }) => (own === undefined ? isWanted(pool.name) : own.includes(pool.name)));
  const applications = found.length > 0 || isAnyBusy(shown) ? ((await eyes.applications?.()) ?? []) : [];
  const subjects = found.map((subject) => ({ ...subject, applications }));
  const examined = new Set(subjects.flatMap((subject) => (subject.kind === 'node' ? [subject.node.name] : [])));
  // Nothing of this depends on the rest; what two of them ask is asked once.
  const [diagnoses, asked, changes, early] = await Promise.all([
    diagnoseAll(subjects, eyes.reader).then((found) => andLogs(subjects, found, eyes)),
    home === undefined ? undefined : askedNode(look, { observed, home, eyes, applications, pools }),
    Promise.all(shown.map(({ pool, nodes }) => eyes.change?.(pool, nodes))),
    Promise.all(
      shown.map((state) =>
        own === undefined ? drainsBeforeStuck(state, { look, eyes, examined, applications, pools }) : [],
      ),
    ),
  ]);
  const judgement = judge({
    ...observed,
    diagnoses,
    applications: [],
    races: [],
    breakGlass: notAsked,
    misses: 0,
    lastGoodReadAt: undefined,
    unreadable: [],
    sweep: { since: undefined, triedUntil: undefined },
  });
  return {
    cluster,
    readAt: now.toISOString(),
    pools: shown.map((state, index) => ({
      ...poolExplanation(state, { now, assumed }),
      change: changes[index],
      troubles: judgement.troubles
        .filter(({ key }) => key.pool === state.pool.name)
        .map((trouble) => withKnownAge(trouble, assumed)),
      asked: asked?.node ?? outside?.node,
      early: (early[index] ?? []).map(({ drain }) => drain),
    })),
    notRead: [
      ...[...invalidPools, ...everyNode.unreadable]
        .filter(({ name }) => name !== everyName)
        .map(({ kind, name, why }) => `${kind} ${name}: ${why}`),
      // Without them, nodes that no pool updates are not found.
      ...(everyNode.nodes.kind === 'unreadable' ? [`the nodes of the cluster: ${everyNode.nodes.why}`] : []),
      ...notRead(states, [
        ...diagnoses.values(),
        ...(asked?.diagnosis === undefined ? [] : [asked.diagnosis]),
        ...early.flat().map(({ diagnosis }) => diagnosis),
      ]),
    ],
  };
}

/** What is being refused to drains that have not lasted long enough to count as stuck. */
async function drainsBeforeStuck(
  { pool, busy, nodes }: PoolState,
  {
    look,
    eyes,
    examined,
    applications,
    pools,
  }: {
    readonly look: Look;
    readonly eyes: ClusterReader;
    readonly examined: ReadonlySet<string>;
    readonly applications: NodeSubject['applications'];
    readonly pools: NodeSubject['pools'];
  },
): Promise<readonly { readonly drain: EarlyDrain; readonly diagnosis: Diagnosis }[]> {
  const young = busy.filter(({ node, symptom }) => symptom === 'draining' && !examined.has(node.name));
  const readAt = look.now.toISOString();
  return Promise.all(
    young.slice(0, earlyDrains).map(async ({ node, symptom, since }) => {
      const place = { cluster: look.cluster, pool, pools, nodes, readAt, applications };
      const subject: NodeSubject = { kind: 'node', ...place, node, symptom, since };
      const diagnosis = await lookInto(subject, eyes.reader, { maxCalls: callsForNode });
      const stuckFrom = plusSeconds(new Date(since), look.policy.stuckAfter.drainSeconds);
      return { drain: { node: node.name, stuckFrom, findings: diagnosis.findings }, diagnosis };
    }),
  );
}

/** With the lines of the log where whoever asks may read it; nothing is said where not. */
async function andLogs(
  subjects: readonly Subject[],
  diagnoses: ReadonlyMap<string, Diagnosis>,
  { reader, withLogs: isWanted }: ClusterReader,
): Promise<ReadonlyMap<string, Diagnosis>> {
  if (isWanted !== true) return diagnoses;
  const attached = await attachLogs(subjects, diagnoses, reader);
  const isSilent = ({ path, value }: Evidence) => path === logPath && value.startsWith('not read:');
  return new Map(
    [...attached].map(([key, diagnosis]) => [
      key,
      {
        ...diagnosis,
        findings: diagnosis.findings.map((each) => ({
          ...each,
          evidence: each.evidence.filter((one) => !isSilent(one)),
        })),
      },
    ]),
  );
}

function isAnyBusy(states: readonly PoolState[]): boolean {
  return states.some(({ busy }) => busy.length > 0);
}

function impatient(policy: Policy): Policy {
  const { stuckAfter } = policy;
  return { ...policy, stuckAfter: { ...stuckAfter, drainSeconds: Math.min(drainSeconds, stuckAfter.drainSeconds) } };
}

/** @param pools those that cannot be parsed as well: they are there, and told as not read */
function refuseUnknown(names: readonly string[], pools: readonly Pick<Pool, 'name'>[]): void {
  const unknown = names.filter((name) => !pools.some((pool) => pool.name === name));
  if (unknown.length > 0)
    throw new Misconfigured([
      `--pool: there is no pool ${unknown.join(', ')}; the cluster has ${pools.map(({ name }) => name).join(', ')}`,
    ]);
}

/** The nodes of every pool if one node is asked for: its pool is not known yet. */
async function nodesOf(pool: Pool, { node }: Look, { pools }: ClusterReader): Promise<ObservedNodes> {
  return isAtRest(pool) && node === undefined ? notAsked : (await readNodes(pool, pools)).nodes;
}

async function askedNode(
  { cluster, now }: Look,
  {
    observed,
    home: { pool, node, members },
    eyes: { reader },
    applications,
    pools,
  }: {
    readonly observed: Sight;
    readonly home: Home;
    readonly eyes: ClusterReader;
    readonly applications: NodeSubject['applications'];
    readonly pools: NodeSubject['pools'];
  },
): Promise<{ readonly node: AskedNode; readonly diagnosis: Diagnosis | undefined }> {
  const symptom = symptomOf(node);
  const isUpdated = node.currentConfig === pool.target.name && !isInFlight(node);
  const place = isUpdated ? 'updated' : 'behind';
  const words = { node: node.name, state: node.state, symptom, place } as const;
  if (symptom === undefined) return { node: { ...words, findings: [] }, diagnosis: undefined };
  const readAt = now.toISOString();
  const since = observed.firstSeen[[pool.name, symptom, node.name, node.desiredConfig].join('|')] ?? readAt;
  const around = { cluster, pool, pools, nodes: members, readAt, applications };
  const subject: NodeSubject = { kind: 'node', ...around, node, symptom, since };
  const diagnosis = await lookInto(subject, reader, { maxCalls: callsForNode });
  return { node: { ...words, findings: diagnosis.findings }, diagnosis };
}

function withKnownAge(trouble: Trouble, assumed: ReadonlySet<string>): ExplainedTrouble {
  if (!assumed.has(trouble.since)) return trouble;
  return { ...trouble, since: undefined, facts: trouble.facts.filter(({ label }) => !/\bfor$/i.test(label)) };
}

function poolExplanation(
  { pool, busy }: PoolState,
  { now, assumed }: { readonly now: Date; readonly assumed: ReadonlySet<string> },
): Pick<PoolExplanation, 'name' | 'current' | 'target' | 'counts' | 'pause' | 'busy'> {
  const since = pool.record.kind === 'record' ? pool.record.record.pausedSince : undefined;
  return {
    name: pool.name,
    current: pool.current.name,
    target: pool.target.name,
    counts: pool.counts,
    pause: pool.paused
      ? withFreezes(explainPause(pool, since ?? pool.pausedBy?.at ?? now.toISOString(), now.toISOString()), pool)
      : undefined,
    busy: busy.map(({ node, symptom, since: began }) => ({
      node: node.name,
      symptom,
      since: assumed.has(began) ? undefined : began,
    })),
  };
}

/** Nothing rolls out on a frozen pool, whatever else is found. */
function withFreezes(found: Finding, pool: Pool): Finding {
  const freezes = freezesIn({ holds: holdsOf(pool) }).map(({ who, why, until }) => `${who} until ${until} (${why})`);
  return freezes.length === 0 ? found : { ...found, sentence: `${found.sentence} Frozen by ${listed(freezes, 2)}.` };
}

function notRead(states: readonly PoolState[], diagnoses: readonly Diagnosis[]): readonly string[] {
  return [
    ...new Set([
      ...states.flatMap(({ pool, unseen }) =>
        unseen === undefined ? [] : [`the nodes of pool ${pool.name}: ${unseen}`],
      ),
      ...diagnoses.flatMap(({ unanswered }) => unanswered),
    ]),
  ];
}
