import type { Inquiry } from '../../findings/inquiry.ts';
import { evidence, finding, notKnown, ref, without } from '../../findings/make-finding.ts';
import type { Evidence, Finding, Remedy } from '../../findings/trouble.ts';
import { read, type Unread, unreadOf } from '../../findings/unread.ts';
import { nodesAtOnce } from '../../impact/nodes-at-once.ts';
import { isBehind, isInFlight, isToBeDrained, mayBeRetargeted, type Node } from '../../openshift/node.ts';
import { hasPendingChange, imageOf } from '../../openshift/pool.ts';
import type { LabelSelector } from '../../openshift/selector.ts';
import { ifGiven } from '../../text/if-given.ts';
import { ageText, between, counted, listed, quoted } from '../../text/phrases.ts';
import { mergePatch } from '../../text/shell-words.ts';
import { authorOf, type ManagedBy } from '../objects/managed-fields.ts';
import type { LiveNode } from '../objects/node.ts';
import type { NodeStatus } from '../objects/node-status.ts';
import { candidateNodes, nodeNamed, nodeStatuses } from '../questions.ts';
import { remedy, uncordon } from '../remedies.ts';
import type { PoolSubject } from '../subject.ts';
import { withMachine } from './lost-machine.ts';
import { unfitNode } from './node-health.ts';
import { deadController } from './operator-parts.ts';
import { withCertificatesOf } from './pending-certificates.ts';

/** Nodes read one by one for what a list does not tell (who cordoned, what the kubelet says). The rest are named. */
const nodesExplained = 3;
/** Where the evidence of a stall names the nodes that use the budget of their pool up. */
export const usedUpPath = 'nodes that use spec.maxUnavailable up';
/** Where it names those that are left, of which the MCO takes none. */
export const leftPath = 'nodes that are left';

/** Seconds in which a controller that moves to another master is ready there; its lease takes longer. */
const movesWithinSeconds = 180;

/** How the MCO's own clients sign a cordon. A node left cordoned under this name was not cordoned by a person. */
export const mcoManagers = /^machine-config/;

/** A change waits, nothing is Degraded and no node moves: does whoever should move them run, and if so, who uses up the
 *  budget of unavailable nodes? (S1, S2, S12, S13) */
export function* explainStall(subject: PoolSubject): Inquiry<readonly Finding[]> {
  const { pool, nodes } = subject;
  const missing = yield* whoIsMissing(
    subject,
    (status, node) => !isOnItsWay(node) && (!status.ready || status.cordoned),
  );
  const { found: users, unread, complete } = missing;
  const behind = nodes.filter((node) => isBehind(node, pool));
  const what = hasPendingChange(pool) || imageOf(pool) === undefined ? 'configuration' : 'image';
  const waits = `Pool ${pool.name} waits: ${counted(behind.length, 'node')} of ${nodes.length} ${behind.length === 1 ? 'is' : 'are'} still to be taken to its ${what}`;
  if (sizeOf(subject) === undefined) return [without(invalidSize(subject, waits, users), unread)];
  const { found: controller, unread: unknown } = yield* deadController(users.length > 0 ? movesWithinSeconds : 0);
  if (controller !== undefined) return [without(nobodyMovesThem(subject, waits, controller, users), unread)];
  const why = users.length === 0 ? undefined : whyTheyStopIt(subject, missing, behind);
  if (why === undefined) return [without(notStoppedByNodes(subject, waits, missing), [...unread, ...unknown])];
  const found = finding({
    code: 'S12',
    subject: ref('MachineConfigPool', pool.name),
    sentence: `${waits}, because ${why.words}.`,
    confidence: complete ? 'strong' : 'likely',
    class: 'external',
    evidence: [...stallEvidence(subject), why.evidence],
    because: users,
    remedies: why.remedies,
  });
  return [without(found, unread)];
}

/** The MCO counts it whatever its status is. One that has failed is counted by its status alone. */
function isOnItsWay(node: Node): boolean {
  return isInFlight(node) && !mayBeRetargeted(node);
}

/** How many nodes may be missing at once; undefined: the value is invalid. */
function sizeOf({ pool, nodes }: PoolSubject): number | undefined {
  return nodesAtOnce(pool.maxUnavailable, Math.max(pool.counts.machines, nodes.length));
}

/** The MCO ends its sync of the pool with an error before it looks at any node. Source: node controller,
 *  `syncMachineConfigPool`. */
function invalidSize(subject: PoolSubject, waits: string, others: readonly Finding[]): Finding {
  const { name, maxUnavailable = '' } = subject.pool;
  return finding({
    code: 'S12',
    subject: ref('MachineConfigPool', name),
    sentence: `${waits}, because its maxUnavailable ${quoted(maxUnavailable, 40)} is no valid number or percentage: the MCO takes no node.`,
    confidence: 'strong',
    class: 'external',
    evidence: stallEvidence(subject),
    because: others.map(byItself),
    remedies: [
      remedy(`Set a valid maxUnavailable of pool ${name}; 1 is the default`, {
        command: mergePatch({ kind: 'mcp', name }, { spec: { maxUnavailable: 1 } }),
        risk: 'low',
      }),
    ],
  });
}

interface Stop {
  readonly words: string;
  readonly evidence: Evidence;
  readonly remedies: readonly Remedy[];
}

/** Undefined: the MCO could go on beside them. It takes no node that is cordoned or not ready, and no other as long as
 *  so many are missing as may be. Source: node controller, `getAllCandidateMachines`. */
function whyTheyStopIt(subject: PoolSubject, { names }: Missing, behind: readonly Node[]): Stop | undefined {
  const { pool, readAt } = subject;
  const budget = pool.maxUnavailable ?? '1';
  const named = (path: string, which: readonly string[]) =>
    evidence(ref('MachineConfigPool', pool.name), path, listed(which, 2), readAt);
  if (names.length >= (sizeOf(subject) ?? 0))
    return {
      words: `its budget of ${budget} unavailable ${budget === '1' ? 'node' : 'nodes'} is used up by ${listed(names)}`,
      evidence: named(usedUpPath, names),
      remedies: hasFailed(subject, names)
        ? []
        : [
            remedy(`Or let others go on by a larger maxUnavailable of pool ${pool.name}: then more are away at once`, {
              risk: 'low',
            }),
          ],
    };
  if (behind.length === 0 || !behind.every(({ name }) => names.includes(name))) return undefined;
  const left = behind.map(({ name }) => name);
  return {
    words: `the MCO takes no node that is cordoned or not ready, and ${left.length === 1 ? 'the one that is' : 'those that are'} left ${left.length === 1 ? 'is' : 'are'}: ${listed(left)}`,
    evidence: named(leftPath, left),
    remedies: [],
  };
}

/** Where an update has failed, another node could fail as well. */
function hasFailed({ nodes }: PoolSubject, names: readonly string[]): boolean {
  return nodes.some((node) => mayBeRetargeted(node) && names.includes(node.name));
}

/** Neither its nodes stop it, nor a controller that does not run, as far as it is known. */
function notStoppedByNodes(subject: PoolSubject, waits: string, { found, names }: Missing): Finding {
  const missing =
    names.length === 0
      ? 'none was found to be missing'
      : `its budget of ${subject.pool.maxUnavailable ?? '1'} unavailable nodes is not used up by ${listed(names)}`;
  const nothing = notKnown({
    code: 'S12',
    subject: ref('MachineConfigPool', subject.pool.name),
    sentence: `${waits}, no node is on its way and ${missing}.`,
    looked: ['the status of its nodes', 'their annotations', 'the machine-config-controller'],
    evidence: stallEvidence(subject),
  });
  return { ...nothing, because: found.map(byItself) };
}

/** True, and not what the pool waits for as far as it is known. */
function byItself(found: Finding): Finding {
  return { ...found, confidence: 'possible' };
}

/** Whatever its nodes are: whoever should move them does not run. */
function nobodyMovesThem(
  subject: PoolSubject,
  waits: string,
  controller: Finding,
  others: readonly Finding[],
): Finding {
  return finding({
    code: 'S12',
    subject: ref('MachineConfigPool', subject.pool.name),
    sentence: `${waits}, and nobody moves them.`,
    confidence: 'strong',
    class: controller.class,
    evidence: stallEvidence(subject),
    because: [controller, ...others],
  });
}

/** Nodes are missing though nothing is rolled out. Cordons are nobody's trouble then. */
export function* explainUnavailable(subject: PoolSubject): Inquiry<readonly Finding[]> {
  const { found, unread } = yield* whoIsMissing(subject, (status, node) => !isInFlight(node) && !status.ready);
  return found.map((each) => without(each, unread));
}

interface Missing {
  /** All of them, explained or not. */
  readonly names: readonly string[];
  readonly found: readonly Finding[];
  readonly unread: readonly Unread[];
  readonly complete: boolean;
}

function* whoIsMissing(subject: PoolSubject, isMissing: (status: NodeStatus, node: Node) => boolean): Inquiry<Missing> {
  const selector = subject.pool.nodeSelector;
  if (selector === undefined) return { names: [], found: [], unread: [], complete: true };
  const statuses = yield* read(nodeStatuses(selector));
  if (statuses.kind !== 'read') return { names: [], found: [], unread: unreadOf([statuses]), complete: false };
  const members = new Map(subject.nodes.map((node) => [node.name, node]));
  const missing = statuses.value.nodes
    .filter((status) => {
      const node = members.get(status.name);
      return node !== undefined && isMissing(status, node);
    })
    .toSorted((a, b) => Number(a.ready) - Number(b.ready) || (a.name < b.name ? -1 : 1));
  const explained: Finding[] = [];
  const recovered: string[] = [];
  const unread: Unread[] = [];
  for (const { name } of missing.slice(0, nodesExplained)) {
    const live = yield* read(nodeNamed(name));
    const why = live.kind === 'read' ? yield* explainNode(live.value, live.readAt, members.get(name)) : [];
    if (live.kind === 'read' && why.length === 0) recovered.push(name);
    explained.push(...why);
    unread.push(...unreadOf([live]));
  }
  const beside = yield* unseenByTable(subject, selector, statuses.value.nodes);
  unread.push(...beside.unread);
  const told = yield* withCertificatesOf(explained.map((found) => ({ found, node: found.subject.name })));
  const found = [
    ...told,
    ...beside.found.slice(0, nodesExplained),
    ...missing.slice(nodesExplained).map((status) => byListAlone(status, statuses.readAt)),
  ];
  const names = [
    ...missing.map(({ name }) => name).filter((name) => !recovered.includes(name)),
    ...beside.found.map(({ subject: of }) => of.name),
  ];
  return { names, found, unread, complete: statuses.value.complete && beside.complete };
}

/** Nodes that are Ready and not cordoned, and that the MCO counts as unavailable all the same: for want of disk or
 *  network (S11), which no table of nodes has. They are looked for where the pool counts more than the table shows,
 *  among the first nodes alone, because a full node has some 20 kB. Source: MCO
 *  pkg/controller/common/layered_node_state.go `CheckNodeReady`. */
function* unseenByTable(
  { pool, nodes }: PoolSubject,
  selector: LabelSelector,
  statuses: readonly NodeStatus[],
): Inquiry<Pick<Missing, 'found' | 'unread' | 'complete'>> {
  const members = new Map(nodes.map((node) => [node.name, node]));
  const away = new Set([
    ...statuses.filter((status) => !status.ready || status.cordoned).map(({ name }) => name),
    ...nodes.filter(isOnItsWay).map(({ name }) => name),
  ]);
  const seen = [...away].filter((name) => members.has(name)).length;
  if (pool.counts.unavailable <= seen) return { found: [], unread: [], complete: true };
  const live = yield* read(candidateNodes(selector));
  if (live.kind !== 'read') return { found: [], unread: unreadOf([live]), complete: false };
  const others = live.value.items.filter(({ metadata }) => members.has(metadata.name) && !away.has(metadata.name));
  const found = others.flatMap((node) => ifGiven(unfitNode(node, live.readAt, false)));
  return { found, unread: [], complete: live.value.metadata.continue === '' };
}

function* explainNode(
  node: LiveNode & ManagedBy,
  readAt: string,
  member: Node | undefined,
): Inquiry<readonly Finding[]> {
  const unfit = unfitNode(node, readAt, false);
  if (unfit !== undefined) return [yield* withMachine(unfit, node)];
  if (!node.spec.unschedulable) return [];
  const isOfItsUpdate = member !== undefined && mayBeRetargeted(member) && isToBeDrained(member);
  return [isOfItsUpdate ? cordonedByUpdate(member, readAt) : cordoned(node, readAt)];
}

/** S1: by the drain of an update that has failed since. Its daemon tries that again: whoever uncordons it too early has
 *  it rebooted with its pods. */
function cordonedByUpdate({ name, desiredConfig, desiredDrain }: Node, readAt: string): Finding {
  const of = ref('Node', name);
  return finding({
    code: 'S1',
    subject: of,
    sentence: `${name} is cordoned for its update to ${desiredConfig}, which has failed.`,
    confidence: 'strong',
    class: 'external',
    evidence: [
      evidence(of, 'spec.unschedulable', true, readAt),
      evidence(of, 'metadata.annotations[desiredDrain]', desiredDrain, readAt),
    ],
    remedies: [
      {
        ...uncordon(name),
        title: 'Once what its pool goes to no longer has what failed, uncordon it: only then is it given that',
        risk: 'outage',
      },
    ],
  });
}

/** S1: who and since when. A manager is a program; a person is never named. */
function cordoned(node: LiveNode & ManagedBy, readAt: string): Finding {
  const of = ref('Node', node.metadata.name);
  const author = authorOf(node, ['f:spec', 'f:unschedulable']);
  const taint = node.spec.taints.find(({ key }) => key === 'node.kubernetes.io/unschedulable');
  const since = taint?.timeAdded ?? author?.at;
  const byMco = author !== undefined && mcoManagers.test(author.manager);
  const by = author === undefined ? '' : ` through ${author.manager}`;
  const ago = since === undefined ? '' : ` ${ageText(between(since, readAt))} ago`;
  return finding({
    code: 'S1',
    subject: of,
    sentence: byMco
      ? `${of.name} was cordoned${ago} by the MCO and never uncordoned; no drain is asked for.`
      : `${of.name} was cordoned${ago}${by}; no drain is asked for, so it is not this update's doing.`,
    confidence: since === undefined ? 'likely' : 'strong',
    class: 'external',
    evidence: [
      evidence(of, 'spec.unschedulable', true, readAt),
      ...(author === undefined
        ? []
        : [evidence(of, 'metadata.managedFields[f:unschedulable].manager', author.manager, readAt)]),
      ...(since === undefined ? [] : [evidence(of, 'spec.taints[unschedulable].timeAdded', since, readAt)]),
    ],
    remedies: [uncordon(of.name)],
  });
}

function byListAlone(status: NodeStatus, readAt: string): Finding {
  const of = ref('Node', status.name);
  const words = `${status.ready ? 'Ready' : 'NotReady'}${status.cordoned ? ',SchedulingDisabled' : ''}`;
  return finding({
    code: status.ready ? 'S1' : 'S2',
    subject: of,
    sentence: status.ready ? `${of.name} is cordoned.` : `${of.name} is not ready.`,
    confidence: 'strong',
    class: 'external',
    evidence: [evidence(of, 'status', words, readAt)],
  });
}

function stallEvidence({ pool, readAt }: PoolSubject) {
  const of = ref('MachineConfigPool', pool.name);
  return [
    evidence(of, 'spec.configuration.name', pool.target.name, readAt),
    evidence(of, 'status.configuration.name', pool.current.name, readAt),
    evidence(of, 'spec.maxUnavailable', pool.maxUnavailable ?? '1', readAt),
    evidence(of, 'status.unavailableMachineCount', pool.counts.unavailable, readAt),
  ];
}
