import type { Manifest, ManifestChange } from '../openshift/manifest.ts';
import { selectorIn } from '../openshift/manifest-selector.ts';
import { buildLabels, type KindRule, operatorAnnotationPrefix, ruleOf } from '../openshift/rendered-kinds.ts';
import { roleLabel } from '../openshift/role-label.ts';
import { type LabelSelector, poolSelects } from '../openshift/selector.ts';
import { isAsLive, type LivePool } from './live-pool.ts';
import { isObject, isSameContent } from './same-content.ts';

/** The current pools of one cluster. */
export interface LivePools {
  readonly pools: readonly LivePool[];
}

/** A pool that is re-rendered, or whose nodes get another configuration, and why. */
export interface PoolReached {
  readonly pool: string;
  readonly why: string;
}

/** Pools that one change reaches; if none, `silent` has the reason. */
export interface PoolsOf {
  readonly pools: readonly PoolReached[];
  readonly silent?: string | undefined;
  /** Nothing changes of what is rendered, whichever pools there are. Absent: something may. */
  readonly isSame?: true | undefined;
}

const builtInLabel = 'machineconfiguration.openshift.io/mco-built-in';
const builtInPools: readonly string[] = ['master', 'worker', 'arbiter'];

/** Pools that the change of one object reaches. Both sides count, so moves and deletes do too. Pure. Source: the rules
 *  of openshift/rendered-kinds.ts, and machine-config-operator pkg/controller/render `getPoolsForMachineConfig`. */
export function poolsOf(change: ManifestChange, live: LivePools): PoolsOf {
  const sides = sidesOf(change);
  const object = change.after ?? change.before;
  if (object === undefined) return silent('nothing changes');
  const what = `${object.kind} ${object.name}`;

  const rule = ruleOf(object, sides.flatMap(dataKeys));
  if (rule === undefined) return silent(`${what} is not rendered by the Machine Config Operator`);
  if (rule.reach === 'none') return silent(`${what}: ${rule.makes}`);
  const why = whyNothing(change, rule);
  if (why !== undefined) return { ...silent(`${what}: ${why}`), isSame: true };

  const pools = reachedBy({ change, rule, sides, object, pools: live.pools });
  if (pools.length === 0) return silent(`${what} ${noPool(rule, change)}`);
  return { pools };
}

/** Whether the MCO renders anything from the object, whichever pools there are. */
export function isRenderedManifest(manifest: Manifest): boolean {
  const rule = ruleOf(manifest, dataKeys(manifest));
  return rule !== undefined && rule.reach !== 'none';
}

function silent(why: string): PoolsOf {
  return { pools: [], silent: why };
}

function sidesOf({ before, after }: ManifestChange): readonly Manifest[] {
  return [before, after].filter((side) => side !== undefined);
}

/** Keys of what a ConfigMap or Secret holds, by which some are known to be the MCO's. */
export function dataKeys({ body }: Pick<Manifest, 'body'>): readonly string[] {
  const data = body['data'];
  return isObject(data) ? Object.keys(data) : [];
}

/** Why the MCO sees no difference; undefined if it may. */
function whyNothing({ before, after }: ManifestChange, rule: KindRule): string | undefined {
  const { fields, reach } = rule;
  if (before === undefined && after !== undefined) {
    // Fields of an existing singleton that the manifest does not mention stay as they are.
    const isSilent = reach === 'every-pool' && fields?.every((field) => specOf(after)[field] === undefined);
    return isSilent ? `it does not set ${fields?.join(', ')}` : undefined;
  }
  if (before === undefined || after === undefined) return undefined;
  const countsLabels = ['labels', 'pool-itself', 'built-pool', 'node-labels'].includes(reach);
  if (countsLabels && !isSameContent(before.labels, after.labels)) return undefined;
  if (reach === 'node-labels' || isSameToOperator(before, after))
    return countsLabels ? 'neither its spec nor its labels change' : 'only its metadata changes';
  const isElsewhere = fields?.every((field) => isSameContent(specOf(before)[field], specOf(after)[field]));
  return isElsewhere ? `only fields change that are not rendered (rendered: ${fields?.join(', ')})` : undefined;
}

/** Content and the annotations that the MCO reads. */
function isSameToOperator(before: Manifest, after: Manifest): boolean {
  return isSameContent(contentOf(before), contentOf(after)) && isSameContent(marksOf(before), marksOf(after));
}

function marksOf({ annotations }: Manifest): unknown {
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => key.startsWith(operatorAnnotationPrefix)));
}

/** The desired content, without status. */
function contentOf({ body }: Manifest): unknown {
  const { status: _, ...content } = body;
  return content;
}

function specOf({ body }: Manifest): Readonly<Record<string, unknown>> {
  return isObject(body['spec']) ? body['spec'] : {};
}

interface Asked {
  readonly change: ManifestChange;
  readonly rule: KindRule;
  readonly sides: readonly Manifest[];
  readonly object: Manifest;
  readonly pools: readonly LivePool[];
}

function reachedBy(asked: Asked): readonly PoolReached[] {
  switch (asked.rule.reach) {
    case 'labels':
      return byLabels(asked);
    case 'pool-selector':
      return byPoolSelector(asked);
    case 'built-in':
      return inheritorsOfBuiltIn(asked.pools).map(({ name, role }) => reached(name, asked, `it selects role ${role}`));
    case 'every-pool':
      return asked.pools.map(({ name }) => reached(name, asked, asked.rule.makes));
    case 'pool-itself':
      return byPool(asked);
    case 'named-pool':
      return byPoolName(asked);
    case 'built-pool':
      return byBuild(asked);
    case 'node-labels':
      return byNodeLabels(asked);
    case 'assumed':
      return assumed(asked);
    case 'none':
      return [];
    default:
      return asked.rule.reach satisfies never;
  }
}

function reached(pool: string, { change, object }: Pick<Asked, 'change' | 'object'>, detail: string): PoolReached {
  return { pool, why: `${object.kind} ${object.name} is ${happens(change)}: ${detail}` };
}

function happens({ before, after }: ManifestChange): string {
  if (before === undefined) return 'added';
  return after === undefined ? 'removed' : 'changed';
}

/** A pool that selects it before and after is re-rendered only if the content differs, or its place in the merge: role
 *  worker comes before all others. One that selects it on one side gains or loses it. */
function byLabels(asked: Asked): readonly PoolReached[] {
  const { before, after } = asked.change;
  const isOnlyMoved =
    before !== undefined &&
    after !== undefined &&
    isSameToOperator(before, after) &&
    isMergedFirst(before) === isMergedFirst(after);
  return asked.pools.flatMap(({ name, machineConfigSelector }) => {
    const was = before !== undefined && poolSelects(machineConfigSelector, before.labels);
    const is = after !== undefined && poolSelects(machineConfigSelector, after.labels);
    if (!(was || is) || (isOnlyMoved && was === is)) return [];
    return [reached(name, asked, membership(was, is, asked))];
  });
}

function isMergedFirst({ labels }: Manifest): boolean {
  return labels[roleLabel] === 'worker';
}

function membership(was: boolean, is: boolean, { change: { before, after } }: Asked): string {
  const labels = (is ? after : before)?.labels ?? {};
  const role = labels[roleLabel];
  const by = role === undefined ? 'its labels' : `role ${role}`;
  if (before === undefined || after === undefined || was === is) return `the pool selects ${by}`;
  return is ? `the pool now selects it by ${by}` : 'the pool no longer selects its labels';
}

/** An unreadable selector matches every pool. */
function byPoolSelector(asked: Asked): readonly PoolReached[] {
  const selectors = asked.sides.map((side) => selectorIn(specOf(side)['machineConfigPoolSelector']));
  return inheritorsOf(asked.pools, selectors).map(({ name, role }) =>
    reached(
      name,
      asked,
      name === role ? 'it is for this pool' : `it is for pool ${role}, whose role this pool selects`,
    ),
  );
}

/** A pool that renders a role, its own or an inherited one. */
interface Inheritor {
  readonly name: string;
  readonly role: string;
}

/** The second hop: a MachineConfig with the role of a pool reaches every pool that selects the role. */
export function inheritorsOf(
  pools: readonly LivePool[],
  selectors: readonly (LabelSelector | undefined | 'unreadable')[],
): readonly Inheritor[] {
  const chosen = pools.filter(({ labels }) =>
    selectors.some((selector) => selector === 'unreadable' || poolSelects(selector, labels)),
  );
  return withRoles(
    pools,
    chosen.map(({ name }) => name),
  );
}

/** Pools that render what is generated for the built-in pools. */
export function inheritorsOfBuiltIn(pools: readonly LivePool[]): readonly Inheritor[] {
  return withRoles(
    pools,
    pools.filter(isBuiltIn).map(({ name }) => name),
  );
}

/** Its own role first if it selects several. */
function withRoles(pools: readonly LivePool[], roles: readonly string[]): readonly Inheritor[] {
  return pools.flatMap(({ name, machineConfigSelector }) => {
    const selected = roles.filter((role) => poolSelects(machineConfigSelector, { [roleLabel]: role }));
    const role = selected.includes(name) ? name : selected[0];
    return role === undefined ? [] : [{ name, role }];
  });
}

/** The MCO's own pools, which it restores when they are changed or deleted. */
export function isBuiltIn({ name, labels }: Pick<LivePool, 'name' | 'labels'>): boolean {
  return builtInPools.includes(name) || builtInLabel in labels;
}

/** Why a change of another pool reaches pool worker. */
export const fallBack = 'nodes that leave a pool fall back to worker';

function byPool(asked: Asked): readonly PoolReached[] {
  const { change, object, pools } = asked;
  const { before, after } = change;
  const [was, is] = [before, after].map((side) => (side === undefined ? {} : specOf(side)));
  const isAdopted = before === undefined && after !== undefined && isAsLive(after, pools);
  const differs = (field: string): boolean =>
    !(isAdopted && field.endsWith('Selector')) && !isSameContent(was?.[field], is?.[field]);
  const reasons = new Map<string, string>();
  const add = (name: string, why: string) => reasons.has(name) || reasons.set(name, why);

  if ((asked.rule.fields ?? []).some(differs)) add(object.name, asked.rule.makes);
  if (differs('osImageStream')) for (const { name, role } of rolesFrom(asked)) add(name, `it follows pool ${role}`);
  if (before !== undefined && differs('nodeSelector') && object.name !== 'worker') add('worker', fallBack);
  if (before !== undefined && after !== undefined && !isSameContent(before.labels, after.labels))
    for (const { name } of rolesFrom(asked)) add(name, 'kubelet and runtime settings choose pools by these labels');
  return pools.flatMap(({ name }) => {
    const why = reasons.get(name);
    return why === undefined ? [] : [reached(name, asked, why)];
  });
}

function rolesFrom({ pools, object }: Asked): readonly Inheritor[] {
  return withRoles(pools, [object.name]);
}

function byPoolName(asked: Asked): readonly PoolReached[] {
  return byNames(asked, { own: asked.sides.map((side) => nameIn(specOf(side)['machineConfigPool'])) });
}

/** The MCO finds the builds of a pool by labels, and counts one whose rendered config is that of the pool; its
 *  MachineOSConfig has the name of the pool. The same in CEL: local/manifests/pause-first.ts. */
function byBuild(asked: Asked): readonly PoolReached[] {
  return byNames(asked, {
    own: asked.sides.map((side) => builtFor(nameIn(specOf(side)['machineConfig']))),
    others: asked.sides.flatMap((side) => [
      nameIn(specOf(side)['machineOSConfig']),
      ...buildLabels.map((label) => side.labels[label]),
    ]),
  });
}

interface NamedPools {
  /** For each side; a side that names none may be for any pool. */
  readonly own: readonly (string | undefined)[];
  readonly others?: readonly (string | undefined)[];
}

function byNames(asked: Asked, { own, others = [] }: NamedPools): readonly PoolReached[] {
  const isUnsaid = own.includes(undefined);
  return asked.pools.flatMap(({ name }) =>
    isUnsaid || own.includes(name) || others.includes(name) ? [reached(name, asked, asked.rule.makes)] : [],
  );
}

function nameIn(reference: unknown): string | undefined {
  const name = isObject(reference) ? reference['name'] : undefined;
  return typeof name === 'string' ? name : undefined;
}

function builtFor(config: string | undefined): string | undefined {
  return /^rendered-(.+)-[0-9a-f]{32}$/.exec(config ?? '')?.[1];
}

/** The manifest need not have all labels of a node, so what it matches is unknown, but not what it changes. */
function byNodeLabels(asked: Asked): readonly PoolReached[] {
  const { before, after } = asked.change;
  const keys = new Set(asked.sides.flatMap(({ labels }) => Object.keys(labels)));
  const changed = [...keys].filter((key) => before?.labels[key] !== after?.labels[key]);
  return asked.pools.flatMap(({ name, nodeSelector }) => {
    const key = changed.find((each) => keysOf(nodeSelector).includes(each));
    return key === undefined ? [] : [reached(name, asked, `the pool selects its nodes by label ${key}`)];
  });
}

function keysOf(selector: LabelSelector | undefined): readonly string[] {
  return [...Object.keys(selector?.matchLabels ?? {}), ...(selector?.matchExpressions ?? []).map(({ key }) => key)];
}

function assumed(asked: Asked): readonly PoolReached[] {
  const words = new Set(asked.sides.flatMap(({ body }) => wordsIn(body)));
  return asked.pools.flatMap((pool) => {
    if (words.has(pool.name)) return [reached(pool.name, asked, `${asked.rule.makes}, and it names the pool`)];
    return isAssumed(pool) ? [reached(pool.name, asked, `${asked.rule.makes}; this pool is assumed`)] : [];
  });
}

/** Pools that another operator's settings are assumed to apply to, if nothing says so. */
export function isAssumed(pool: LivePool): boolean {
  return pool.name === 'worker' || !isBuiltIn(pool);
}

/** Every key and text, and the part after its last slash: `node-role.kubernetes.io/master` names master. */
function wordsIn(value: unknown, depth = 0): readonly string[] {
  if (typeof value === 'string') return [value, value.slice(value.lastIndexOf('/') + 1)];
  if (!isObject(value) || depth > 50) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    key.slice(key.lastIndexOf('/') + 1),
    ...wordsIn(inner, depth + 1),
  ]);
}

function noPool({ reach }: KindRule, { before, after }: ManifestChange): string {
  switch (reach) {
    case 'labels':
      return before !== undefined && after !== undefined && isSameContent(contentOf(before), contentOf(after))
        ? 'gets other labels, with no effect on pool selection'
        : 'has no labels that a pool selects';
    case 'pool-selector':
      return 'chooses no pool';
    case 'pool-itself':
    case 'named-pool':
    case 'built-pool':
      return 'belongs to no existing pool';
    case 'node-labels':
      return 'gets no label by which a pool selects its nodes';
    default:
      return 'reaches no existing pool';
  }
}
