import { labelValue } from '../../core/node-turns/label-value.ts';
import { hasTurnsOfHold, type LostRecord, recoverRecord } from '../../core/node-turns/recover-record.ts';
import type { RunPlan } from '../../core/node-turns/run-plan.ts';
import type { RunRecord } from '../../core/node-turns/run-record.ts';
import { runLabel } from '../../core/node-turns/turn-job.ts';
import type { TurnNode } from '../../core/node-turns/turn-node.ts';
import { listAt, mappingAt, textAt } from '../../core/openshift/member.ts';
import type { Pool } from '../../core/openshift/pool.ts';
import { holdOfRun } from '../../core/openshift/pool-record.ts';
import { Transient } from '../../core/text/errors.ts';
import { unique } from '../../core/text/unique.ts';
import type { ObjectReader } from '../../ports/cluster.ts';

interface Standing {
  readonly pools: readonly Pool[];
  readonly nodes: readonly TurnNode[];
  readonly now: Date;
}

/** The record of a run that holds pools and has none: what pools, nodes and Jobs still say. Throws Transient.
 *  @param isNew it may have had none so far. Undefined then: no Job tells of one. */
export async function findAgain(
  plan: RunPlan,
  { pools, nodes, now }: Standing,
  { reader, isNew }: { readonly reader: ObjectReader; readonly isNew: boolean },
): Promise<RunRecord | undefined> {
  const namespaces = plan.rules.flatMap(({ rule, namespace }) =>
    rule.type === 'kubernetes' ? [rule.jobNamespace ?? namespace] : [],
  );
  const listed = await Promise.all(unique(namespaces).map((namespace) => jobsIn(namespace, plan.name, reader)));
  const jobs = listed.every((each) => each !== undefined) ? listed.flat() : undefined;
  const own = pools.filter(({ name }) => plan.pools.includes(name));
  const lost: LostRecord = {
    plan,
    jobs,
    nodes,
    now,
    pools: own.map((pool) => ({
      name: pool.name,
      target: pool.target.name,
      heldSince: holdOfRun(pool, plan.name)?.since,
    })),
  };
  return isNew && !hasTurnsOfHold(lost) ? undefined : recoverRecord(lost);
}

/** Jobs in one page, and pages: more than the nodes of a cluster have in a day. */
const pageSize = 200;
const pagesAtMost = 100;

/** Undefined: without permission. */
async function jobsIn(namespace: string, run: string, reader: ObjectReader): Promise<readonly unknown[] | undefined> {
  const path = `/apis/batch/v1/namespaces/${encodeURIComponent(namespace)}/jobs`;
  const jobs: unknown[] = [];
  let next = '';
  for (let page = 0; page < pagesAtMost; page += 1) {
    const labelSelector = `${runLabel}=${labelValue(run)}`;
    const query = { labelSelector, limit: String(pageSize), ...(next === '' ? {} : { continue: next }) };
    const found = await reader.read({ path, query });
    if (found.kind === 'absent') return jobs;
    if (found.kind === 'failed') {
      if (found.isForbidden === true) return undefined;
      throw new Transient(found.why);
    }
    jobs.push(...listAt(found.body, 'items').map((job) => withNamespace(job, namespace)));
    next = textAt(mappingAt(found.body, 'metadata'), 'continue') ?? '';
    if (next === '') return jobs;
  }
  return jobs;
}

/** As the path says, whatever the object does. */
function withNamespace(job: unknown, namespace: string): unknown {
  return { ...mappingAt({ job }, 'job'), metadata: { ...mappingAt(job, 'metadata'), namespace } };
}
