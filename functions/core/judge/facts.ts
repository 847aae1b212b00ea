import { everyFinding } from '../findings/chain.ts';
import { distinctRefs, type Finding, type Trouble } from '../findings/trouble.ts';
import type { PendingChange } from '../machine-config/pending-change.ts';
import { causeText } from '../machine-config/pending-text.ts';
import { stepPlace } from '../node-rollouts/rollout-text.ts';
import { unmetCondition } from '../node-rollouts/unmet.ts';
import { changeWords, configOfChange } from '../openshift/change-name.ts';
import type { Node } from '../openshift/node.ts';
import { runningChange, wantedChange } from '../openshift/node-rollout.ts';
import { hasPendingChange, hasPendingRollout, imageOf, type Pool } from '../openshift/pool.ts';
import { byName } from '../text/by-name.ts';
import { counted, lastingText, listed } from '../text/phrases.ts';
import type { PoolState } from './pool-state.ts';

type Fact = Trouble['facts'][number];

/** Facts that a message shows at most. */
const atMost = 6;

export interface Stuck {
  readonly names: readonly string[];
  readonly since: string;
  readonly now: string;
}

/** Which nodes, from which config to which, for how long, and whether the old config still serves. */
export function nodeFacts(
  state: PoolState,
  { names, since, now }: Stuck,
  extra: readonly Fact[] = [],
): readonly Fact[] {
  const { pool, nodes } = state;
  const total = nodes.length > 0 ? nodes.length : pool.counts.machines;
  return [
    {
      label: names.length === 1 ? 'Node' : 'Nodes',
      value: `${listed(names, 3)} (${names.length} of ${total}, ${doneText(state)})`,
    },
    { label: 'Config', value: configText(state, names) },
    { label: 'Stuck for', value: `${lastingText(since, now)}${stepText(state, names)}` },
    { label: 'Old config still serving', value: servingText(state) },
    ...extra,
  ].slice(0, atMost);
}

/** Current step of the first node, and since when. */
function stepText({ busy }: PoolState, [name]: readonly string[]): string {
  const rollout = busy.find(({ node }) => node.name === name)?.rollout;
  return rollout === undefined ? '' : `; ${stepPlace(rollout.step)}`;
}

/** What the first node is waiting for. */
export function unmetFact({ busy }: PoolState, { names: [name], now }: Stuck): readonly Fact[] {
  const found = busy.find(({ node }) => node.name === name);
  return found === undefined ? [] : [{ label: 'Waiting for', value: unmetCondition(found.node, found.rollout, now) }];
}

/** S5: a failing node counts against maxUnavailable like an updating one, so others wait for it. Those of a paused pool
 *  wait for its resume, and so does the failing node: the MCO gives it no other config before. Of a stalled one
 *  they wait for something else.
 *  @param failing the names of the nodes that the fact is told beside */
export function waitingFact({ pool, nodes, stalledSince }: PoolState, failing: readonly string[]): readonly Fact[] {
  const waiting = nodes.filter(
    (node) => node.currentConfig !== pool.target.name && node.desiredConfig !== pool.target.name,
  );
  if (pool.paused) {
    const others = waiting.filter(({ name }) => !failing.includes(name)).length;
    const wait = others === 1 ? 'waits' : 'wait';
    const also = others === 0 || pool.target.name === '' ? '' : `; ${counted(others, 'other node')} ${wait}, too`;
    const whom = failing.length === 1 ? 'the node' : 'the nodes';
    return [{ label: 'Paused', value: `a config mended in Git reaches ${whom} once the pool is resumed${also}` }];
  }
  if (waiting.length === 0 || pool.target.name === '' || stalledSince !== undefined) return [];
  const budget = pool.maxUnavailable ?? '1';
  return [{ label: 'Waiting', value: `${counted(waiting.length, 'node')} behind it (maxUnavailable ${budget})` }];
}

export function poolFacts(state: PoolState, extra: readonly Fact[]): readonly Fact[] {
  return [...extra, { label: 'Old config still serving', value: servingText(state) }].slice(0, atMost);
}

/** The budget and its replicas, from the first PDB in the chain of causes; the others are counted. */
export function budgetFact(findings: readonly Finding[]): readonly Fact[] {
  const budgets = findings.flatMap(everyFinding).filter(({ subject }) => subject.kind === 'PodDisruptionBudget');
  const [found] = budgets;
  if (found === undefined) return [];
  const more = distinctRefs(budgets.map(({ subject }) => subject)).length - 1;
  const value = (path: string) => found.evidence.find((each) => each.path === `status.${path}`)?.value ?? '?';
  const { namespace, name } = found.subject;
  return [
    {
      label: 'Budget',
      value: `PDB ${namespace}/${name} allows ${value('disruptionsAllowed')}; ${value('currentHealthy')} healthy, ${value('desiredHealthy')} needed, ${value('expectedPods')} expected${more === 0 ? '' : `; and ${more} more`}`,
    },
  ];
}

/** The pod that is not evicted, from the evidence of the drain. */
export function podFact(findings: readonly Finding[]): readonly Fact[] {
  const seen = findings.flatMap(({ evidence }) => evidence).find(({ ref }) => ref.kind === 'Pod');
  return seen === undefined ? [] : [{ label: 'Pod', value: `${seen.ref.namespace}/${seen.ref.name}` }];
}

function doneText({ pool, nodes }: PoolState): string {
  const done =
    nodes.length === 0
      ? pool.counts.updated
      : nodes.filter((node) => hasNew(node, pool) && node.state === 'Done').length;
  return `${done} done`;
}

/** It runs the config that the pool goes to, and in image mode boots the image that the pool names, or that it was
 *  given. */
function hasNew({ currentConfig, currentImage, desiredImage }: Node, pool: Pool): boolean {
  return currentConfig === pool.target.name && currentImage === (imageOf(pool) ?? desiredImage);
}

/** From -> to of the first node, in image mode with the images; a drifted node has no target. */
function configText({ pool, nodes, change: why }: PoolState, names: readonly string[]): string {
  const node = byName(nodes, names[0]);
  const from = (node && runningChange(node)) || pool.current.name;
  const change = (node && wantedChange(node)) || pool.target.name;
  const to = configOfChange(change);
  if (from !== change) return `${changeWords(from)} -> ${changeWords(change)}${becauseOf(why, to)}`;
  const waiting = hasPendingChange(pool) && pool.target.name !== to ? pool.target.name : undefined;
  if (waiting !== undefined) return `${to}; ${waiting} pending${becauseOf(why, waiting)}`;
  return isToGetImage(node, pool) ? `${to}; another image pending` : `${to} (no change rolling out)`;
}

function isToGetImage(node: Node | undefined, pool: Pool): boolean {
  return hasPendingRollout(pool) && !hasPendingChange(pool) && (node === undefined || !hasNew(node, pool));
}

/** The cause of the change, so that nobody blames a commit for what the cluster itself rendered. */
export function becauseOf(change: PendingChange | undefined, to: string): string {
  const why = change?.to === to ? causeText(change) : '';
  return why === '' ? '' : `, because of ${why}`;
}

function servingText({ pool, nodes }: PoolState): string {
  const { machines, unavailable } = pool.counts;
  // The MCO counts as ready only who has the new config: none, where the pool is paused before it.
  if (nodes.length === 0) return `${machines - unavailable} of ${counted(machines, 'node')} available`;
  const fresh = nodes.filter((node) => hasNew(node, pool)).length;
  const old = nodes.length - fresh;
  const away = pool.counts.unavailable === 0 ? '' : `, ${pool.counts.unavailable} unavailable`;
  if (old > 0) return `yes: ${old} old, ${fresh} new${away}`;
  return hasPendingRollout(pool) ? `no: all ${fresh} have the new one${away}` : `yes: no change rolling out${away}`;
}
