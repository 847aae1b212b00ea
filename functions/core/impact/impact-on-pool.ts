import { classOfChange, type MachineConfigChange, ownChanges } from '../machine-config/class-of-change.ts';
import { classOfKind } from '../machine-config/class-of-kind.ts';
import { type Circumstances, classify, type Disruption, rank, worstClass } from '../machine-config/classify.ts';
import { describeChange, describeMerged } from '../machine-config/describe-change.ts';
import type { DiffEntry, DisruptionReason, UpdateKind, Warning } from '../machine-config/disruption.ts';
import { broughtByAnyOf, changedFacets, type FacetChange, whatOf } from '../machine-config/facet-change.ts';
import { isObject, isSame } from '../machine-config/json.ts';
import type { MachineConfigContent } from '../machine-config/machine-config.ts';
import type { MergedFacet } from '../machine-config/merge-facets.ts';
import { merge, sourcesOf } from '../machine-config/render-pool.ts';
import { joinUpdates, updateKind } from '../machine-config/update-kind.ts';
import type { ManifestChange } from '../openshift/manifest.ts';
import { ifGiven } from '../text/if-given.ts';
import type { Room } from '../text/room.ts';
import { type ChangedConfigs, changedNames, machineConfigChange } from './changed-configs.ts';
import type { ImpactCluster, ImpactPool } from './impact-cluster.ts';
import { inBetween } from './in-between.ts';
import type { PoolImpact } from './report.ts';

/** Most diff entries per pool; the rest are counted. */
export const mostEntries = 100;

interface PoolQuestion {
  readonly pool: ImpactPool;
  readonly cluster: ImpactCluster;
  readonly configs: ChangedConfigs | undefined;
  readonly hits: readonly { readonly change: ManifestChange; readonly why: string }[];
  readonly guesses: readonly string[];
  readonly warnings: readonly Warning[];
  /** Of what is described; absent: of everything. */
  readonly room: Room | undefined;
}

/** The effect of one kind of change on a pool. */
interface Part extends Disruption {
  readonly update: UpdateKind;
  readonly diff: readonly DiffEntry[];
  readonly why: readonly string[];
  readonly warnings: readonly Warning[];
}

export function impactOnPool(question: PoolQuestion): PoolImpact {
  const { pool, cluster, hits, guesses } = question;
  const circumstances: Circumstances = {
    policy: cluster.policy,
    isSingleNode: cluster.isSingleNode,
    isLayered: cluster.layeredPools?.includes(pool.name),
  };
  const { ofConfigs = [], others = [] } = Object.groupBy(hits, ({ change }) =>
    changedNames(machineConfigChange(change)).length > 0 ? 'ofConfigs' : 'others',
  );
  const parts = [
    ...(ofConfigs.length > 0 ? [machineConfigPart(question, ofConfigs, circumstances)] : []),
    ...others.map(({ change }): Part => ({ ...classOfKind(change, circumstances), diff: [], why: [], warnings: [] })),
  ];
  const reasons = parts.flatMap((part) => part.reasons).toSorted(worstFirst);
  const end = worstClass(parts.map((part) => part.class));
  const passing = inBetween(
    ofConfigs.map(({ change }) => change),
    { pool, live: cluster.machineConfigs, end, circumstances },
  );
  const rebuilt = cluster.layeredPools === undefined && reasons.length > 0 && end !== 'reboot' ? mayBeBuilt : undefined;
  const isGuessed = guesses.length > 0 || passing !== undefined || rebuilt !== undefined;
  return {
    pool: pool.name,
    why: [
      ...hits.map(({ why }) => why),
      ...guesses,
      ...(passing === undefined ? parts.flatMap(({ why }) => why) : [passing]),
      ...ifGiven(rebuilt),
    ],
    machines: pool.counts.machines,
    maxUnavailable: pool.maxUnavailable ?? '1',
    class: isGuessed ? undefined : end,
    update: isGuessed ? 'unknown' : joinUpdates(parts.map((part) => part.update)),
    reasons,
    diff: parts.flatMap((part) => part.diff),
    warnings: uniqueWarnings([
      ...question.warnings.map(({ code, text, remedy }) => ({ code, text, remedy })),
      ...parts.flatMap((part) => part.warnings),
    ]),
  };
}

const mayBeBuilt = 'it is unknown whether an image is built for the pool, which reboots its nodes';

function worstFirst(left: DisruptionReason, right: DisruptionReason): number {
  return rank(right.class) - rank(left.class);
}

function machineConfigPart(question: PoolQuestion, hits: PoolQuestion['hits'], circumstances: Circumstances): Part {
  const changes = hits.map(({ change }) => machineConfigChange(change));
  return question.configs === undefined
    ? unmergedPart(changes, circumstances, question.room)
    : mergedPart({ ...question, configs: question.configs }, changes, circumstances);
}

/** The rendered config before and after, where it may differ. */
function mergedPart(
  { pool, configs, room }: Pick<PoolQuestion, 'pool' | 'room'> & { readonly configs: ChangedConfigs },
  changes: readonly MachineConfigChange[],
  circumstances: Circumstances,
): Part {
  const sourcesAfter = sourcesOf(pool, configs.after);
  const before = merge(sourcesOf(pool, configs.before), configs.keys);
  const after = merge(sourcesAfter, configs.keys);
  const changed = new Set(changes.flatMap(changedNames));
  const differences = changedFacets(before, after).map((each) => broughtByAnyOf(changed, each));
  return {
    ...classify(differences, circumstances),
    update: updateKind(differences),
    diff: boundedDiff(differences, (each) => describeMerged(each, room)),
    why: differences.length === 0 ? ['its rendered config does not change'] : [],
    warnings: overriddenWarnings(changes, after, sourcesAfter),
  };
}

/** A changed MachineConfig sets something that a later one overrides, so it has no effect. */
function overriddenWarnings(
  changes: readonly MachineConfigChange[],
  merged: ReadonlyMap<string, MergedFacet>,
  all: readonly MachineConfigContent[],
): readonly Warning[] {
  const own = new Set(changes.flatMap(({ after }) => after?.name ?? []));
  const shared = [...merged.values()].filter(
    ({ kind, source, sources }) => isSingle(kind) && !own.has(source) && sources.some((each) => own.has(each)),
  );
  const keys = new Set(shared.map(({ key }) => key));
  const mine = merge(
    all.filter(({ name }) => own.has(name)),
    keys,
  );
  const without = merge(
    all.filter(({ name }) => !own.has(name)),
    keys,
  );
  return shared
    .filter((facet) => isOverridden(facet, mine.get(facet.key), without.get(facet.key)))
    .map((facet) => ({
      code: 'overridden',
      text: `${whatOf(facet)} of ${facet.sources.filter((each) => own.has(each)).join(', ')} is overridden by ${facet.source}, which is merged later`,
      remedy: `Give it a name that sorts after ${facet.source}, or remove it from one of them`,
    }));
}

/** Whether nothing counts of what is changed, or not its content. Drop-ins of a unit, and fields that the later one
 *  does not set, are merged. */
function isOverridden(merged: MergedFacet, mine: MergedFacet | undefined, without: MergedFacet | undefined): boolean {
  if (!isObject(mine?.value) || !isObject(merged.value) || !isObject(without?.value)) return true;
  const [now, others] = [merged.value, without.value];
  const counts = (field: string) => !isSame(now[field], others[field]);
  return !Object.keys(mine.value).some(counts) || ('contents' in mine.value && !counts('contents'));
}

/** Kinds of which the last one wins; the others accumulate. */
function isSingle(kind: MergedFacet['kind']): boolean {
  return kind === 'file' || kind === 'unit' || kind === 'kernelType' || kind === 'osImageURL';
}

/** Each MachineConfig by itself: the pool's other sources are unknown. */
function unmergedPart(
  changes: readonly MachineConfigChange[],
  circumstances: Circumstances,
  room: Room | undefined,
): Part {
  const each = changes.map((change) => ({ change, own: ownChanges(change), ...classOfChange(change, circumstances) }));
  const own = each.flatMap((one) => one.own);
  return {
    class: worstClass(each.map((one) => one.class)),
    reasons: each.flatMap(({ reasons }) => reasons),
    update: updateKind(own),
    diff: each.flatMap(({ change, own: differences }) =>
      boundedDiff(differences, (difference) =>
        describeChange(
          difference,
          {
            before: difference.before === undefined ? '' : (change.before?.name ?? ''),
            after: difference.after === undefined ? '' : (change.after?.name ?? ''),
          },
          room,
        ),
      ),
    ),
    why: ['the other MachineConfigs of the pool are unknown: assuming that nothing overrides the change'],
    warnings: [],
  };
}

function boundedDiff<C extends FacetChange>(
  changes: readonly C[],
  describe: (change: C) => DiffEntry,
): readonly DiffEntry[] {
  const shown = changes.slice(0, mostEntries).map(describe);
  if (changes.length <= mostEntries) return shown;
  const more: DiffEntry = {
    what: `${changes.length - mostEntries} more`,
    change: 'changed',
    lines: [],
    source: { before: '', after: '' },
    security: [],
    more: changes.length - mostEntries,
  };
  return [...shown, more];
}

export function uniqueWarnings(warnings: readonly Warning[]): readonly Warning[] {
  return [...new Map(warnings.map((each) => [`${each.code} ${each.text}`, each])).values()];
}
