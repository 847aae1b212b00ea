import { remedy } from '../diagnose/remedies.ts';
import { evidence, finding, ref } from '../findings/make-finding.ts';
import type { Remedy, Trouble } from '../findings/trouble.ts';
import { holdsAnnotation } from '../openshift/hold.ts';
import { keptPausedWords } from '../openshift/kept-paused.ts';
import { isPast, secondsSince } from '../text/instant.ts';
import { listed } from '../text/phrases.ts';
import { command, mergePatch } from '../text/shell-words.ts';
import { poolAsOf } from '../timeline/pool-as-of.ts';
import type { ClusterView, PoolView } from '../timeline/view.ts';
import { keepsPaused } from '../timeline/waits-of.ts';
import { makeTrouble } from './make-trouble.ts';

/** Seconds. For a week people are told: by then somebody knows, or the cluster is gone for good. */
const toldSeconds = 7 * 24 * 3600;

/** The pools that Poolkeeper had paused when it last read a cluster that is not configured any more: it resumes none
 *  of them, and cannot see whether somebody else has.
 *  @param view what was last seen of it
 *  @param configured what is seen of the clusters that are configured: a pool that one of them has is kept under
 *  another name of its cluster, and so may be one that cannot be parsed there */
export function leftPauses(view: ClusterView, configured: readonly ClusterView[], now: Date): readonly Trouble[] {
  // One that was never read has no pools, and no time.
  if (view.readAt === '' || secondsSince(view.readAt, now) >= toldSeconds) return [];
  const kept = configured.flatMap(({ pools }) => pools);
  const unparsed = new Set(configured.flatMap(({ unreadablePools = [] }) => unreadablePools).map(({ name }) => name));
  const isKept = (pool: PoolView) => unparsed.has(pool.name) || kept.some((each) => isSamePool(each, pool));
  return view.pools
    .filter((pool) => pool.paused && pool.pauseOf === 'ours' && !isKept(pool))
    .map((pool) => leftPause(view, poolAsOf(pool, now), now));
}

/** Two pools of one name are made in the same second only where they are one. */
function isSamePool(a: PoolView, b: PoolView): boolean {
  return a.name === b.name && a.createdAt !== undefined && a.createdAt === b.createdAt;
}

/** What a person wants paused is resumed by nobody who has only read this. */
function endOfPause(cluster: string, pool: PoolView, now: Date): Remedy {
  const { name, holds } = pool;
  const wanted = holds.filter(
    (hold) => (hold.kind === 'freeze' || hold.kind === 'manual') && keepsPaused(hold) && !isPast(hold.until, now),
  );
  const kept = whyKept(pool);
  if (wanted.length > 0) {
    const said = wanted.map(
      ({ kind, who, until }) => `${who} has ${kind === 'freeze' ? 'frozen' : 'held'} it until ${until}`,
    );
    return remedy(`Leave it paused until then, or ask first: ${listed(said, 3)}`);
  }
  if (kept !== undefined) return remedy(`Leave it paused, or ask first: ${kept}`);
  const target = { kind: 'machineconfigpool', name };
  return remedy(
    `Or, on cluster ${cluster}, if no other Poolkeeper keeps it: resume the pool. What waits then goes out, and nodes reboot; who held it is not on record any more, also once it is paused again`,
    {
      command: mergePatch(target, { metadata: { annotations: { [holdsAnnotation]: null } }, spec: { paused: false } }),
      undo: mergePatch(target, { spec: { paused: true } }),
      risk: 'outage',
    },
  );
}

/** A view of an earlier version has it in a gate alone, and no pass writes it anew. */
function whyKept({ keptPaused, closedGates, gatesAhead = [] }: PoolView): string | undefined {
  if (keptPaused !== undefined) return keptPausedWords(keptPaused);
  return [...closedGates, ...gatesAhead].find(({ gate }) => gate === 'keep-paused')?.why;
}

function leftPause({ cluster, readAt }: ClusterView, pool: PoolView, now: Date): Trouble {
  const { name, pausedSince = readAt, currentConfig, targetConfig, pending } = pool;
  const of = ref('MachineConfigPool', name);
  const why = pool.holds.filter(keepsPaused).map((hold) => `${hold.who}: ${hold.why}`);
  const found = finding({
    code: 'S6',
    subject: of,
    sentence: `Pool ${name} was paused by Poolkeeper when cluster ${cluster} was last read, at ${readAt}, and the cluster is no longer in poolkeeper.yaml: Poolkeeper does not resume the pool any more.`,
    confidence: 'likely',
    class: 'external',
    evidence: [evidence(of, 'spec.paused', true, readAt)],
    remedies: [
      remedy(`Look on cluster ${cluster} whether it is still paused: disconnect resumes what Poolkeeper held`, {
        command: command('oc', 'get', 'machineconfigpool', name, '-o', 'jsonpath={.spec.paused}'),
      }),
      remedy(`If it is, put cluster ${cluster} back into poolkeeper.yaml: then its pool resumes as ever`),
      endOfPause(cluster, pool, now),
    ],
  });
  return makeTrouble({
    key: { cluster, pool: name, kind: 'paused-too-long' },
    severity: 'high',
    headline: 'was paused when its cluster was taken out of poolkeeper.yaml',
    since: pausedSince,
    findings: [found],
    facts: [
      { label: 'Paused for', value: why.length === 0 ? 'its gates' : listed(why, 2) },
      {
        label: 'Config',
        value: pending ? `${currentConfig} -> ${targetConfig}` : `${currentConfig} (no change pending)`,
      },
      { label: 'Last seen', value: `${readAt}; whether it is still so is not known` },
    ],
  });
}
