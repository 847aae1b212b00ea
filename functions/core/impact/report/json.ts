import * as z from 'zod';
import { disruptionClasses } from '../../machine-config/disruption.ts';
import type { ClusterImpact, PoolImpact } from '../report.ts';

const Class = z.enum(disruptionClasses);
const Warning = z.object({ code: z.string(), text: z.string(), remedy: z.string() });

const Reason = z.object({
  what: z.string(),
  class: Class,
  why: z.string(),
  source: z.string().describe('The MachineConfig or other object that it comes from.'),
});

const Diff = z.object({
  what: z.string(),
  change: z.enum(['added', 'removed', 'changed']),
  lines: z.array(z.string()).describe('Unified diff; what looks like a secret is masked.'),
  source: z.object({ before: z.string(), after: z.string() }),
  security: z.array(z.string()).describe('Security topics of the change.'),
  more: z.int().positive().optional().describe('It stands for that many changes which are not listed.'),
});

const instant = z.iso.datetime().describe('UTC.');

const EstimateJson = z
  .object({
    minutes: z.int().nonnegative().describe('Until the last node is back, at the usual pace.'),
    atMostMinutes: z
      .int()
      .nonnegative()
      .optional()
      .describe('With `rollouts`: where all its nodes are slow, nine in ten being faster.'),
    atOnce: z.int().positive().describe('Nodes that are updated together.'),
    rollouts: z
      .int()
      .positive()
      .optional()
      .describe('Last node rollouts of the pool that say so; left out: its own pace is not known.'),
    text: z.string(),
  })
  .describe('How long the rollout takes. Left out if no node is updated.');

const AheadJson = z
  .object({
    window: z
      .object({
        kind: z.enum(['open', 'next', 'never', 'unknown']).describe('never: not within a year.'),
        from: instant.optional(),
        to: instant.optional(),
      })
      .optional()
      .describe('The window that is open, or the next one. Left out if the pool has none.'),
    closedGates: z
      .array(z.object({ gate: z.string(), found: z.string(), needed: z.string(), opensAt: instant.optional() }))
      .describe('Gates that are closed now.'),
    neededGates: z.array(z.object({ gate: z.string(), needed: z.string() })).describe('Gates that will be asked.'),
  })
  .describe('What the rollout waits for, by poolkeeper.yaml. Left out if it was not read (--cluster).');

/** What is said ahead of the rollout of a pool. */
export type PoolAheadJson = {
  readonly estimate?: z.infer<typeof EstimateJson> | undefined;
  readonly ahead?: z.infer<typeof AheadJson> | undefined;
};

const PoolJson = z.object({
  pool: z.string(),
  why: z.array(z.string()),
  machines: z.int().nonnegative(),
  maxUnavailable: z.string().describe('As in the pool: a number or a percentage.'),
  class: Class.nullable().describe('Null: unknown, assume a reboot.'),
  update: z.enum(['nothing', 'files', 'os', 'os-and-files', 'unknown']),
  reasons: z.array(Reason),
  diff: z.array(Diff),
  warnings: z.array(Warning),
  estimate: EstimateJson.optional(),
  ahead: AheadJson.optional(),
});

/** Impact of a change on each cluster. Readers must tolerate new keys. */
export const ImpactDocument = z.object({
  version: z.literal(1),
  clusters: z.array(
    z.object({
      cluster: z.string(),
      applications: z.array(z.string()),
      pools: z.array(PoolJson),
      silent: z.array(z.object({ what: z.string(), why: z.string() })).describe('Changes that reach no pool.'),
      unknown: z.array(z.object({ path: z.string(), why: z.string() })).describe('What could not be read.'),
      warnings: z.array(Warning),
    }),
  ),
});
export type ImpactDocument = z.infer<typeof ImpactDocument>;

/** The impact as a document. JSON has no undefined: an unknown class is null.
 *  @param saidAhead what is known of the rollout of a pool; default: nothing */
export function impactDocument(
  impacts: readonly ClusterImpact[],
  saidAhead: (pool: PoolImpact, impact: ClusterImpact) => PoolAheadJson = () => ({}),
): ImpactDocument {
  return ImpactDocument.parse({
    version: 1,
    clusters: impacts.map((impact) => ({
      ...impact,
      pools: impact.pools.map((pool) => ({ ...pool, class: pool.class ?? null, ...saidAhead(pool, impact) })),
    })),
  });
}
